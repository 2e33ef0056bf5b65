"""Recognises SQL questions that are workloads: counts in several groupings, running counts, or counts of ranges of a column.

    GROUP BY ROLLUP (region, sex)            the counts by region and sex, by region, and of all
    SUM(COUNT(*)) OVER (ORDER BY age)        the counts up to each age
    COUNT(*) FILTER (WHERE age BETWEEN …)    … of several ranges of ages

All numbers of such a question are sums of one table of counts, so a strategy may measure other combinations of these and
answer with less error. This module derives the table, and maps each number to an answer of the workload.

Theorem: for every table of rows, each number of the question is the exact sum of the cells that its place names.
Proof:   of groupings: every row of a group that leaves a key out is in one cell of each value of that key, for the key is
         total or gets one cell for all other rows. Of ranges: the ends of all ranges cut the column's values into stretches
         on which no condition changes (`records.cells.space_of`), and the table counts rows by stretch.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt

from lapcat.core.loss import ZCDP, PureDP
from lapcat.plan.aggregates import COUNT, Aggregate, Argument, SelectionAggregate
from lapcat.plan.aggregates.running import RunningCount
from lapcat.plan.cached_statistics import is_total
from lapcat.plan.columns import AnswerColumn, ComputedColumn, KeyColumn, ValueColumn
from lapcat.plan.compile import Prepared, Query, prepare_limited
from lapcat.plan.expressions import Case, Column, Compare, Expression, IsNull, Literal, Not
from lapcat.plan.nodes import GroupKey, Kind
from lapcat.plan.records.cells import space_of
from lapcat.plan.records.reading import ORDERED_TYPES, TRUE, Formula, FormulaReader
from lapcat.plan.records.regions import EPOCH
from lapcat.plan.schema import Type, Value
from lapcat.workload.axes import axis_of
from lapcat.workload.planner import PricedStrategy, candidates
from lapcat.workload.release import range_of
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload, ColumnQueries, Term, Workload

Places = npt.NDArray[np.int64]
WorkloadColumn = tuple[Aggregate | SelectionAggregate, Argument]
"""The source of a number in the answer, whatever its column's name."""

WORTH = 0.99
"""A simpler or more reusable strategy is kept unless another lowers the error to this fraction."""
LESS: OneOf["<"] = "<"
LESS_OR_SAME: OneOf["<="] = "<="
LARGEST = 2**20
"""Maximum number of cells of the table of a SQL question."""


@dataclass(frozen=True)
class WorkloadQuery:
    """A question expressed as a workload over one table of counts."""

    cells: Prepared
    """The query for that table: one count by all columns of the workload."""
    workload: Workload
    places: Mapping[WorkloadColumn, Places]
    """For each number of the question, in each of its cells, the index of its answer in the workload."""

    @cached_property
    def questions(self) -> AxisWorkload:
        return self.workload.over([axis_of(key) for key in self.cells.plan.keys])

    @cached_property
    def numbers(self) -> int:
        """The number of numbers that the question shows."""
        return sum(len(places) for places in self.places.values())

    def tried(self, kind: NoiseKind) -> list[PricedStrategy]:
        """All strategies at a price of 1, by expected error; the order is the same at any other price.

        The identity comes first unless another strategy is better by 1 %: its numbers answer other questions too.
        """
        if kind not in self._tried:
            budget = PureDP(Fraction(1)) if kind == "laplace" else ZCDP(Fraction(1))
            unit = float(self.cells.labels[0].step)
            strategies = candidates(self.questions, budget, range_of(self.cells.plan), unit)
            limit = strategies[0].expected_rmse / WORTH
            strategies.sort(
                key=lambda candidate: (
                    candidate.name != "identity" or candidate.expected_rmse > limit,
                    candidate.expected_rmse,
                )
            )
            self._tried[kind] = strategies
        return self._tried[kind]

    @cached_property
    def _tried(self) -> dict[NoiseKind, list[PricedStrategy]]:
        return {}


def asked_for(cells: Prepared, workload: Workload) -> WorkloadQuery:
    """A workload given by the analyst, over the query for the counts by its columns: each answer is a number."""
    query = WorkloadQuery(cells, workload, {})
    (column,) = _sources(cells)
    places = {(column.aggregate, column.argument): np.arange(query.questions.rows)}
    return replace(query, places=places)


