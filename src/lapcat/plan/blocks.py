"""The blocks of a table that a question can read, from its plan alone (parallel composition).

A table in blocks is partitioned by the value of one column, and each value has a budget. A question debits the blocks that it
can read.

Theorem: let every unit have all of its rows in one block, and let each question be charged to at least the blocks on whose
         rows its answer depends. If no block's charges pass the cap, then adding or removing one unit changes the law of
         everything that was ever answered by no more than the cap allows, however questions were chosen.
Proof:   Two tables that differ in one unit differ in the rows of one block b. The answer to a question that is not charged
         to b has the same law on both, given the answers before it: it costs this pair nothing. Those that are charged to
         b are admitted only while their sum is within the cap, which bounds the pair by the filter's theorem
         (ledger/filters.py) on that subsequence; what is charged to a question, and to which blocks, follows from the
         question, so from answers, and not from rows.
Source:  parallel composition as in Dwork & Roth 2014; that questions may choose their blocks is proved here.

It needs add-remove: replacing a unit's rows may move it from one block to another, and then both sums count. And it needs
units that lie in one block: a person with rows in twelve months is in twelve blocks, and all twelve sums count. The same holds
for a unit whose rows move between blocks from one version of the data to the next: each version is checked by itself.

`reads` is correct because a condition between the table and everything else removes the other blocks' rows first. Below the
condition there are only nodes that treat each unit by its own rows: the scan, other conditions, the index's rank and weight
(LimitRows, WeightRows: by the number and order of the unit's own rows in the table) and limits per unit (LimitGroups).
All of a unit's rows are in one block, so whether a row is there, with which rank and weight, does not depend on any other
block. So what leaves the condition is a function of the rows in the blocks that it names, and whatever is built on
it (joins, unions, sub-queries, groups) is a function of that and of the plan's other sources, which are analysed separately.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from lapcat.errors import Bug
from lapcat.plan.expressions import Column, Compare, Expression, InList, Literal, Logic
from lapcat.plan.nodes import (
    Filter,
    Group,
    Join,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Union,
    WeightRows,
)
from lapcat.plan.schema import Blocks, Type, Value

Read = frozenset[Value] | None
"""The blocks that rows come from; None: any, including rows in no declared block."""


def in_declared_blocks(scan: Scan, blocks: Blocks) -> Rows:
    """The rows in a declared block: the only ones that questions read of a table in blocks.

    So a block that is declared later rightly starts with nothing spent: it was never read.
    """
    kind = Type.TEXT if isinstance(blocks.values[0], str) else Type.INTEGER
    return Filter(
        scan,
        InList(Column(blocks.column, kind), tuple(Literal(value, kind) for value in blocks.values)),
    )


def blocks_read(plans: Iterable[Group], source: str, blocks: Blocks) -> tuple[int | str, ...]:
    """The declared blocks of a source that these plans can read, in the declared order; all where none is named."""
    values: set[Value] = set()
    for plan in plans:
        read = reads(plan, source, blocks.column)
        if read is None:
            raise Bug("blocks-unread", "a table in blocks is read outside its declared blocks")
        values |= read
    return tuple(value for value in blocks.values if value in values) or blocks.values


def reads(rows: Rows | Public | Group, source: str, column: str) -> Read:
    """The column's values in those rows of the source on which these rows depend."""
    match rows:
        case Scan():
            return None if rows.source == source else frozenset()
        case Public():
            return frozenset()
        case Filter(below, predicate):
            read = reads(below, source, column)
            if not _by_unit(below):
                return read
            return _both(read, named(predicate, column))
        case LimitRows() | WeightRows() | LimitGroups() | PerUnit() | Group():
            return reads(rows.source, source, column)
        case Join(left, right):
            return _either(reads(left, source, column), reads(right, source, column))
        case Union(_, branches):
            read = frozenset()
            for branch in branches:
                read = _either(read, reads(branch.rows, source, column))
            return read
        case _:
            assert_never(rows)


def named(predicate: Expression, column: str) -> Read:
    """The values that the column has in every row for which the predicate is true, where one of its AND terms lists them.

    >>> month = Column("month", Type.TEXT)
    >>> named(Compare("=", month, Literal("2024-01", Type.TEXT)), "month")
    frozenset({'2024-01'})
    >>> named(Compare(">", month, Literal("2024-01", Type.TEXT)), "month") is None
    True
    """
    match predicate:
        case Logic("and", operands):
            read: Read = None
            for operand in operands:
                read = _both(read, named(operand, column))
            return read
        case Compare("=", Column(name, kind), Literal(value, other)) if name == column and other == kind:
            return frozenset({value})
        case Compare("=", Literal(value, other), Column(name, kind)) if name == column and other == kind:
            return frozenset({value})
        case InList(Column(name, kind), values) if name == column and all(v.type == kind for v in values):
            return frozenset(literal.value for literal in values)
        case _:
            return None


def _by_unit(rows: Rows) -> bool:
    """Whether each row is a row of one table, kept or dropped by its unit's own rows."""
    while isinstance(rows, Filter | LimitRows | WeightRows | LimitGroups):
        rows = rows.source
    return isinstance(rows, Scan)


def _both(left: Read, right: Read) -> Read:
    return right if left is None else left if right is None else left & right


def _either(left: Read, right: Read) -> Read:
    return None if left is None or right is None else left | right
