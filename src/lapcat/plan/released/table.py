"""A released table: the noisy numbers as rows and columns, each column computed on first access."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.aggregates import Estimates
from lapcat.plan.columns import AnswerColumn, Derivation, DerivedColumn, KeyColumn, Lookup, RealFunction
from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.nodes import Group, GroupKey
from lapcat.plan.released.after import AS_IT_IS, After
from lapcat.plan.released.derived import Standing, Standings
from lapcat.plan.released.enclosures import Enclosure, enclose, exactly
from lapcat.plan.released.ends import enclosure_of, estimates_within
from lapcat.plan.released.real_functions import real_enclosure, real_value
from lapcat.plan.released.vectors import Vector, converted, evaluate, looked_up
from lapcat.plan.released.windowed import Partitions, sort_ranks, window_enclosure, window_value
from lapcat.plan.schema import Type, Value
from lapcat.plan.windows import Order, WindowFunction

Places = npt.NDArray[np.intp]
Part = list[Any] | npt.NDArray[Any]
"""A column: a list of keys, or an array of numbers (masked where some are NULL)."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a released table. role: key, value, low or high; or choice, a value that has no interval."""

    name: str
    type: str
    role: str
    is_derived: bool = False
    """Whether it is derived from other columns. A NULL in it is no total over a key."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTable(Mapping[str, Part]):
    """The shown columns by name; each is computed on first access.

    A NULL key marks a total over all values of that key. A NULL number could not be computed, such as a ratio to zero;
    a NULL end of an interval means that the noise leaves that side open.
    """

    fields: tuple[Field, ...]
    rows: int
    _make: Mapping[str, Callable[[], Part]]
    _made: dict[str, Part] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Part:
        if name not in self._made:
            self._made[name] = self._make[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return (column.name for column in self.fields)

    def __len__(self) -> int:
        """The number of columns, as of every mapping; `rows` is the number of rows."""
        return len(self.fields)


def tabulate(
    plan: Group,
    columns: Sequence[AnswerColumn],
    estimates: Mapping[str, Estimates],
    private: tuple[tuple[Value, ...], ...] | None = None,
    after: After = AS_IT_IS,
) -> ReleasedTable:
    """The released table of a plan's cells.

    `estimates` has one number per cell for each column that is not a key. `private` lists the combinations of private key
    values that are shown; None where no key is private.
    """
    return _Tabulated(plan, tuple(columns), estimates, private, after).released()


class _Tabulated:
    def __init__(
        self,
        plan: Group,
        columns: tuple[AnswerColumn, ...],
        estimates: Mapping[str, Estimates],
        private: tuple[tuple[Value, ...], ...] | None,
        after: After,
    ) -> None:
        self.columns, self.estimates, self.after = columns, dict(estimates), after
        self.layout = CellLayout(plan, private)
        self.named = {column.name: column for column in columns}
        self.standings = Standings(columns, after, plan)
        self.derived: dict[str, Vector] = {}
        self.left = self.after_having()

    def released(self) -> ReleasedTable:
        kept = None if self.after == AS_IT_IS else self.kept()
        fields: list[Field] = []
        make: dict[str, Callable[[], Part]] = {}
        for column in self.columns:
            if not column.shown:
                continue
            if isinstance(column, KeyColumn):
                key = self.layout.plan.keys[column.key]
                fields.append(Field(column.name, str(key.type), "key"))
                make[column.name] = lambda index=column.key: self.layout.listed(index, kept)  # type: ignore[misc]
                continue
            if isinstance(column, DerivedColumn) and not self.standings.has_interval(column):
                public = self.standings.of(column.name) is Standing.PUBLIC
                fields.append(Field(column.name, str(column.type), "key" if public else "choice", True))
                make[column.name] = lambda name=column.name: self.listed(name, kept)  # type: ignore[misc]
                continue
            with_ends = (("", "value"), ("_low", "low"), ("_high", "high"))
            for suffix, role in with_ends if self.standings.has_interval(column) else (("", "choice"),):
                name = column.name + suffix
                fields.append(Field(name, str(column.type), role))
                make[name] = lambda name=name: self.picked(name, kept)  # type: ignore[misc]
        return ReleasedTable(tuple(fields), self.layout.rows if kept is None else len(kept), make)

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """One number per cell: a column's values, or the ends of their intervals."""
        if name in self.named:
            return self.estimates_of(name).value
        owner, _, end = name.rpartition("_")
        ends = self.estimates_of(owner)
        return ends.low if end == "low" else ends.high

    def estimates_of(self, name: str) -> Estimates:
        """The values of a column and the ends of their intervals."""
        column = self.named[name]
        if isinstance(column, DerivedColumn) and name not in self.estimates:
            ends = self.enclosure(name)
            self.estimates[name] = estimates_within(self.vector(name), ends, column.type, self.layout.rows)
        return self.estimates[name]

    def picked(self, name: str, kept: Places | None) -> Part:
        part = self.numbers(name)
        return part if kept is None else part[kept]

    def listed(self, name: str, kept: Places | None) -> list[Any]:
        """The values of a derived column without intervals; None for NULL."""
        vector = self.vector(name)
        data, null = (vector.data, vector.null) if kept is None else (vector.data[kept], vector.null[kept])
        return list(np.ma.masked_array(data, null).tolist())

    def vector(self, name: str) -> Vector:
        column = self.named.get(name)
        if isinstance(column, KeyColumn):
            return self.layout.vector(column.key)
        if not isinstance(column, DerivedColumn):
            return Vector.of(self.numbers(name))
        if name not in self.derived:
            self.derived[name] = self.derive(column.value)
        return self.derived[name]

    def derive(self, value: Derivation) -> Vector:
        """A derived column in every cell; a window function is NULL in cells that HAVING drops."""
        if isinstance(value, Lookup):
            return looked_up(self.value(value.key), dict(value.values), value.type)
        if isinstance(value, RealFunction):
            return real_value(
                value, [converted(self.value(part), part.type, Type.FLOAT) for part in value.operands]
            )
        if not isinstance(value, WindowFunction):
            return self.value(value)
        operand = None if value.operand is None else _cut(self.value(value.operand), self.left)
        default = None
        if value.default is not None:
            default = _cut(converted(self.value(value.default), value.default.type, value.type), self.left)
        return self.scattered(window_value(value, self.partitions(value), operand, default))

    def partitions(self, window: WindowFunction) -> Partitions:
        """The rows that HAVING leaves, sorted for a window function."""
        parts = [sort_ranks(_cut(self.value(part), self.left), Order(part)) for part in window.parts]
        order = [sort_ranks(_cut(self.value(key.expression), self.left), key) for key in window.order]
        return Partitions(len(self.left), parts, order)

    def scattered(self, vector: Vector) -> Vector:
        """Values of the rows that HAVING leaves as values of all cells."""
        data = np.zeros(self.layout.rows, dtype=vector.data.dtype)
        null = np.ones(self.layout.rows, dtype=np.bool_)
        data[self.left], null[self.left] = vector.data, vector.null
        return Vector(data, null)

    def enclosure(self, name: str) -> Enclosure:
        """The enclosure of a column that has one."""
        column = self.named[name]
        if self.standings.of(name) is Standing.PUBLIC:
            return exactly(self.vector(name))
        if not isinstance(column, DerivedColumn):
            return enclosure_of(self.estimates[name])
        value = column.value
        assert not isinstance(value, Lookup), "what is looked up is public"
        if isinstance(value, RealFunction):
            return real_enclosure(value, [self.enclosed(part) for part in value.operands])
        if not isinstance(value, WindowFunction):
            return self.enclosed(value)
        assert value.operand is not None
        default = None if value.default is None else self.enclosed(value.default)
        return window_enclosure(value, self.partitions(value), self.enclosed(value.operand), default)

    def enclosed(self, expression: Expression) -> Enclosure:
        public = self.standings.public(expression)
        names = {column.name for column in columns_of(expression)}
        return enclose(
            expression,
            {name: self.enclosure(name) for name in names - public},
            {name: self.vector(name) for name in public},
        )

    def value(self, expression: Expression) -> Vector:
        """The expression in every cell."""
        vectors = {name: self.vector(name) for name in {column.name for column in columns_of(expression)}}
        vector = evaluate(expression, vectors)
        return Vector(*(np.broadcast_to(part, self.layout.rows) for part in (vector.data, vector.null)))

    def after_having(self) -> Places:
        """The cells that HAVING leaves."""
        return self.passing(self.after.having, np.arange(self.layout.rows))

    def passing(self, condition: Expression | None, kept: Places) -> Places:
        if condition is None:
            return kept
        test = self.value(condition)
        return kept[(test.data.astype(np.bool_) & ~test.null)[kept]]

    def kept(self) -> Places:
        """Which cells become rows, and in which order."""
        after, kept = self.after, self.passing(self.after.qualify, self.left)
        if after.distinct:
            kept = kept[
                _firsts([_ranks(self.vector(c.name), kept) for c in self.columns if c.shown], len(kept))
            ]
        for order in reversed(
            after.order
        ):  # each sort is stable, so the last one decides and the others break ties
            kept = kept[_sorted(self.value(order.expression), kept, order)]
        end = None if after.limit is None else after.offset + after.limit
        return kept[after.offset : end]


