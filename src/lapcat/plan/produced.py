"""Upper bounds on the rows that one unit produces at each node of a plan: public numbers, whatever is in the tables.

Let n be the largest number of rows that the unit has in any one table of the plan, and |N| the number of its rows at node N.
Each node has two numbers:

    |N| <= rows          in total; None where only the unit's own rows bound it
    |N| <= copies · n    per row of the unit; above a many-to-many join, where `rows` is known, copies = rows

    Scan, WeightRows     copies 1: one row per input row. rows 1 where a row is a unit, or the unit's column is unique
    LimitRows(r)         copies 1, rows r: ranks are 1, 2, 3 …
    Filter               as its input: it drops rows
    LimitGroups(g, r)    at most g · r rows
    PerUnit              without keys one row; with keys as its input, since every output row has an input row
    Union                the sums
    Join, unique column  as the left side: a left row joins at most one row, and a left join keeps it once
    Join, unit           one side has one row: as the other side. Else the product of both sides' `rows`; a left join keeps a
                         row without a partner once, and no factor is below 1. A side without `rows`: unbounded

Theorem: both inequalities hold at every node, for every table that the catalogue allows.
Proof:   by induction over the plan, with the rule of each node. Where the unit has no row at all, n = 0 and |N| = 0: no node
         makes rows of nothing. Otherwise n >= 1, so a total bound r is a bound r · n as well, and sums of both kinds are
         bounds per row of the unit.

The same numbers bound an engine's intermediate results. A condition that is tested earlier than in the plan drops rows
earlier; a partial aggregate has at most as many rows as its input. Joins must run in the order of the plan: another order
could join two sides that the plan joins through a third, by a column that is unique in neither. So DuckDB runs without its
`join_order` optimiser, PostgreSQL with `join_collapse_limit` and `from_collapse_limit` 1, and Spark with
`spark.sql.cbo.joinReorder.enabled` off. Which side of a join is hashed changes no number here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Produced:
    """Upper bounds on the rows of one unit at a node."""

    copies: int
    """Per row of the unit in its tables."""
    rows: int | None
    """In total."""
    paired: bool = False
    """Whether there is a many-to-many join below."""

    def within(self, max_rows: int) -> Produced:
        """The bounds after a limit."""
        rows = max_rows if self.rows is None else min(self.rows, max_rows)
        return replace(self, rows=rows, copies=min(self.copies, max_rows))


OF_ONE_UNIT = Produced(1, 1)
OWN_ROWS = Produced(1, None)


def limited(below: Produced | None, max_rows: int) -> Produced:
    """The bounds of a node that keeps at most `max_rows` rows."""
    return Produced(max_rows, max_rows, paired=True) if below is None else below.within(max_rows)


def joined(left: Produced | None, right: Produced | None) -> Produced | None:
    """The bounds of a join of rows of the same unit, each with each."""
    if left is None or right is None:
        return None
    if right.rows == 1:
        return left
    if left.rows == 1:
        return right
    if left.rows is None or right.rows is None:
        return None
    max_rows = left.rows * right.rows
    return Produced(max_rows, max_rows, paired=True)


def added(parts: Sequence[Produced | None]) -> Produced | None:
    """The bounds of a union."""
    copies, rows, paired = 0, 0, False
    in_all = True
    for part in parts:
        if part is None:
            return None
        copies, paired = copies + part.copies, paired or part.paired
        in_all = in_all and part.rows is not None
        rows += part.rows or 0
    return Produced(copies, rows if in_all else None, paired)
