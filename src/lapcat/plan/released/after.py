"""Post-processing of a released table, at no cost: HAVING, QUALIFY, DISTINCT, ORDER BY, OFFSET and LIMIT.

Theorem: a function of an answer costs nothing beyond the answer.
Source:  Dwork & Roth 2014, Proposition 2.1 (post-processing).
"""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.plan.expressions import Expression
from lapcat.plan.windows import Order


@dataclass(frozen=True, slots=True)
class After:
    """Operations on the rows of the answer, in this order: HAVING, QUALIFY, DISTINCT, ORDER BY, OFFSET, LIMIT.

    Expressions read the answer's columns by name, hidden ones included, and the ends of their intervals as `x_low` and
    `x_high`. Window functions see the rows that HAVING leaves. Ties stay in the order of the cells.
    """

    having: Expression | None = None
    distinct: bool = False
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    qualify: Expression | None = None


AS_IT_IS = After()
"""Every cell a row, in the order of the cells."""