def _cut(vector: Vector, places: Places) -> Vector:
    return Vector(vector.data[places], vector.null[places])


def _sorted(vector: Vector, kept: Places, order: Order) -> Places:
    """The positions in `kept` in the order of the values there; equal ones stay as they were."""
    data, null = vector.data[kept], vector.null[kept]
    absent, present = np.flatnonzero(null), np.flatnonzero(~null)
    values = data[present]
    if values.dtype.kind == "O":  # texts and dates cannot be negated, their ranks can
        values = np.unique(values, return_inverse=True)[1]
    if order.descending:
        values = -values if values.dtype.kind == "f" else ~values
    present = present[np.argsort(values, kind="stable")]
    return np.concatenate([absent, present] if order.nulls_first else [present, absent])


def _ranks(vector: Vector, kept: Places) -> Places:
    """Small whole numbers in the order of the values, equal for equal ones; 0 for NULL."""
    data, present = vector.data[kept], ~vector.null[kept]
    ranks = np.zeros(len(kept), dtype=np.intp)
    ranks[present] = np.unique(data[present], return_inverse=True)[1] + 1
    return ranks


def _firsts(ranks: Sequence[Places], count: int) -> Places:
    """The positions of the first of each distinct row."""
    kinds = np.zeros(count, dtype=np.intp)
    for rank in ranks:
        kinds = np.unique(kinds * (count + 1) + rank, return_inverse=True)[1]
    return np.sort(np.unique(kinds, return_index=True)[1])


