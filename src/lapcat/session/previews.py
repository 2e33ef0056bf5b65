"""The errors and the budgets left in a preview."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from lapcat.ledger.base import Charge
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import scan_of
from lapcat.session.results import Amount, ForeseenColumn, GroupThreshold, cost_text
from lapcat.stored.scopes import Scope, ScopeKind


def least_left(tables: Sequence[str], left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """The amount left of each table's budget; for one in blocks, of the block with the least."""
    amounts: dict[str, Amount] = {}
    for name in tables:
        own = [amount for charge, amount in left if charge.table == name]
        if own:
            amounts[name] = min(
                own, key=lambda amount: (amount.epsilon or amount.rho or 0, amount.delta or 0)
            )
    return amounts


def foreseen_columns(
    prepared: Prepared, foreseen: Sequence[Foreseen], level: Fraction
) -> tuple[ForeseenColumn, ...]:
    """The foreseen error of each shown number, in the order of the columns; that of a derived one depends on the answer."""
    errors = {column.name: error for column, error in zip(prepared.values, foreseen, strict=True)}
    errors |= {column.name: Foreseen(None, None) for column in prepared.derived}
    return tuple(
        ForeseenColumn(
            column.name,
            error.margin,
            level,
            dict(error.assuming),
            error.variance,
            error.supposing,
            error.guarantee,
        )
        for column in prepared.asked.columns
        if column.shown and (error := errors.get(column.name)) is not None
    )


def threshold_of(program: Program, level: Fraction) -> GroupThreshold | None:
    """The threshold of private groups; None if all groups are public."""
    if program.threshold is None:
        return None
    threshold, scan = program.threshold, scan_of(program.plan)
    label = ", ".join(key.name for key in program.plan.private_keys)

    def is_shown(units: int) -> bool:
        return threshold.law(units).shown_bounds()[0] >= level

    def may_be_shown(units: int) -> bool:
        return threshold.law(units).shown_bounds()[1] > 1 - level

    beyond = (
        threshold.tau + 1 + int(64 * threshold.scale)
    )  # a group of this size is left out with probability at most e^-64
    shown_from = bisect_left(range(beyond), True, lo=1, key=is_shown)
    hidden_to = bisect_left(range(beyond), True, lo=1, key=may_be_shown) - 1
    unit = "rows" if scan.unit.is_row else f"different {scan.unit}"
    return GroupThreshold(label, unit, threshold.tau, shown_from, hidden_to, level, scan.units)


def free_note(left: Sequence[tuple[Charge, Amount, Amount]]) -> str:
    """A note on the budgets that a free answer leaves unchanged, and those it charges. `left`: the amounts before and after."""
    same = list(dict.fromkeys(charge.name for charge, before, after in left if before == after))
    names = ", ".join(same[:-1]) + (" and " if same[1:] else "") + "".join(same[-1:])
    parts = [f"nothing is taken from the {'budgets' if same[1:] else 'budget'} of {names}"] if same else []
    for charge, before, after in left:
        if before != after:
            taken = Amount(*(_less(before, after, kind) for kind in ("epsilon", "rho", "delta")))
            parts.append(
                f"{charge.called} is charged {cost_text(taken)}, as for every answer that is new to them"
            )
    return "; ".join(parts)


def _less(before: Amount, after: Amount, kind: str) -> Fraction | None:
    had, has = getattr(before, kind), getattr(after, kind)
    return None if had is None or has is None else had - has


def suppositions(columns: Sequence[ForeseenColumn]) -> tuple[str, ...]:
    """The assumptions behind the margins of columns; for a selection also the margins, since its row shows the guarantee."""
    names: dict[str, list[str]] = {}
    for column in columns:
        if column.supposing:
            shown = f"{column.examples}, " if column.guarantee is not None else "these margins hold "
            names.setdefault(f"{shown}if {column.supposing}", []).append(column.name)
    return tuple(f"{', '.join(called)}: {assumption}" for assumption, called in names.items())


def left_of_populations(left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """The amounts left of the populations' budgets, by name."""
    return {
        scope.name: amount
        for charge, amount in left
        if (scope := Scope.read(charge.scope)).kind is ScopeKind.POPULATION
    }