def workload_query(prepared: Prepared) -> WorkloadQuery | None:
    """The question as a workload, or None: all its numbers must be sums of one table of counts.

    A public number needs no noise, and no place in a workload."""
    if prepared.choices or prepared.plan.private_keys:
        return None
    if not all(s.kind in (Kind.ROWS, Kind.PRESENT) for s in prepared.plan.statistics):
        return None
    sources = list(_sources(prepared))
    if any(
        isinstance(source.aggregate, SelectionAggregate) or len(source.readings) != 1 for source in sources
    ):
        return None
    noisy = [s for s in sources if prepared.public_value(s.readings[0].statistic) is None]
    if not noisy:
        return None
    return _by_groups(prepared, noisy) if prepared.plan.keys else _by_ranges(prepared, noisy)


def _sources(prepared: Prepared) -> Iterator[ValueColumn]:
    for column in prepared.asked.columns:
        if isinstance(column, ComputedColumn):
            yield from column.inputs
        elif isinstance(column, ValueColumn):
            yield column


def _table(prepared: Prepared, keys: Sequence[GroupKey], argument: Argument) -> Prepared:
    """The query for the counts of the same rows by these keys."""
    columns: list[AnswerColumn] = [KeyColumn(key.name, n) for n, key in enumerate(keys)]
    columns.append(ValueColumn("n", COUNT, argument))
    asked = prepared.asked
    return prepare_limited(
        Query(prepared.plan.source, tuple(keys), tuple(columns), asked.notes, room=asked.room)
    )


# ------------------------------------------------------------------------------------------------ groups


def _by_groups(prepared: Prepared, sources: Sequence[ValueColumn]) -> WorkloadQuery | None:
    """Counts in several grouping sets, or running counts in one."""
    plan = prepared.plan
    running = any(isinstance(source.aggregate, RunningCount) for source in sources)
    if len(plan.statistics) != 1 or (len(plan.grouping_sets) == 1 and not running):
        return None
    if not all(s.aggregate == COUNT or isinstance(s.aggregate, RunningCount) for s in sources):
        return None
    if running and any(key.other for key in plan.keys):
        return None
    mentioned = list(dict.fromkeys(position for grouping in plan.grouping_sets for position in grouping))
    if not mentioned:
        return None
    keys = [plan.keys[position] for position in mentioned]
    names = _unlike([key.name for key in keys])
    for axis, position in enumerate(mentioned):
        left_out = any(position not in grouping for grouping in plan.grouping_sets)
        other = keys[axis].other or (left_out and not is_total(keys[axis]))
        keys[axis] = replace(keys[axis], name=names[axis], other=other)
    if math.prod(key.size for key in keys) > LARGEST:
        return None
    terms = _Terms(keys)
    places: dict[WorkloadColumn, Places] = {}
    for source in sources:
        indices = []
        for grouping in plan.grouping_sets:
            axes = [mentioned.index(position) for position in grouping]
            shown = [plan.keys[position].size for position in grouping]
            coordinates = dict(zip(axes, _coordinates(shown), strict=True))
            wanted = dict.fromkeys(axes, "each")
            if isinstance(source.aggregate, RunningCount):
                window = source.aggregate.window
                if window.order is not None:
                    return None
                wanted = {axes[part]: "each" for part in window.parts}
                if window.along is not None:
                    wanted[axes[window.along]] = "prefixes"
            indices.append(terms.places(wanted, coordinates, math.prod(shown)))
        places[source.aggregate, source.argument] = np.concatenate(indices)
    if terms.workload.columns != tuple(names):
        return None  # a key that no answer depends on would have to be read all the same
    table = _table(prepared, keys, replace(sources[0].argument, counted=False))
    return WorkloadQuery(table, terms.workload, places)


class _Terms:
    """The distinct terms of a workload, and the index of each term's first answer."""

    def __init__(self, keys: Sequence[GroupKey]) -> None:
        self.keys = keys
        self.starts: dict[tuple[tuple[int, str], ...], int] = {}
        self.rows = 0

    def places(self, wanted: Mapping[int, str], coordinates: Mapping[int, Places], cells: int) -> Places:
        """For each cell the index of its answer, in row-major order of the axes."""
        term = tuple(sorted(wanted.items()))
        sizes = [
            self.keys[axis].size - (self.keys[axis].other if kind == "prefixes" else 0) for axis, kind in term
        ]
        if term not in self.starts:
            self.starts[term] = self.rows
            self.rows += math.prod(sizes)
        place = np.zeros(cells, np.int64)
        for (axis, _), size in zip(term, sizes, strict=True):
            place = place * size + coordinates[axis]
        return self.starts[term] + place

    @property
    def workload(self) -> Workload:
        """The workload; axes are numbered as grouping sets mention them, so its columns are in the order of the keys."""
        terms = [
            Term(tuple((self.keys[axis].name, ColumnQueries(kind)) for axis, kind in term))
            for term in self.starts
        ]
        return Workload(tuple(terms))


