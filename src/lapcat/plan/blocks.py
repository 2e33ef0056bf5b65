"""Which blocks of a table a question can read: by its plan alone, never by rows.

A table in blocks is split by the value of one column, and each value has a budget of its own. A question debits the blocks
that it can read.

Theorem: let every unit have all of its rows in one block, and let each question be charged to at least the blocks on whose
         rows its answer depends. If no block's charges pass the cap, then adding or removing one unit changes the law of
         everything that was ever answered by no more than the cap allows, however questions were chosen.
Proof:   Two tables that differ in one unit differ in the rows of one block b. The answer to a question that is not charged
         to b has the same law on both, given the answers before it: it costs this pair nothing. Those that are charged to
         b are admitted only while their sum is within the cap, which bounds the pair by the filter's theorem
         (ledger/filters.py) on that subsequence; what is charged to a question, and to which blocks, follows from the
         question, so from answers, and not from rows.
Source:  parallel composition as in Dwork & Roth 2014; that questions may choose their blocks is proved here.

It needs add-remove: to replace a unit's rows may move it from one block to another, and then both sums count. And it needs
units that lie in one block: somebody with rows in twelve months is in twelve blocks, and all twelve sums count. So does a unit
whose rows move from one block to another between two versions of the data: each version is checked by itself.

`reads` is right because a condition that stands between the table and everything else takes the other blocks' rows away
first. Below the condition there are only nodes that treat each unit by its own rows: the scan, other conditions, the index's
rank and weight (Bound, Weigh: by the number and order of the unit's own rows in the table) and limits for each unit
(BoundGroups). All of a unit's rows are in one block, so whether a row is there, with which rank and weight, does not depend on
any other block. So what leaves the condition is a function of the rows in the blocks that it names, and whatever is built on
it (joins, unions, sub-queries, groups) is a function of that and of the plan's other sources, which are asked by themselves.
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
"""The blocks that rows come from; None: any, also rows that are in no declared block."""


def in_declared_blocks(scan: Scan, blocks: Blocks) -> Rows:
    """The rows that lie in a declared block: all that questions see of a table in blocks.

    So a block that is declared later begins with nothing spent rightly, for nobody has read it.
    """
    kind = Type.TEXT if isinstance(blocks.values[0], str) else Type.INTEGER
    return Filter(
        scan,
        InList(Column(blocks.column, kind), tuple(Literal(value, kind) for value in blocks.values)),
    )


def blocks_read(plans: Iterable[Group], source: str, blocks: Blocks) -> tuple[int | str, ...]:
    """The declared blocks of a source that these plans can read, in the declared order; all where none is named."""
    found: set[Value] = set()
    for plan in plans:
        read = reads(plan, source, blocks.column)
        if read is None:
            raise Bug("blocks-unread", "a table in blocks is read outside of its declared blocks")
        found |= read
    return tuple(value for value in blocks.values if value in found) or blocks.values


def reads(rows: Rows | Public | Group, source: str, column: str) -> Read:
    """The values of the column that rows of the source can have where these rows depend on them."""
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
    """Whether there is one table below, and each row is a row of it, kept or not by its unit's own rows."""
    while isinstance(rows, Filter | LimitRows | WeightRows | LimitGroups):
        rows = rows.source
    return isinstance(rows, Scan)


def _both(one: Read, other: Read) -> Read:
    return other if one is None else one if other is None else one & other


def _either(one: Read, other: Read) -> Read:
    return None if one is None or other is None else one | other
