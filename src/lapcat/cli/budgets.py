"""Gauges: what is left of a budget, drawn and in numbers."""

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

MOST_STEPS = 30
MOST_BLOCKS = 12
"""So many blocks of a table have a line of their own."""
FEW = 6
"""So many numbers of a burn-down are written where nothing is drawn."""
SIGNS = {"epsilon": "ε", "rho": "ρ", "delta": "δ"}


def shown_amount(value: Fraction, *, up: bool = False) -> str:
    """What is left, never shown larger than it is; or with `up` what is spent, never shown smaller.

    >>> shown_amount(Fraction(14, 5)), shown_amount(Fraction(1, 3)), shown_amount(Fraction(1, 3), up=True)
    ('2.8', '0.333', '0.334')
    """
    from lapcat.core.exact import rounded_text

    return rounded_text(value, up=up)


def loss_parts(loss: object, *, drawn: bool = True, kind_named: bool = True) -> str:
    """`ε 0.2`, or `epsilon 0.2` where drawn characters are not wanted: never less than is spent."""
    found = []
    for kind in ("epsilon", "rho", "delta"):
        value = getattr(loss, kind, None)
        if isinstance(value, Fraction) and (value != 0 or kind != "delta"):
            name = f"{SIGNS[kind] if drawn else kind} " if kind_named or kind == "delta" else ""
            found.append(name + shown_amount(value, up=True))
    return " and ".join(found) or "nothing"


def gauge_part(name: str, found: Gauge, screen: Screen, *, said: str = "left") -> Line:
    """`staff ███░░ 2.8 of 3 left`, kept together on one line."""
    main = "epsilon" if found.cap.epsilon is not None else "rho"
    left = getattr(found.left, main) or Fraction(0)
    cap = getattr(found.cap, main)
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    part = [StyledText(f"{name} ")]
    if screen.drawn:
        part += [
            StyledText(gauge(left, cap, 11 if screen.width < 60 else 21), mood(left, cap)),
            StyledText(" "),
        ]
    text = f"{sign}{shown_amount(left)} of {shown_amount(cap, up=True)}" + (f" {said}" if said else "")
    return [*part, StyledText(text + _deltas(found, screen))]


def you_part(found: Gauge, screen: Screen) -> Line:
    """The analyst's own cap, in numbers alone."""
    return [StyledText("you " + _numbers(found.left, found, screen) + _deltas(found, screen))]


def _deltas(found: Gauge, screen: Screen) -> str:
    """`, δ 1e-7 of 1e-6`, where the cap has a delta."""
    if found.left.delta is None or not found.cap.delta:
        return ""
    sign = SIGNS["delta"] if screen.drawn else "delta"
    return f", {sign} {shown_amount(found.left.delta)} of {shown_amount(found.cap.delta, up=True)}"


def _numbers(left: Amount, found: Gauge, screen: Screen) -> str:
    main = "epsilon" if found.cap.epsilon is not None else "rho"
    sign = "" if main == "epsilon" else f"{SIGNS[main] if screen.drawn else main} "
    return f"{sign}{shown_amount(getattr(left, main) or Fraction(0))} of {shown_amount(getattr(found.cap, main), up=True)}"


def mood(left: Fraction, cap: Fraction) -> str:
    share = left / cap if cap else Fraction(0)
    return "green" if share > Fraction(1, 2) else "yellow" if share > Fraction(1, 5) else "red"


