"""What a preview says of errors and of what is left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from lapcat.core.event import KeyedRelease
from lapcat.core.mechanisms.threshold import Threshold
from lapcat.ledger.base import Charge
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import scan_of
from lapcat.session.results import Amount, ForeseenColumn, GroupThreshold, cost_text
from lapcat.stored.scopes import Scope, ScopeKind


def least_left(tables: Sequence[str], left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """What is left of each table's budget; of one in blocks, of the block with the least."""
    found: dict[str, Amount] = {}
    for name in tables:
        own = [amount for charge, amount in left if charge.table == name]
        if own:
            found[name] = min(own, key=lambda amount: (amount.epsilon or amount.rho or 0, amount.delta or 0))
    return found


def foreseen_columns(
    prepared: Prepared, foreseen: Sequence[Foreseen], level: Fraction
) -> tuple[ForeseenColumn, ...]:
    return tuple(
        ForeseenColumn(
            column.name, one.margin, level, dict(one.assuming), one.variance, one.supposing, one.guarantee
        )
        for column, one in zip(prepared.values, foreseen, strict=True)
    )


def threshold_of(program: Program, level: Fraction) -> GroupThreshold | None:
    """Which private groups a program shows; None where all groups are public."""
    if not isinstance(program.event, KeyedRelease):
        return None
    shown, scan = program.event.threshold, scan_of(program.plan)
    threshold = Threshold(shown.scale, shown.tau)

    def is_shown(units: int) -> bool:
        return threshold.law(units).shown_bounds()[0] >= level

    def may_be_shown(units: int) -> bool:
        return threshold.law(units).shown_bounds()[1] > 1 - level

    beyond = shown.tau + 1 + int(64 * shown.scale)  # e^-64 of being left out
    shown_from = bisect_left(range(beyond), True, lo=1, key=is_shown)
    hidden_to = bisect_left(range(beyond), True, lo=1, key=may_be_shown) - 1
    unit = "rows" if scan.unit.is_row else f"different {scan.unit}"
    return GroupThreshold(shown.label, unit, shown.tau, shown_from, hidden_to, level, scan.units)


def free_note(left: Sequence[tuple[Charge, Amount, Amount]]) -> str:
    """Whose budget a free answer leaves as it is, and whose it does not: each with what is left before and after."""
    same = list(dict.fromkeys(charge.name for charge, before, after in left if before == after))
    names = ", ".join(same[:-1]) + (" and " if same[1:] else "") + "".join(same[-1:])
    said = [f"nothing is taken from the {'budgets' if same[1:] else 'budget'} of {names}"] if same else []
    for charge, before, after in left:
        if before != after:
            taken = Amount(*(_less(before, after, kind) for kind in ("epsilon", "rho", "delta")))
            said.append(
                f"{charge.called} is charged {cost_text(taken)}, as for every answer that was new to them"
            )
    return "; ".join(said)


def _less(before: Amount, after: Amount, kind: str) -> Fraction | None:
    had, has = getattr(before, kind), getattr(after, kind)
    return None if had is None or has is None else had - has


def suppositions(columns: Sequence[ForeseenColumn]) -> tuple[str, ...]:
    """What the margins of columns suppose; of a choice also the margins, for its row shows what is sure."""
    names: dict[str, list[str]] = {}
    for column in columns:
        if column.supposing:
            shown = f"{column.examples}, " if column.guarantee is not None else "these margins hold "
            names.setdefault(f"{shown}if {column.supposing}", []).append(column.name)
    return tuple(f"{', '.join(called)}: {said}" for said, called in names.items())


def left_of_populations(left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """What is left of the budgets of people over all their tables, by the population's name."""
    return {
        scope.name: amount
        for charge, amount in left
        if (scope := Scope.read(charge.scope)).kind is ScopeKind.POPULATION
    }
