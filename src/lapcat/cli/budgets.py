"""Gauges: what is left of a budget, as a bar and in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING

from lapcat.cli.screen import Line, Screen, StyledText, padded, visible, width_of
from lapcat.cli.strokes import gauge
from lapcat.drawing.burn_down import burn_line, sampled
from lapcat.ledger.base import FAILURES_ALLOWED
from lapcat.render.budgets import shares_of, span_of

if TYPE_CHECKING:
    from lapcat.session.budgets import Budget, Gauge
    from lapcat.session.results import Amount

MAX_STEPS = 30
MAX_BLOCKS = 12
"""Blocks of a table that are listed."""
FEW = 6
"""Numbers of a burn-down that are listed in plain text."""
SIGNS = {"epsilon": "ε", "rho": "ρ", "delta": "δ"}


def shown_amount(value: Fraction, *, up: bool = False) -> str:
    """An amount left, rounded down; or with `up` an amount spent, rounded up.

    >>> shown_amount(Fraction(14, 5)), shown_amount(Fraction(1, 3)), shown_amount(Fraction(1, 3), up=True)
    ('2.8', '0.333', '0.334')
    """
    from lapcat.core.exact import rounded_text

    return rounded_text(value, up=up)


def loss_parts(loss: object, *, drawn: bool = True, kind_named: bool = True) -> str:
    """`ε 0.2`, or `epsilon 0.2` in plain text; rounded up."""
    parts = []
    for kind in ("epsilon", "rho", "delta"):
        value = getattr(loss, kind, None)
        if isinstance(value, Fraction) and (value != 0 or kind != "delta"):
            name = f"{SIGNS[kind] if drawn else kind} " if kind_named or kind == "delta" else ""
            parts.append(name + shown_amount(value, up=True))
    return " and ".join(parts) or "nothing"


def gauge_part(name: str, budget: Gauge, screen: Screen, *, suffix: str = "left") -> Line:
    """`staff ███░░ 2.8 of 3 left`, kept together on one line."""
    main = "epsilon" if budget.cap.epsilon is not None else "rho"
    left = getattr(budget.left, main) or Fraction(0)
    cap = getattr(budget.cap, main)
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    part = [StyledText(f"{name} ")]
    if screen.drawn:
        part += [
            StyledText(gauge(left, cap, 11 if screen.width < 60 else 21), mood(left, cap)),
            StyledText(" "),
        ]
    text = f"{sign}{shown_amount(left)} of {shown_amount(cap, up=True)}" + (f" {suffix}" if suffix else "")
    return [*part, StyledText(text + _deltas(budget, screen))]


def you_part(gauge: Gauge, screen: Screen) -> Line:
    """The analyst's own budget, in numbers."""
    return [StyledText("you " + _numbers(gauge.left, gauge, screen) + _deltas(gauge, screen))]


def _deltas(gauge: Gauge, screen: Screen) -> str:
    """`, δ 1e-7 of 1e-6`, if the cap has a delta."""
    if gauge.left.delta is None or not gauge.cap.delta:
        return ""
    sign = SIGNS["delta"] if screen.drawn else "delta"
    return f", {sign} {shown_amount(gauge.left.delta)} of {shown_amount(gauge.cap.delta, up=True)}"


def _numbers(left: Amount, gauge: Gauge, screen: Screen) -> str:
    main = "epsilon" if gauge.cap.epsilon is not None else "rho"
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    return f"{sign}{shown_amount(getattr(left, main) or Fraction(0))} of {shown_amount(getattr(gauge.cap, main), up=True)}"


def mood(left: Fraction, cap: Fraction) -> str:
    share = left / cap if cap else Fraction(0)
    return "green" if share > Fraction(1, 2) else "yellow" if share > Fraction(1, 5) else "red"


