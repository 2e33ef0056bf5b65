"""The reference interpreter: what a plan means, in plain Python. Every engine must agree with it.

Written for clarity, not speed. evaluation.py defines what an expression means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from lapcat.core.release import ExactResult
from lapcat.engines.evaluation import Row, as_number, clamped, compared, evaluate
from lapcat.engines.units import rank_within
from lapcat.engines.values import (
    SATURATION,
    coerce,
    key_positions,
)
from lapcat.errors import Bug
from lapcat.plan.bounding import considered
from lapcat.plan.nodes import (
    Filter,
    Grid,
    Group,
    GroupKey,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    Match,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    UnitAggregate,
    UnitColumn,
    WeightRows,
    private_scans,
)
from lapcat.plan.schema import Type, Value

__all__ = ["Index", "ReferenceEngine", "index_by_column", "index_rows", "rank_rows"]


@dataclass(frozen=True, slots=True)
class Index:
    """The contribution index of a table with a unit column: each row's unit and its rank among the unit's rows, from 1. None
    for a row without a unit."""

    units: Sequence[Value | None]
    ranks: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A row with its unit and its rank among the unit's rows. With weighted rows also the contribution bound in rows and the
    unit's row count."""

    row: Row
    unit: object
    rank: int
    weight: tuple[int, int] | None = None


class ReferenceEngine:
    """Executes plans over rows in memory. `indexes`: the contribution index of each table with a unit column."""

    def __init__(
        self, tables: Mapping[str, Sequence[Row]], indexes: Mapping[str, Index] | None = None
    ) -> None:
        self._tables, self._indexes = tables, indexes or {}

    def execute(self, plan: Group) -> ExactResult:
        """One row of cells per statistic; with private keys, for each combination of their values."""
        return ExactResult(*self.figures(plan))

    def figures(
        self, plan: Group
    ) -> tuple[npt.NDArray[np.int64], list[tuple[Value, ...]] | None, npt.NDArray[np.int64] | None]:
        """The exact figures, readable. For fixture rows only."""
        rows = list(self._rows(plan.source))
        if not plan.private_keys:
            return _cells(plan, rows), None, None
        combinations: dict[tuple[Value, ...], list[ReferenceRow]] = {}
        for held in rows:
            values = [evaluate(key.expression, held.row) for key in plan.private_keys]
            if None not in values:
                combinations.setdefault(tuple(map(_plain_zero, values)), []).append(held)  # type: ignore[arg-type]
        blocks = [_cells(plan, members) for members in combinations.values()]
        empty = np.zeros((len(plan.statistics), 0), dtype=np.int64)
        units = [len({held.unit for held in members}) for members in combinations.values()]
        return (
            np.concatenate([empty, *blocks], axis=1),
            list(combinations),
            np.array(units, dtype=np.int64),
        )

    def counted(self, rows: Rows) -> Counter[object]:
        """The row count of each unit at a node, readable. For fixture rows only."""
        return Counter(held.unit for held in self._rows(rows))

    def _rows(self, rows: Rows) -> Iterator[ReferenceRow]:
        match rows:
            case Scan():
                yield from self._scanned(rows)
            case Filter(source, predicate):
                yield from (held for held in self._rows(source) if evaluate(predicate, held.row) is True)
            case LimitRows(source, max_rows):
                yield from (held for held in self._rows(source) if held.rank <= max_rows)
            case WeightRows(source, max_rows):
                held_rows = list(self._rows(source))
                sizes = Counter(held.unit for held in held_rows)
                yield from (replace(held, weight=(max_rows, sizes[held.unit])) for held in held_rows)
            case LimitGroups():
                yield from self._grouped(rows)
            case Join():
                yield from self._joined(rows)
            case Union(names, branches):
                for position, branch in enumerate(branches):
                    for held in self._rows(branch.rows):
                        values = (evaluate(column, held.row) for column in branch.columns)
                        row = dict(zip(names, values, strict=True))
                        unit = held.unit if _has_unit(branch.rows) else (position, held.unit)
                        yield ReferenceRow(row, unit, held.rank * len(branches) + position)
            case PerUnit():
                yield from self._per_unit(rows)
            case _:
                assert_never(rows)

    def _scanned(self, scan: Scan) -> Iterator[ReferenceRow]:
        """The rows of a table. If each row is a unit, its rank is 1."""
        rows = self._tables[scan.table]
        if scan.unit.is_row:
            yield from (ReferenceRow(row, position, 1) for position, row in enumerate(rows))
        elif scan.table not in self._indexes:
            raise Bug("index-missing", f"{scan.table} has a unit column and no contribution index")
        else:
            index = self._indexes[scan.table]
            for row, unit, rank in zip(rows, index.units, index.ranks, strict=True):
                if unit is not None and rank is not None:
                    yield ReferenceRow(row, unit, rank)

    def _grouped(self, node: LimitGroups) -> Iterator[ReferenceRow]:
        """Keeps a unit's first groups by their minimum rank (ties by value), and a group's first rows by rank."""
        units: dict[object, dict[tuple[Value | None, ...], list[ReferenceRow]]] = {}
        for held in sorted(self._rows(considered(node.source)), key=lambda held: held.rank):
            group = tuple(_plain_zero(evaluate(key, held.row)) for key in node.keys)
            units.setdefault(held.unit, {}).setdefault(group, []).append(held)
        for groups in units.values():
            for group in sorted(groups, key=lambda g: (groups[g][0].rank, _last_null(g)))[: node.groups]:
                yield from groups[group][: node.rows]

    def _joined(self, join: Join) -> Iterator[ReferenceRow]:
        if isinstance(join.right, Public):
            right = [ReferenceRow(row, None, 1) for row in self._tables[join.right.table]]
        else:
            right = list(self._rows(join.right))
        for held in self._rows(join.left):
            keys = [evaluate(left, held.row) for left, _ in join.on]
            partners = [
                other
                for other in right
                if (join.match is Match.PUBLIC or other.unit == held.unit)
                and all(
                    compared("=", key, evaluate(theirs, other.row)) is True
                    for key, (_, theirs) in zip(keys, join.on, strict=True)
                )
            ]
            rows: list[Row] = [_Marked(other.row, f"@{join.mark}") for other in partners]
            if not rows and join.outer:
                rows = [_Nulls(f"@{join.mark}")]
            for other_row in rows:
                yield replace(held, row=_Both(held.row, other_row))

    def _per_unit(self, node: PerUnit) -> Iterator[ReferenceRow]:
        groups: dict[tuple[object, ...], list[ReferenceRow]] = {}
        for held in self._rows(node.source):
            keys = (_plain_zero(evaluate(key, held.row)) for _, key in node.keys)
            groups.setdefault((held.unit, *keys), []).append(held)
        for (unit, *values), members in groups.items():
            row: dict[str, object] = dict(zip((name for name, _ in node.keys), values, strict=True))
            row |= {
                unit_column.name: unit_value(unit_column, [held.row for held in members])
                for unit_column in node.values
            }
            yield ReferenceRow(row, unit, min(held.rank for held in members) if node.keys else 1)


