"""Deployments over a single data frame in memory."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapcat.core.exact import exact, exact_text
from lapcat.engines.base.engine import Engine
from lapcat.engines.router import Checked
from lapcat.errors import BadArgument, Refused
from lapcat.frontend.catalogue import fits_key, protects_nobody
from lapcat.ledger import ledger_at
from lapcat.plan.headers import missing_column
from lapcat.plan.schema import (
    Bounds,
    Catalogue,
    ColumnSpec,
    Dates,
    Keys,
    ListedKeys,
    PrivateKeys,
    PublicTable,
    RangeKeys,
    Relation,
    SpendingLimit,
    Table,
    Type,
    Unit,
    Value,
)
from lapcat.session.deployment import Deployment
from lapcat.session.engine_checks import found_here
from lapcat.session.ledger_files import ledger_of

A_DAY = 24 * 60 * 60
"""Maximum timeout in seconds of a question about a data frame."""
FOR_A_WHILE = 'this budget ends with the process; ledger="file" makes it last'


def hold(
    data: Any,
    *,
    name: str,
    unit: str,
    epsilon: Fraction,
    delta: Fraction | None,
    rows_per_unit: int | None,
    relation: str,
    units: int | None,
    bounds: Mapping[str, tuple[object, object]],
    keys: Mapping[str, Sequence[object] | range | str],
    null: Mapping[str, object],
    types: Mapping[str, str],
    ledger: str | Path | None,
    version: int,
    today: datetime.date | str | None,
    i_understand: str | None,
) -> Deployment:
    """A deployment over one frame, copied at once: later changes to the frame have no effect."""
    from lapcat.engines.duckdb.engine import engine_name, open_frame
    from lapcat.engines.duckdb.frames import Columns

    if isinstance(data, Mapping):
        data = Columns(data)
    if epsilon <= 0 or (delta is not None and not 0 < delta < 1):
        raise BadArgument(
            "budget-range",
            "a budget has an epsilon above 0, and a delta between 0 and 1 if any",
            fix="epsilon=1",
        )
    limit = SpendingLimit(epsilon, delta or Fraction(0), None, None, i_understand)
    danger = protects_nobody(limit)
    if danger and i_understand is None:
        raise Refused("protects-nobody", danger, fix='epsilon=1, or say why: i_understand="…"')
    relation = {"unbounded": "add-remove", "bounded": "replace-one"}.get(relation, relation)
    if relation not in list(Relation):
        raise BadArgument(
            "relation-unknown",
            f"no relation {relation!r}",
            fix='relation="add-remove", or relation="replace-one" and units=…',
        )
    if unit != "row" and rows_per_unit is None:
        raise BadArgument(
            "rows-per-unit-missing",
            f"unit={unit!r} needs rows_per_unit: the maximum number of rows that one unit contributes",
            fix="rows_per_unit=10",
        )
    for what, number in (("rows_per_unit", rows_per_unit), ("units", units), ("version", version)):
        if number is not None and (type(number) is not int or not 1 <= number <= 2**62):
            raise BadArgument(
                "whole-number", f"{what} is a whole number from 1, not {number!r}", fix=f"{what}=10"
            )
    if unit == "row" and rows_per_unit not in (None, 1):
        raise BadArgument(
            "whole-number", "a row is one row: rows_per_unit goes with a unit column", fix="rows_per_unit=1"
        )
    if (units is not None) != (relation == "replace-one"):
        raise BadArgument(
            "units",
            'units=… goes with relation="replace-one", and only then',
            fix='relation="replace-one"' if units is not None else "units=…, the number of units",
        )
    _require_name(name, 'name="people"')
    columns = {
        column: _spec(column, kind, bounds, keys, null) for column, kind in frame_types(data, types).items()
    }
    declared = [*bounds, *keys, *null]
    for given in declared:
        if given not in columns:
            raise _missing(given, declared, columns)
    table = Table(
        name,
        name,
        Unit() if unit == "row" else Unit(unit),
        Relation(relation),
        limit,
        columns,
        units,
        rows_per_unit or 1,
    )
    opened_ledger = ledger_at(":memory:") if ledger is None else ledger_of(ledger)
    engine, size = open_frame(data, table, opened_ledger.secret())
    if table.relation is Relation.REPLACE_ONE and size.units != units:
        raise Refused(
            "units-differ",
            f"units={units} was declared, but the data have {size.units}",
            why="under replace-one the number of units is public and must match the declaration",
            fix=f"units={size.units}",
        )
    deployment = Deployment(
        Catalogue({name: table}, max_timeout=A_DAY, in_python=True),
        _Frame(name, version, Checked(engine, engine_name, found_here)),
        opened_ledger,
        notes=() if ledger is not None else (FOR_A_WHILE,),
        today=_today(today),
    )
    deployment.require_acceptance()
    return deployment


def _today(given: object) -> datetime.date | None:
    """The date that CURRENT_DATE has, as a date or as text."""
    try:
        return None if given is None else _day(given)
    except (TypeError, ValueError):
        raise BadArgument("today-date", f"today is a date, not {given!r}", fix='today="2024-06-30"') from None


class _Frame:
    """The table of such a deployment. Its version is the caller's label of the data."""

    def __init__(self, name: str, version: int, engine: Engine) -> None:
        self._identity, self._version, self._engine = f"frame:{name}", version, engine

    @property
    def name(self) -> str:
        from lapcat.engines.duckdb.engine import engine_name

        return engine_name()

    def place(self, table: Table | PublicTable) -> str:
        return self._identity

    def version(self, declared: int) -> int:
        return self._version

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        return self._engine


