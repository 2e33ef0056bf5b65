"""Upper bounds on the rows that one unit becomes at each node of a plan: public numbers, whatever is in the tables.

Let n be the most rows that the unit has in any one table of the plan, and |N| the number of its rows at node N. Each node
carries two numbers:

    |N| <= rows          in all; None where only the unit's own rows limit it
    |N| <= copies · n    for each of its own rows; above a pairing, where `rows` is known, copies = rows

    Scan, Weigh          copies 1: one row for each own row. rows 1 where a row is a unit, or the unit's column is unique
    Bound(r)             copies 1, rows r: ranks are 1, 2, 3 …
    Filter               as below: it drops rows
    BoundGroups(g, r)    at most g · r rows
    PerUnit              without keys one row; with keys no more than below, for every row it makes has one below
    Union                the sums
    Join, unique column  as the left side: a left row meets one row at most, and a left join keeps it once
    Join, unit           one side has one row: as the other side. Else the product of both sides' `rows`; a left join keeps a
                         row without a partner once, and no factor is below 1. A side without `rows`: no number at all

Theorem: both inequalities hold at every node, for every table that the catalogue allows.
Proof:   by induction over the plan, with the rule of each node. Where the unit has no row at all, n = 0 and |N| = 0: no node
         makes rows of nothing. Otherwise n >= 1, so a bound r in all is a bound r · n as well, and sums of both kinds are
         bounds for each own row.

The same numbers bound what an engine holds on the way. A condition that is tested earlier than the plan says drops rows
earlier; a partial aggregate has no more rows than what it is made of. Joins must run in the order of the plan: another order
could join two sides that the plan joins through a third, by a column that is unique in neither. So DuckDB runs without its
`join_order` optimiser, PostgreSQL with `join_collapse_limit` and `from_collapse_limit` 1, and Spark with
`spark.sql.cbo.joinReorder.enabled` off. Which side of a join is hashed changes no number here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Produced:
    """The most rows of one unit at a node."""

    copies: int
    """For each row of the unit in its tables."""
    rows: int | None
    """In all."""
    paired: bool = False
    """Whether several rows of the unit met several others below."""

    def within(self, most: int) -> Produced:
        """Of these rows at most so many."""
        rows = most if self.rows is None else min(self.rows, most)
        return replace(self, rows=rows, copies=min(self.copies, most))


OF_ONE_UNIT = Produced(1, 1)
OWN_ROWS = Produced(1, None)


def limited(below: Produced | None, most: int) -> Produced:
    """At most so many rows of whatever is below."""
    return Produced(most, most, paired=True) if below is None else below.within(most)


def joined(left: Produced | None, right: Produced | None) -> Produced | None:
    """Rows of one unit, each with each."""
    if left is None or right is None:
        return None
    if right.rows == 1:
        return left
    if left.rows == 1:
        return right
    if left.rows is None or right.rows is None:
        return None
    most = left.rows * right.rows
    return Produced(most, most, paired=True)


def added(parts: Sequence[Produced | None]) -> Produced | None:
    """All rows of several parts."""
    copies, rows, paired = 0, 0, False
    in_all = True
    for part in parts:
        if part is None:
            return None
        copies, paired = copies + part.copies, paired or part.paired
        in_all = in_all and part.rows is not None
        rows += part.rows or 0
    return Produced(copies, rows if in_all else None, paired)
