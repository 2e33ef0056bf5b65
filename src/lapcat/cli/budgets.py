"""Gauges: what is left of a budget, drawn and in numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from lapcat.cli.screen import Line, Screen, Span, width_of
from lapcat.cli.strokes import gauge

if TYPE_CHECKING:
    from lapcat.session.results import Amount, Budget, Gauge

SIGNS = {"epsilon": "ε", "rho": "ρ", "delta": "δ"}


def shown_amount(value: Fraction) -> str:
    """The exact number where it is short, else rounded down: what is left is never shown larger than it is.

    Below 1e-4 it has two digits.

    >>> shown_amount(Fraction(14, 5)), shown_amount(Fraction(1, 3)), shown_amount(Fraction(0))
    ('2.8', '0.333333', '0')
    >>> shown_amount(Fraction(1, 10**7)), shown_amount(Fraction("1e-7") / 3)
    ('1e-7', '3.3e-8')
    """
    from lapcat.core.exact import exact_text

    if 0 < value < Fraction(1, 10**4):
        return _two_digits(value)
    text = exact_text(value)
    return text if "/" not in text and len(text) <= 12 else exact_text(Fraction(value * 10**6 // 1, 10**6))


def _two_digits(value: Fraction) -> str:
    """An amount between 0 and 1, rounded down, as people write it.

    >>> _two_digits(Fraction("6.079e-7")), _two_digits(Fraction("9.99e-8"))
    ('6e-7', '9.9e-8')
    """
    power = 0
    while value < 1:
        value, power = value * 10, power + 1
    tenths = int(value * 10)
    return f"{tenths // 10}{f'.{tenths % 10}' if tenths % 10 else ''}e-{power}"


def loss_parts(loss: object, *, drawn: bool = True, kind_named: bool = True) -> str:
    """`ε 0.2`, or `epsilon 0.2` where drawn characters are not wanted."""
    found = []
    for kind in ("epsilon", "rho", "delta"):
        value = getattr(loss, kind, None)
        if isinstance(value, Fraction) and (value != 0 or kind != "delta"):
            name = f"{SIGNS[kind] if drawn else kind} " if kind_named or kind == "delta" else ""
            found.append(name + shown_amount(value))
    return " and ".join(found) or "nothing"


def gauge_part(name: str, found: Gauge, screen: Screen, *, said: str = "left") -> Line:
    """`staff ███░░ 2.8 of 3 left`, kept together on one line."""
    main = "epsilon" if found.cap.epsilon is not None else "rho"
    left = getattr(found.left, main) or Fraction(0)
    cap = getattr(found.cap, main)
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    part = [Span(f"{name} ")]
    if screen.drawn:
        part += [Span(gauge(left, cap, 11 if screen.width < 60 else 21), mood(left, cap)), Span(" ")]
    text = f"{sign}{shown_amount(left)} of {shown_amount(cap)}" + (f" {said}" if said else "")
    return [*part, Span(text + _deltas(found, screen))]


def you_part(found: Gauge, screen: Screen) -> Line:
    """The analyst's own cap, in numbers alone."""
    return [Span("you " + _numbers(found.left, found, screen) + _deltas(found, screen))]


def _deltas(found: Gauge, screen: Screen) -> str:
    """`, δ 1e-7 of 1e-6`, where the cap has a delta."""
    if found.left.delta is None or not found.cap.delta:
        return ""
    sign = SIGNS["delta"] if screen.drawn else "delta"
    return f", {sign} {shown_amount(found.left.delta)} of {shown_amount(found.cap.delta)}"


def _numbers(left: Amount, found: Gauge, screen: Screen) -> str:
    main = "epsilon" if found.cap.epsilon is not None else "rho"
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    return f"{sign}{shown_amount(getattr(left, main) or Fraction(0))} of {shown_amount(getattr(found.cap, main))}"


def mood(left: Fraction, cap: Fraction) -> str:
    share = left / cap if cap else Fraction(0)
    return "green" if share > Fraction(1, 2) else "yellow" if share > Fraction(1, 5) else "red"


def budget_lines(budget: Budget, screen: Screen) -> list[Line]:
    """Every gauge with its name: tables, populations, then each analyst's own."""
    rows: list[tuple[str, Gauge]] = list(budget.tables.items())
    rows += [(f"population {name}", found) for name, found in budget.populations.items()]
    rows += [
        (f"{analyst} on {table}", found)
        for analyst, gauges in budget.analysts.items()
        for table, found in gauges.items()
    ]
    widest = max((width_of(name) for name, _ in rows), default=0)
    lines = []
    for name, found in rows:
        part = gauge_part(name + " " * (widest - width_of(name)), found, screen)
        spent = loss_parts(found.spent, drawn=screen.drawn)
        lines.append([Span(" "), *part, Span(f"   spent {spent}", "dim")])
    if budget.note:
        lines.append([Span(f" {budget.note}", "dim")])
    return lines