def _missing(name: str, declared: Iterable[str], columns: Mapping[str, object]) -> BadArgument:
    what, why, fix = missing_column(name, declared, columns, "the table")
    close = get_close_matches(name, [*columns], 1)
    if close:
        what, why, fix = f"the table has no column {name!r}; did you mean {close[0]}?", "", f"{close[0]!r}"
    return BadArgument("unknown-column", what, why=why, fix=fix)


def _require_name(name: object, fix: str) -> None:
    """Raises unless SQL can express a table or column name."""
    if not isinstance(name, str) or "\0" in name:
        raise BadArgument("name-empty", "a name is a text without NUL characters", fix=fix)


def frame_types(data: Any, types: Mapping[str, str]) -> dict[str, Type]:
    """The columns of a frame and their types: from `types`, else by dtype, with object columns as text."""
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # a LazyFrame of Polars
        raise BadArgument(
            "frame-unknown", "a LazyFrame holds no rows yet", fix="lapcat.table(frame.collect(), …)"
        )
    if hasattr(data, "schema") and hasattr(data.schema, "types"):  # Arrow
        columns = list(zip(data.schema.names, (str(kind) for kind in data.schema.types), strict=True))
    elif hasattr(data, "columns") and hasattr(data, "dtypes"):  # pandas, Polars
        columns = [(str(name), _dtype_of(kind)) for name, kind in zip(data.columns, data.dtypes, strict=True)]
    else:
        raise BadArgument(
            "frame-unknown",
            f"a table is a pandas, Polars or Arrow table, or a dict of columns, not {type(data).__name__}",
            fix='lapcat.table({"age": [34, 51], "region": ["north", "south"]}, …)',
        )
    kinds = dict(columns)
    if not kinds:
        raise BadArgument(
            "frame-unknown", "the data frame has no columns", fix="a frame with a column or more"
        )
    for name in kinds:
        _require_name(name, f"frame.rename(columns={{{name!r}: 'x'}})")
        if not name:
            raise BadArgument("name-empty", "a column has no name", fix="frame.rename(columns={'': 'x'})")
    if len(kinds) != len(columns):
        raise BadArgument(
            "column-twice",
            "two columns have the same name, so a question could not tell which it means",
            fix="rename one, or drop it",
        )
    if len({name.casefold() for name in kinds}) != len(kinds):
        raise BadArgument(
            "column-twice",
            "two column names differ only in case, which SQL ignores",
            fix="rename one",
        )
    for name in types:
        if name not in kinds:
            raise _missing(name, types, kinds)
    for kind in types.values():
        if kind not in list(Type):
            raise BadArgument("type-unknown", f"no type {kind!r}", fix=f"one of: {', '.join(Type)}")
    return {name: Type(types[name]) if name in types else _type_of(kind) for name, kind in kinds.items()}


def _dtype_of(kind: Any) -> str:
    """The dtype; for categories of floats or timestamps, which text cannot represent, that of the categories."""
    held = str(getattr(getattr(kind, "categories", None), "dtype", ""))
    return held if _type_of(held) in (Type.FLOAT, Type.TIMESTAMP) else str(kind)


def _type_of(dtype: str) -> Type:
    starts = {
        ("int", "uint"): Type.INTEGER,
        ("float", "double", "halffloat", "decimal"): Type.FLOAT,
        ("bool",): Type.BOOLEAN,
        ("datetime", "timestamp"): Type.TIMESTAMP,
        ("date",): Type.DATE,
    }
    name = dtype.lower()
    if name.startswith("interval"):
        return Type.TEXT
    return next((kind for words, kind in starts.items() if name.startswith(words)), Type.TEXT)