def budget_lines(budget: Budget, screen: Screen) -> list[Line]:
    """Every gauge with its name: tables, populations, then each analyst's own; below each how it was spent, how long it
    will last, its blocks, and what keeps the table from being asked about."""
    rows = list(budget.gauges())
    widest = max((width_of(name) for name, _ in rows), default=0)
    indent = 3 if screen.width < 60 else widest + 2
    together = {
        f"{analyst} on {table}": budget.tables[table].spent
        for analyst, gauges in budget.analysts.items()
        for table in gauges
    }
    lines = []
    for name, found in rows:
        spent = f"spent {loss_parts(found.spent, drawn=screen.drawn)}"
        if name in together:
            spent += f", all analysts together {loss_parts(together[name], drawn=screen.drawn)}"
        line = [StyledText(" "), *gauge_part(padded(name, widest), found, screen)]
        below = _below(name, found, budget, screen, indent)
        if 3 + len(spent) + sum(width_of(span.text) for span in line) <= (screen.wrapping_width or inf):
            line.append(StyledText(f"   {spent}", "dim"))
        else:
            below.insert(0, [StyledText(spent, "dim")])
        lines += [line, *_indented(below, indent, screen)]
    if budget.note:
        lines.append([StyledText(f" {budget.note}", "dim")])
    return lines


def _indented(lines: Sequence[Line], indent: int, screen: Screen) -> list[Line]:
    """Lines further to the right; sentences are broken where the width demands it."""
    found = []
    for line in lines:
        broken = [line]
        if len(line) == 1 and screen.wrapping_width is not None:
            sentence = line[0]
            broken = [
                [StyledText(text, sentence.style)] for text in wrap(sentence.text, screen.width - indent)
            ]
        found += [[StyledText(" " * indent), *part] for part in broken]
    return found


def _below(name: str, found: Gauge, budget: Budget, screen: Screen, indent: int) -> list[Line]:
    """What is said of a gauge in lines of their own."""
    lines: list[Line] = []
    if name in budget.paused:
        lines.append([StyledText(f"paused {visible(budget.paused[name])}", "bold red")])
    if budget.failures.get(name):
        count = budget.failures[name]
        many = "1 question has" if count == 1 else f"{count} questions have"
        lines.append(
            [
                StyledText(
                    f"{many} failed since it was last resumed; {FAILURES_ALLOWED} analysts pause it", "yellow"
                )
            ]
        )
    for analyst in budget.failed.get(name, ()):
        lines.append([StyledText(f"paused for {visible(analyst)} after a failed question", "yellow")])
    if found.burn_down:
        lines.append(_burnt(found, screen, indent))
    if found.pace is not None:
        lines.append([StyledText(str(found.pace), "dim")])
    return [*lines, *_block_lines(found, screen)]


def _block_lines(found: Gauge, screen: Screen) -> list[Line]:
    """The blocks that something was spent from; of very many those that have the least left."""
    if not found.blocks:
        return []
    spent = {block: own for block, own in found.blocks.items() if own.left != _untouched(own)}
    least = sorted(spent, key=lambda block: spent[block].left.epsilon or spent[block].left.rho or 0)
    shown = [block for block in spent if block in least[:MOST_BLOCKS]]
    widest = max(map(width_of, shown), default=0)
    lines = [gauge_part(padded(visible(block), widest), spent[block], screen) for block in shown]
    others = f"; {len(spent) - len(shown)} more with more left" if len(spent) > len(shown) else ""
    said = (
        f"each of its {len(found.blocks)} blocks has this budget; untouched: {len(found.blocks) - len(spent)}"
    )
    return [*lines, [StyledText(said + others, "dim")]]


def _untouched(found: Gauge) -> Amount:
    delta = found.cap.delta or None
    return replace(found.left, epsilon=found.cap.epsilon, rho=found.cap.rho, delta=delta)


def _burnt(found: Gauge, screen: Screen, indent: int) -> Line:
    """How a budget was spent: a line that falls, or a few of its numbers."""
    said = span_of(found)
    if not screen.drawn:
        few = [shown_amount(left) for left in sampled([point.left for point in found.burn_down], FEW)]
        return [StyledText(f"left after {said}: {', '.join(few)}", "dim")]
    room = max(8, min(MOST_STEPS, screen.width - indent - len(said) - 2))
    left = found.burn_down[-1].left
    return [
        StyledText(burn_line(shares_of(found), room), mood(left, found.most)),
        StyledText(f" {said}", "dim"),
    ]
