"""What a plan means, in plain Python: the executable specification that every engine is held to.

Written to be read, not to be fast. The comments are in plan/expressions.py: each node's docstring is its meaning.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from lapcat.core.release import ExactResult
from lapcat.engines.units import rank_within
from lapcat.engines.values import (
    GREATEST,
    LEAST,
    SATURATION,
    coerce,
    key_positions,
    literal_value,
    require_proof,
)
from lapcat.errors import Bug
from lapcat.plan.bounding import considered
from lapcat.plan.calendar import start
from lapcat.plan.expressions import (
    Absolute,
    Arithmetic,
    Bucket,
    Case,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    DatePart,
    DateTrunc,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Part,
    Rounded,
)
from lapcat.plan.like import regular
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

__all__ = ["Index", "ReferenceEngine", "coerce", "evaluate", "index_by_column", "index_rows", "rank_rows"]

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Index:
    """The contribution index of a table with a unit column: for each row its unit, and its rank among that unit's rows
    from 1. None where the row has no unit."""

    units: Sequence[Value | None]
    ranks: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A row with whose it is, its place in the order of that unit's rows, and, where rows are weighted, the number of
    rows that the unit may count for and the number that it has."""

    row: Row
    unit: object
    rank: int
    weight: tuple[int, int] | None = None


class ReferenceEngine:
    """Looks at rows in memory. `indexes` holds the contribution index of each table that has a unit column."""

    def __init__(
        self, tables: Mapping[str, Sequence[Row]], indexes: Mapping[str, Index] | None = None
    ) -> None:
        self._tables, self._indexes = tables, indexes or {}

    def execute(self, plan: Group) -> ExactResult:
        """One row of cells per statistic; where keys are private, for each combination of their values."""
        return ExactResult(*self.figures(plan))

    def figures(
        self, plan: Group
    ) -> tuple[npt.NDArray[np.int64], list[tuple[Value, ...]] | None, npt.NDArray[np.int64] | None]:
        """What a look finds, in the open: for made-up rows."""
        rows = list(self._rows(plan.source))
        if not plan.private_keys:
            return _cells(plan, rows), None, None
        combinations: dict[tuple[Value, ...], list[ReferenceRow]] = {}
        for held in rows:
            values = [evaluate(key.expression, held.row) for key in plan.private_keys]
            if None not in values:
                combinations.setdefault(tuple(map(_plain_zero, values)), []).append(held)  # type: ignore[arg-type]
        blocks = [_cells(plan, found) for found in combinations.values()]
        empty = np.zeros((len(plan.statistics), 0), dtype=np.int64)
        units = [len({held.unit for held in found}) for found in combinations.values()]
        return (
            np.concatenate([empty, *blocks], axis=1),
            list(combinations),
            np.array(units, dtype=np.int64),
        )

    def counted(self, rows: Rows) -> Counter[object]:
        """How many rows each unit has at a node, in the open: for made-up rows."""
        return Counter(held.unit for held in self._rows(rows))

    def _rows(self, rows: Rows) -> Iterator[ReferenceRow]:
        match rows:
            case Scan():
                yield from self._scanned(rows)
            case Filter(source, predicate):
                yield from (held for held in self._rows(source) if evaluate(predicate, held.row) is True)
            case LimitRows(source, most):
                yield from (held for held in self._rows(source) if held.rank <= most)
            case WeightRows(source, most):
                found = list(self._rows(source))
                sizes = Counter(held.unit for held in found)
                yield from (replace(held, weight=(most, sizes[held.unit])) for held in found)
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
                yield from self._folded(rows)
            case _:
                assert_never(rows)

    def _scanned(self, scan: Scan) -> Iterator[ReferenceRow]:
        """Where each row is a unit of its own, it is its first."""
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
        """A unit's groups by their least rank (where pairs tie, by their values), and a group's rows by theirs."""
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
                    _compared("=", key, evaluate(theirs, other.row)) is True
                    for key, (_, theirs) in zip(keys, join.on, strict=True)
                )
            ]
            rows: list[Row] = [_Marked(other.row, f"@{join.mark}") for other in partners]
            if not rows and join.outer:
                rows = [_Nulls(f"@{join.mark}")]
            for other_row in rows:
                yield replace(held, row=_Both(held.row, other_row))

    def _folded(self, node: PerUnit) -> Iterator[ReferenceRow]:
        groups: dict[tuple[object, ...], list[ReferenceRow]] = {}
        for held in self._rows(node.source):
            keys = (_plain_zero(evaluate(key, held.row)) for _, key in node.keys)
            groups.setdefault((held.unit, *keys), []).append(held)
        for (unit, *values), found in groups.items():
            row: dict[str, object] = dict(zip((name for name, _ in node.keys), values, strict=True))
            row |= {folded.name: unit_value(folded, [held.row for held in found]) for folded in node.values}
            yield ReferenceRow(row, unit, min(held.rank for held in found) if node.keys else 1)