class _Nulls(dict[str, object]):
    """The columns of a join side without a matching row: all NULL."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    def __contains__(self, name: object) -> bool:
        return str(name).endswith(self._mark)

    def __missing__(self, name: str) -> None:
        return None


class _Marked(dict[str, object]):
    """A row with a suffix on its column names, including columns that are NULL for lack of a matching row."""

    def __init__(self, row: Row, mark: str) -> None:
        super().__init__({f"{name}{mark}": value for name, value in row.items()})
        self._row, self._mark = row, mark

    def __contains__(self, name: object) -> bool:
        return str(name).endswith(self._mark) and str(name).removesuffix(self._mark) in self._row

    def __missing__(self, name: str) -> object:
        return self._row[name.removesuffix(self._mark)]


class _Both(dict[str, object]):
    """The columns of a pair of rows."""

    def __init__(self, left: Row, right: Row) -> None:
        super().__init__({**left, **right})
        self._sides = left, right

    def __contains__(self, name: object) -> bool:
        return any(name in side for side in self._sides)

    def __missing__(self, name: str) -> object:
        for side in self._sides:
            if name in side:
                return side[name]
        raise KeyError(name)


def _last_null(group: tuple[Value | None, ...]) -> list[tuple[bool, Any]]:
    return [(value is None, 0 if value is None else value) for value in group]


def _has_unit(rows: Rows) -> bool:
    return not private_scans(rows)[0].unit.is_row


def index_rows(
    rows: Sequence[Row], units: Sequence[Value | None], columns: Mapping[str, Type], key: bytes
) -> Index:
    """The contribution index of rows with known units."""
    return Index(units, rank_within(units, rows, columns, key))


def rank_rows(rows: Sequence[Row], unit: str, columns: Mapping[str, Type], key: bytes) -> list[int | None]:
    """Each row's rank within the unit in its column `unit`; None if that is NULL."""
    return list(index_by_column(rows, unit, columns, key).ranks)


