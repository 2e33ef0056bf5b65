"""What a preview says of errors and of what is left."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.ledger.base import Charge
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.compile import Prepared
from lapcat.session.results import Amount, ForeseenColumn


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
        ForeseenColumn(column.name, one.margin, level, dict(one.assuming), one.variance)
        for column, one in zip(prepared.values, foreseen, strict=True)
    )


def left_of_populations(left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """What is left of the budgets of people over all their tables, by the population's name."""
    return {
        charge.scope.removeprefix("population:"): amount
        for charge, amount in left
        if charge.scope.startswith("population:")
    }