class _Nulls(dict[str, object]):
    """The columns of a side that has no row: all NULL."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    def __contains__(self, name: object) -> bool:
        return str(name).endswith(self._mark)

    def __missing__(self, name: str) -> None:
        return None


class _Marked(dict[str, object]):
    """A row whose columns are called otherwise, also those that are NULL because there was no row."""

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
    """The contribution index of rows whose units are known."""
    return Index(units, rank_within(units, rows, columns, key))


def rank_rows(rows: Sequence[Row], unit: str, columns: Mapping[str, Type], key: bytes) -> list[int | None]:
    """Each row's rank within the unit that its column names; None where that is NULL."""
    return list(index_by_column(rows, unit, columns, key).ranks)


def index_by_column(rows: Sequence[Row], unit: str, columns: Mapping[str, Type], key: bytes) -> Index:
    """The contribution index of rows whose unit stands in a column of theirs."""
    return index_rows(rows, [coerce(row[unit], columns[unit]) for row in rows], columns, key)


# ------------------------------------------------------------------------------------------------ sums


def _cells(plan: Group, rows: Sequence[ReferenceRow]) -> npt.NDArray[np.int64]:
    """The statistics of some rows in each cell of the declared keys, grouping set after grouping set."""
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
    """A row's integer times the most rows over the unit's number of rows, truncated towards zero."""
    if weight is None or weight[1] <= weight[0]:
        return contribution
    size = abs(contribution) * weight[0] // weight[1]
    return size if contribution > 0 else -size


def cell_of(places: Sequence[tuple[GroupKey, Mapping[Value, int]]], row: Row) -> int | None:
    """The cell that a row belongs to: keys in product order, the last running fastest."""
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
    """What one row adds to its cell."""
    if statistic.filter is not None and evaluate(statistic.filter, row) is not True:
        return 0
    if statistic.value is None:
        return statistic.unit_weight
    value = evaluate(statistic.value, row)
    if value is None:
        return 0
    return statistic.unit_weight if statistic.grid is None else placed(statistic.grid, value)


def placed(grid: Grid, value: Value) -> int:
    return grid.place(_clamped(_number(value), grid.clamp_low, grid.clamp_high))


def counted_once(statistic: Statistic, held: ReferenceRow) -> object:
    """The unit or the value that a row shows to a statistic that counts each once; None if nothing."""
    if statistic.filter is not None and evaluate(statistic.filter, held.row) is not True:
        return None
    return held.unit if statistic.value is None else _plain_zero(evaluate(statistic.value, held.row))


def unit_value(folded: UnitColumn, rows: Sequence[Row]) -> Value | None:
    """What a unit's rows come to."""
    passing = [r for r in rows if folded.filter is None or evaluate(folded.filter, r) is True]
    if folded.value is None:
        return len(passing)
    values = [v for v in (_plain_zero(evaluate(folded.value, row)) for row in passing) if v is not None]
    match folded.aggregate:
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
            assert folded.grid is not None
            total = sum(placed(folded.grid, value) for value in values)
            total = max(-SATURATION, min(SATURATION, total))
            if folded.type is Type.INTEGER:
                return total
            number = float(total) * 2.0**folded.grid.exponent
            return number / float(len(values)) if folded.aggregate is UnitAggregate.AVG else number
        case _:
            assert_never(folded.aggregate)


def _plain_zero(value: Value | None) -> Value | None:
    """-0.0 is the 0.0 that it equals."""
    return value + 0.0 if isinstance(value, float) else value


# ------------------------------------------------------------------------------------------------ expressions