class CellLayout:
    """The key values of each cell, by arithmetic on the cell's number alone."""

    def __init__(self, plan: Group, private: tuple[tuple[Value, ...], ...] | None) -> None:
        if (private is None) == bool(plan.private_keys):
            raise ValueError("combinations of private keys are given if and only if there are private keys")
        self.plan, self.private = plan, private
        self.rows = plan.cells * (1 if private is None else len(private))

    def listed(self, index: int, kept: Places | None) -> list[Any]:
        """A key's value in each row, None for a total over all of its values."""
        if kept is not None:
            vector = self.vector(index)
            return list(np.ma.masked_array(vector.data[kept], vector.null[kept]).tolist())
        values = self.values(index)
        column: list[Any] = []
        for cells, faster in self.runs(index):
            if faster is None:
                column += [None] * cells
            elif values and cells:
                run = (
                    values
                    if faster == 1
                    else list(itertools.chain.from_iterable([v] * faster for v in values))
                )
                column += run * (cells // len(run))
        return column

    def vector(self, index: int) -> Vector:
        key, codes = self.plan.keys[index], self.codes(index)
        null = codes < 0
        if isinstance(key.values, range):
            return Vector(codes + key.values.start, null)
        kind: Any = {Type.INTEGER: np.int64, Type.FLOAT: np.float64, Type.BOOLEAN: np.bool_}.get(
            key.type, object
        )
        values = self.values(index)
        objects = np.zeros(len(values) + 1, dtype=kind)
        objects[:-1] = values
        return Vector(objects[codes], null)

    def codes(self, index: int) -> Places:
        """The position of the key's value in each row; −1 (the last position) for none."""
        size = self.plan.keys[index].size if self.private is None else len(self.values(index))
        codes = []
        for cells, faster in self.runs(index):
            place = np.arange(cells)
            codes.append(np.full(cells, -1) if faster is None else place // faster % max(size, 1))
        return np.concatenate(codes)

    def values(self, index: int) -> list[Any]:
        """A key's values; those of a private key per combination, with repetitions."""
        key = self.plan.keys[index]
        if key.values is None:
            assert self.private is not None
            position = self.plan.private_keys.index(key)
            return [combination[position] for combination in self.private]
        return [*key.values, "other"] if key.other else list(key.values)

    def runs(self, index: int) -> Iterator[tuple[int, int | None]]:
        """For each grouping set its number of rows, and the length of runs with the same value of the key."""
        for grouping in self.plan.grouping_sets:
            cells = self.plan.cells_of(grouping)
            rows = cells if self.private is None else self.rows
            if index not in grouping:
                yield rows, None
                continue
            faster: Sequence[GroupKey] = [self.plan.keys[k] for k in grouping[grouping.index(index) + 1 :]]
            if self.plan.keys[index].is_private:
                yield rows, cells
                continue
            size = 1
            for key in faster:
                size *= 1 if key.is_private else key.size
            yield rows, size
