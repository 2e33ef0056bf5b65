"""A released table: the noisy numbers as rows and columns, each column computed on first access."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.plan.aggregates import Estimates
from lapcat.plan.columns import AnswerColumn, KeyColumn
from lapcat.plan.expressions import Expression, columns_of
from lapcat.plan.nodes import Group, GroupKey
from lapcat.plan.released.after import AS_IT_IS, After, Order
from lapcat.plan.released.vectors import Vector, evaluate
from lapcat.plan.schema import Type, Value

Places = npt.NDArray[np.intp]
Part = list[Any] | npt.NDArray[Any]
"""A column: a list of keys, or an array of numbers (masked where some are NULL)."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a released table. role: key, value, low or high; or choice, a value that has no interval."""

    name: str
    type: str
    role: str


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
    return _Tabulated(plan, tuple(columns), estimates, private).released(after)


class _Tabulated:
    def __init__(
        self,
        plan: Group,
        columns: tuple[AnswerColumn, ...],
        estimates: Mapping[str, Estimates],
        private: tuple[tuple[Value, ...], ...] | None,
    ) -> None:
        self.columns, self.estimates = columns, estimates
        self.layout = CellLayout(plan, private)
        self.named = {column.name: column for column in columns}

    def released(self, after: After) -> ReleasedTable:
        kept = None if after == AS_IT_IS else self.kept(after)
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
            with_ends = (("", "value"), ("_low", "low"), ("_high", "high"))
            for suffix, role in with_ends if column.has_interval else (("", "choice"),):
                name = column.name + suffix
                fields.append(Field(name, str(column.type), role))
                make[name] = lambda name=name: self.picked(name, kept)  # type: ignore[misc]
        return ReleasedTable(tuple(fields), self.layout.rows if kept is None else len(kept), make)

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """One number per cell: a column's values, or the ends of their intervals."""
        if name in self.estimates:
            return self.estimates[name].value
        owner, _, end = name.rpartition("_")
        return self.estimates[owner].low if end == "low" else self.estimates[owner].high

    def picked(self, name: str, kept: Places | None) -> Part:
        part = self.numbers(name)
        return part if kept is None else part[kept]

    def vector(self, name: str) -> Vector:
        column = self.named.get(name)
        if isinstance(column, KeyColumn):
            return self.layout.vector(column.key)
        return Vector.of(self.numbers(name))

    def value(self, expression: Expression) -> Vector:
        """The expression in every cell."""
        vectors = {name: self.vector(name) for name in {column.name for column in columns_of(expression)}}
        vector = evaluate(expression, vectors)
        return Vector(*(np.broadcast_to(part, self.layout.rows) for part in (vector.data, vector.null)))

    def kept(self, after: After) -> Places:
        """Which cells become rows, and in which order."""
        kept = np.arange(self.layout.rows)
        if after.having is not None:
            test = self.value(after.having)
            kept = kept[test.data.astype(np.bool_) & ~test.null]
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