def budget_lines(budget: Budget, screen: Screen) -> list[Line]:
    """All gauges: tables, populations, then analysts; below each its pauses and failures, burn-down, pace and blocks."""
    rows = list(budget.gauges())
    widest = max((width_of(name) for name, _ in rows), default=0)
    indent = 3 if screen.width < 60 else widest + 2
    together = {
        f"{analyst} on {table}": budget.tables[table].spent
        for analyst, gauges in budget.analysts.items()
        for table in gauges
    }
    lines = []
    for name, own in rows:
        spent = f"spent {loss_parts(own.spent, drawn=screen.drawn)}"
        if name in together:
            spent += f", all analysts together {loss_parts(together[name], drawn=screen.drawn)}"
        line = [StyledText(" "), *gauge_part(padded(name, widest), own, screen)]
        below = _below(name, own, budget, screen, indent)
        if 3 + len(spent) + sum(width_of(span.text) for span in line) <= (screen.wrapping_width or inf):
            line.append(StyledText(f"   {spent}", "dim"))
        else:
            below.insert(0, [StyledText(spent, "dim")])
        lines += [line, *_indented(below, indent, screen)]
    if budget.note:
        lines.append([StyledText(f" {budget.note}", "dim")])
    return lines


def _indented(lines: Sequence[Line], indent: int, screen: Screen) -> list[Line]:
    """Indents the lines and wraps sentences to the width."""
    indented = []
    for line in lines:
        broken = [line]
        if len(line) == 1 and screen.wrapping_width is not None:
            sentence = line[0]
            broken = [
                [StyledText(text, sentence.style)] for text in wrap(sentence.text, screen.width - indent)
            ]
        indented += [[StyledText(" " * indent), *part] for part in broken]
    return indented


def _below(name: str, own: Gauge, budget: Budget, screen: Screen, indent: int) -> list[Line]:
    """The lines below a gauge."""
    lines: list[Line] = []
    if name in budget.paused:
        lines.append([StyledText(f"paused {visible(budget.paused[name])}", "bold red")])
    if budget.failures.get(name):
        count = budget.failures[name]
        questions = "1 question has" if count == 1 else f"{count} questions have"
        lines.append(
            [
                StyledText(
                    f"{questions} failed since it was last resumed; failures of {FAILURES_ALLOWED} analysts pause it",
                    "yellow",
                )
            ]
        )
    for analyst in budget.failed.get(name, ()):
        lines.append([StyledText(f"paused for {visible(analyst)} after a failed question", "yellow")])
    if own.burn_down:
        lines.append(_burnt(own, screen, indent))
    if own.pace is not None:
        lines.append([StyledText(str(own.pace), "dim")])
    return [*lines, *_block_lines(own, screen)]


def _block_lines(gauge: Gauge, screen: Screen) -> list[Line]:
    """The blocks with spending; if there are many, those with the least left."""
    if not gauge.blocks:
        return []
    spent = {block: own for block, own in gauge.blocks.items() if own.left != _untouched(own)}
    least = sorted(spent, key=lambda block: spent[block].left.epsilon or spent[block].left.rho or 0)
    shown = [block for block in spent if block in least[:MAX_BLOCKS]]
    widest = max(map(width_of, shown), default=0)
    lines = [gauge_part(padded(visible(block), widest), spent[block], screen) for block in shown]
    others = f"; {len(spent) - len(shown)} more with more left" if len(spent) > len(shown) else ""
    summary = (
        f"each of its {len(gauge.blocks)} blocks has this budget; untouched: {len(gauge.blocks) - len(spent)}"
    )
    return [*lines, [StyledText(summary + others, "dim")]]


def _untouched(gauge: Gauge) -> Amount:
    delta = gauge.cap.delta or None
    return replace(gauge.left, epsilon=gauge.cap.epsilon, rho=gauge.cap.rho, delta=delta)


def _burnt(gauge: Gauge, screen: Screen, indent: int) -> Line:
    """The burn-down of a budget: a sparkline, or a few of its numbers."""
    span = span_of(gauge)
    if not screen.drawn:
        few = [shown_amount(left) for left in sampled([point.left for point in gauge.burn_down], FEW)]
        return [StyledText(f"left after {span}: {', '.join(few)}", "dim")]
    room = max(8, min(MAX_STEPS, screen.width - indent - len(span) - 2))
    left = gauge.burn_down[-1].left
    return [
        StyledText(burn_line(shares_of(gauge), room), mood(left, gauge.most)),
        StyledText(f" {span}", "dim"),
    ]