def _spec(
    name: str,
    kind: Type,
    bounds: Mapping[str, tuple[object, object]],
    keys: Mapping[str, Sequence[object] | range | str],
    null: Mapping[str, object],
) -> ColumnSpec:
    interval, days, listed = None, None, None
    if name in bounds and kind in (Type.DATE, Type.TIMESTAMP):
        days = _dates(name, bounds[name])
    elif name in bounds:
        interval = _interval(name, kind, bounds[name])
    if name in keys:
        if kind is Type.FLOAT:
            raise BadArgument(
                "keys-type", f"{name} is float, which has no keys", fix=f'types={{{name!r}: "integer"}}'
            )
        listed = _keys(name, keys[name], kind)
    replacement = None if name not in null else exact(null[name])
    if replacement is not None and (interval is None or not interval.low <= replacement <= interval.high):
        low = 0 if interval is None else interval.low
        raise BadArgument(
            "null-range",
            f"{name}: null lies within its bounds",
            fix=f"null={{{name!r}: {exact_text(exact(low))}}}",
        )
    if replacement is not None and kind is Type.INTEGER and replacement.denominator != 1:
        raise BadArgument(
            "null-range", f"{name} holds integers, and so does null", fix=f"null={{{name!r}: 0}}"
        )
    return ColumnSpec(name, kind, interval or days, listed, replacement)


def _dates(name: str, given: object) -> Dates:
    """The first and the last day; as dates, or as texts such as 2024-12-31."""
    fix = f'bounds={{{name!r}: ("2020-01-01", "2024-12-31")}}'
    try:
        first, last = (_day(end) for end in given)  # type: ignore[attr-defined]
        return Dates(first, last)
    except (TypeError, ValueError):
        raise BadArgument(
            "bounds-range", f"bounds of {name} are a pair of dates, the first before the last", fix=fix
        ) from None


def _day(end: object) -> datetime.date:
    if isinstance(end, str):
        return datetime.date.fromisoformat(end)
    if not isinstance(end, datetime.date):
        raise TypeError
    return end.date() if isinstance(end, datetime.datetime) else end


def _interval(name: str, kind: Type, given: object) -> Bounds:
    fix = f"bounds={{{name!r}: (LOW, HIGH)}}, as you know them"
    if not kind.is_number:
        raise BadArgument(
            "bounds-type",
            f"{name} is {kind}; bounds are for numbers and dates",
            fix=f'keys={{{name!r}: ["…"]}}',
        )
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise BadArgument("bounds-range", f"bounds of {name} are a pair of numbers, low and high", fix=fix)
    try:
        low, high = exact(given[0]), exact(given[1])
        if high < low:
            fix = f"bounds={{{name!r}: ({exact_text(high)}, {exact_text(low)})}}"
            raise BadArgument("bounds-range", f"bounds of {name} are low and high, in this order", fix=fix)
        interval = Bounds(low, high)
    except ValueError as problem:
        raise BadArgument("bounds-range", f"{name}: {problem}", fix=fix) from None
    if max(abs(interval.low), abs(interval.high)) > 2**62:
        raise BadArgument(
            "bounds-range", f"bounds of {name} must lie within ±2^62, so that sums do not overflow", fix=fix
        )
    if kind is Type.INTEGER and (interval.low.denominator != 1 or interval.high.denominator != 1):
        raise BadArgument("bounds-range", f"{name} holds integers, so its bounds are whole numbers", fix=fix)
    return interval


def _keys(name: str, given: object, kind: Type) -> Keys:
    fix = f'keys={{{name!r}: ["…"]}}'
    if isinstance(given, range) and given.step == 1 and len(given) and kind is Type.INTEGER:
        if max(abs(given.start), abs(given.stop)) > 2**62:
            raise BadArgument(
                "keys-range", f"keys of {name} lie within ±2^62", fix=f"keys={{{name!r}: range(100)}}"
            )
        return RangeKeys(given.start, given.stop - 1)
    if given == "private":
        return PrivateKeys()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadArgument("keys-range", f'keys of {name} are a list of values, or "private"', fix=fix)
    values: list[Value] = []
    for value in given:
        plain = value.item() if hasattr(value, "item") else value
        if not fits_key(plain, kind):
            raise BadArgument("keys-type", f"{value!r} is not a {kind}, the type of {name}", fix=fix)
        values.append(plain)
    if not values or len(set(values)) != len(values):
        raise BadArgument("keys-range", f"keys of {name} are one or more distinct values", fix=fix)
    return ListedKeys(tuple(values))