def index_by_column(rows: Sequence[Row], unit: str, columns: Mapping[str, Type], key: bytes) -> Index:
    """The contribution index of rows with a unit column."""
    return index_rows(rows, [coerce(row[unit], columns[unit]) for row in rows], columns, key)


# ------------------------------------------------------------------------------------------------ sums


def _cells(plan: Group, rows: Sequence[ReferenceRow]) -> npt.NDArray[np.int64]:
    """The statistics of the rows in each cell of the declared keys, one grouping set after another."""
    totals = [[0] * plan.cells for _ in plan.statistics]
    once: set[tuple[int, int, object]] = set()
    first = 0
    for grouping in plan.grouping_sets:
        keys = [plan.keys[position] for position in grouping if not plan.keys[position].is_private]
        places = [(key, key_positions(key)) for key in keys]
        for held in rows:
            cell = cell_of(places, held.row)
            if cell is None:
                continue
            for position, statistic in enumerate(plan.statistics):
                if statistic.kind in (Kind.UNITS, Kind.DISTINCT):
                    what = counted_once(statistic, held)
                    if what is not None and (position, first + cell, what) not in once:
                        once.add((position, first + cell, what))
                        totals[position][first + cell] += 1
                else:
                    totals[position][first + cell] += weighted(contribution(statistic, held.row), held.weight)
        first += plan.cells_of(grouping)
    cells = [[max(-SATURATION, min(SATURATION, n)) for n in total] for total in totals]
    return np.array(cells, dtype=np.int64).reshape(len(plan.statistics), plan.cells)


def weighted(contribution: int, weight: tuple[int, int] | None) -> int:
    """A row's integer times the contribution bound over the unit's row count, truncated towards zero."""
    if weight is None or weight[1] <= weight[0]:
        return contribution
    size = abs(contribution) * weight[0] // weight[1]
    return size if contribution > 0 else -size


def cell_of(places: Sequence[tuple[GroupKey, Mapping[Value, int]]], row: Row) -> int | None:
    """The cell of a row: keys in product order, the last varying fastest."""
    cell = 0
    for key, positions in places:
        value = evaluate(key.expression, row)
        place = None if value is None else positions.get(value)
        if place is None:
            if not key.other:
                return None
            place = key.size - 1
        cell = cell * key.size + place
    return cell


def contribution(statistic: Statistic, row: Row) -> int:
    """The integer that one row adds to its cell."""
    if statistic.filter is not None and evaluate(statistic.filter, row) is not True:
        return 0
    if statistic.value is None:
        return statistic.unit_weight
    value = evaluate(statistic.value, row)
    if value is None:
        return 0
    return statistic.unit_weight if statistic.grid is None else placed(statistic.grid, value)


def placed(grid: Grid, value: Value) -> int:
    return grid.place(clamped(as_number(value), grid.clamp_low, grid.clamp_high))


def counted_once(statistic: Statistic, held: ReferenceRow) -> object:
    """The unit or value that a distinct count sees in a row; None if nothing."""
    if statistic.filter is not None and evaluate(statistic.filter, held.row) is not True:
        return None
    return held.unit if statistic.value is None else _plain_zero(evaluate(statistic.value, held.row))


def unit_value(unit_column: UnitColumn, rows: Sequence[Row]) -> Value | None:
    """The aggregate of a unit's rows."""
    passing = [r for r in rows if unit_column.filter is None or evaluate(unit_column.filter, r) is True]
    if unit_column.value is None:
        return len(passing)
    values = [v for v in (_plain_zero(evaluate(unit_column.value, row)) for row in passing) if v is not None]
    match unit_column.aggregate:
        case UnitAggregate.COUNT:
            return len(values)
        case UnitAggregate.DISTINCT:
            return len(set(values))
        case UnitAggregate.MIN:
            return min(values, default=None)
        case UnitAggregate.MAX:
            return max(values, default=None)
        case UnitAggregate.SUM | UnitAggregate.AVG:
            if not values:
                return None
            assert unit_column.grid is not None
            total = sum(placed(unit_column.grid, value) for value in values)
            total = max(-SATURATION, min(SATURATION, total))
            if unit_column.type is Type.INTEGER:
                return total
            number = float(total) * 2.0**unit_column.grid.exponent
            return number / float(len(values)) if unit_column.aggregate is UnitAggregate.AVG else number
        case _:
            assert_never(unit_column.aggregate)


def _plain_zero(value: Value | None) -> Value | None:
    """Replaces -0.0 by 0.0."""
    return value + 0.0 if isinstance(value, float) else value