def _coordinates(sizes: Sequence[int]) -> list[Places]:
    """For each cell of a product, in row-major order, its position on each axis."""
    if not sizes:
        return []
    return [axis.reshape(-1).astype(np.int64) for axis in np.indices(tuple(sizes))]


def _unlike(names: Sequence[str]) -> list[str]:
    """Unique names: repeated ones get a number."""
    unique: list[str] = []
    for name in names:
        number, unlike = 1, name
        while unlike in unique:
            number += 1
            unlike = f"{name} {number}"
        unique.append(unlike)
    return unique


# ------------------------------------------------------------------------------------------------ ranges


def _by_ranges(prepared: Prepared, sources: Sequence[ValueColumn]) -> WorkloadQuery | None:
    """Counts of several conditions on one ordered column."""
    statistics = list(dict.fromkeys(source.readings[0].statistic for source in sources))
    if len(statistics) < 2 or any(s.kind is not Kind.ROWS for s in statistics):
        return None
    if not all(source.aggregate == COUNT for source in sources):
        return None
    reader = FormulaReader()
    formulas: list[Formula] = [True if s.filter is None else reader.holds(s.filter, TRUE) for s in statistics]
    if len(reader.bases) != 1 or not isinstance(column := reader.bases[0], Column):
        return None
    if column.type not in ORDERED_TYPES:
        return None
    space = space_of(reader, formulas)
    spans, null = space.cells[0], 1 << len(space.cells[0])
    members = [space.solutions(formula, (0,), 0) for formula in formulas]
    signatures = [tuple(bits >> cell & 1 for bits in members) for cell in range(len(spans))]
    runs = [0, *(n for n in range(1, len(spans)) if signatures[n] != signatures[n - 1])]
    with_null = any(bits & null for bits in members)
    kept = [run for run in runs if with_null or any(signatures[run])]
    tests = [_up_to(column, spans[after - 1][1]) for after in runs[1:]]
    if len(kept) < 2 or None in tests:
        return None
    whens: list[tuple[Expression, Expression]] = []
    for run, test in zip(runs, [*tests, Not(IsNull(column))], strict=True):
        place = Literal(kept.index(run) if run in kept else -1, Type.INTEGER)
        assert test is not None
        whens.append((test, place))
    key = GroupKey(column.name, Case(tuple(whens), None, Type.INTEGER), range(len(kept)), with_null)
    rows = [
        [*(signatures[run][n] for run in kept), *([int(bits & null > 0)] if with_null else [])]
        for n, bits in enumerate(members)
    ]
    if not all(any(row) for row in rows):
        return None
    order = {statistic: n for n, statistic in enumerate(statistics)}
    places = {
        (source.aggregate, source.argument): np.array([order[source.readings[0].statistic]])
        for source in sources
    }
    argument = replace(sources[0].argument, filter=None, condition="", counted=False)
    return WorkloadQuery(_table(prepared, [key], argument), _ranges(key, rows, with_null), places)


def _ranges(key: GroupKey, rows: Sequence[Sequence[int]], with_null: bool) -> Workload:
    """A workload of 0/1 questions: ranges if all are, else explicit rows."""
    given: list[tuple[Value, Value]] = []
    for row in rows:
        inside = [n for n, bit in enumerate(row) if bit]
        if inside[-1] - inside[0] + 1 != len(inside) or (with_null and row[-1]):
            return Workload.queries(key.name, rows)
        given.append((inside[0], inside[-1]))
    return Workload.ranges(key.name, given)


def _up_to(column: Column, number: int) -> Compare | None:
    """The test that a value's number is at most this: `<=` its value or `<` the next one, whichever is shorter."""
    last, after = _literal(number, column.type), _literal(number + 1, column.type)
    tests = [
        Compare(op, column, literal)
        for op, literal in ((LESS_OR_SAME, last), (LESS, after))
        if literal is not None
    ]
    return min(tests, key=lambda test: len(repr(test.right)), default=None)


def _literal(number: int, kind: Type) -> Literal | None:
    """The value of this number (`records.regions`), or None if it has no literal."""
    try:
        match kind:
            case Type.INTEGER:
                return Literal(number, kind)
            case Type.FLOAT:
                size: float = struct.unpack("<d", struct.pack("<q", abs(number)))[0]
                value = math.copysign(size, number)
                return Literal(value, kind) if math.isfinite(value) else None
            case Type.DATE:
                return Literal(EPOCH.date() + datetime.timedelta(days=number), kind)
            case Type.TIMESTAMP:
                return Literal(EPOCH + datetime.timedelta(microseconds=number), kind)
    except OverflowError:
        return None
    return None