def evaluate(expression: Expression, row: Row) -> Value | None:
    """The expression's value on a row of raw cells; None is NULL."""
    match expression:
        case Column(name, kind):
            return coerce(row[name], kind)
        case Literal():
            return literal_value(expression)
        case Compare(op, left, right):
            return _compared(op, evaluate(left, row), evaluate(right, row))
        case Logic(op, operands):
            found = [evaluate(operand, row) for operand in operands]
            decisive = op == "or"
            return decisive if decisive in found else None if None in found else not decisive
        case Not(operand):
            value = evaluate(operand, row)
            return None if value is None else not value
        case IsNull(operand):
            return evaluate(operand, row) is None
        case InList(operand, values):
            value = evaluate(operand, row)
            return None if value is None else any(_compared("=", value, literal_value(v)) for v in values)
        case Like(operand, pattern):
            value = evaluate(operand, row)
            return None if value is None else re.fullmatch(regular(pattern), str(value)) is not None
        case Arithmetic(op, left, right, kind):
            require_proof(expression)
            return _combined(op, _as(evaluate(left, row), kind), _as(evaluate(right, row), kind))
        case Case(whens, otherwise, kind):
            for condition, result in whens:
                if evaluate(condition, row) is True:
                    return _as(evaluate(result, row), kind)
            return None if otherwise is None else _as(evaluate(otherwise, row), kind)
        case Cast(operand, kind):
            return _cast(evaluate(operand, row), kind)
        case Coalesce(operand, replacement, kind):
            value = evaluate(operand, row)
            return _as(literal_value(replacement) if value is None else value, kind)
        case Clamp(operand, low, high, kind):
            value = _as(evaluate(operand, row), kind)
            ends = [_number(_as(literal_value(end), kind)) for end in (low, high)]
            return None if value is None else _clamped(_number(value), *ends)
        case NullOutsideBounds(operand, low, high):
            value = evaluate(operand, row)
            day = value.date() if isinstance(value, datetime.datetime) else value
            inside = _compared(">=", day, literal_value(low)) and _compared("<=", day, literal_value(high))
            return value if inside else None
        case Absolute(operand, kind):
            value = _as(evaluate(operand, row), kind)
            return None if value is None or (value == LEAST and kind is Type.INTEGER) else abs(_number(value))
        case Rounded(how, operand):
            value = evaluate(operand, row)
            return None if value is None else _fitting(_rounded(how, _number(value)))
        case LeastOrGreatest(how, operands, kind):
            present = [v for v in (_as(evaluate(o, row), kind) for o in operands) if v is not None]
            pick = min if how == "least" else max
            return pick(map(_number, present)) if present else None
        case Bucket(operand, low, high, count):
            value = evaluate(operand, row)
            return None if value is None else _bucket(float(_number(value)), low, high, count)
        case DatePart(part, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else _part(part, value)
        case DateTrunc(span, operand):
            value = evaluate(operand, row)
            assert value is None or isinstance(value, datetime.date)
            return None if value is None else start(span, value)
        case _:
            assert_never(expression)


def _number(value: Value | None) -> float:
    """A number, exactly as it is: an int or a float."""
    assert isinstance(value, (int, float))
    return value


def _as(value: Value | None, kind: Type) -> Value | None:
    """A value as an operand of a node of the given type: an integer among doubles becomes one."""
    return float(value) if kind is Type.FLOAT and isinstance(value, int) else value


def _compared(op: str, left: Value | None, right: Value | None) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(_number(left)), float(_number(right))
    elif isinstance(left, datetime.datetime) or isinstance(right, datetime.datetime):
        left, right = _cast(left, Type.TIMESTAMP), _cast(right, Type.TIMESTAMP)
    compare: Callable[[Any, Any], bool] = COMPARISONS[op]  # both are of one ordered type by now
    return compare(left, right)


def _combined(op: str, left: Value | None, right: Value | None) -> float | None:
    if left is None or right is None or (op == "/" and right == 0):
        return None
    result = ARITHMETIC[op](_number(left), _number(right))
    return None if math.isnan(result) else result


def _cast(value: Value | None, kind: Type) -> Value | None:
    if isinstance(value, float) and kind is Type.INTEGER:
        return _fitting(round(value) if math.isfinite(value) else value)
    return coerce(value, kind)


def _clamped(x: float, low: float, high: float) -> float:
    return low if x < low else high if x > high else x


def _rounded(how: str, x: float) -> float:
    """Rounded as a number that may still be ±inf."""
    return x if isinstance(x, int) or math.isinf(x) else ROUNDINGS[how](x)


def _half_away_from_zero(x: float) -> int:
    down = math.floor(abs(x))
    nearest = down + (abs(x) - down >= 0.5)  # the difference is exact, as both are not negative
    return nearest if x > 0 else -nearest


COMPARISONS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
ROUNDINGS: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": _half_away_from_zero,
}


def _fitting(whole: float) -> int | None:
    return int(whole) if math.isfinite(whole) and LEAST <= whole <= GREATEST else None


def _bucket(x: float, low: float, high: float, count: int) -> int:
    low, high = float(low), float(high)
    if x < low:
        return 0
    if x >= high:
        return count + 1
    quotient = (x - low) * float(count) / (high - low)
    return math.floor(quotient) + 1 if quotient < count else count


def _part(part: Part, day: datetime.date) -> int:
    moment = day if isinstance(day, datetime.datetime) else None
    match part:
        case "year":
            return day.year
        case "quarter":
            return (day.month + 2) // 3
        case "month":
            return day.month
        case "day":
            return day.day
        case "dow":
            return day.isoweekday() % 7
        case "isodow":
            return day.isoweekday()
        case "doy":
            return day.timetuple().tm_yday
        case "hour":
            return moment.hour if moment else 0
        case "minute":
            return moment.minute if moment else 0
        case _:
            assert_never(part)
