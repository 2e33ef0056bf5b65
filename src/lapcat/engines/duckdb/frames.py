"""Data frames for DuckDB: pandas, Polars and Arrow, recognised by their module name, so that none of them is imported.

Arrow's types are exact, and Polars exports Arrow. A pandas column with a plain number, boolean or datetime dtype is passed
on unchanged; any other holds Python objects, which engines/values.py converts. Nothing is inferred from the first rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapcat.engines.values import MAX_INTEGER, MIN_INTEGER, coerce
from lapcat.errors import BadArgument
from lapcat.plan.schema import Type
from lapcat.plan.words import sql_name

if TYPE_CHECKING:
    import duckdb

Array = np.ndarray[Any, Any]

_EMPTY: dict[Type, tuple[Any, object]] = {
    Type.INTEGER: (np.int64, 0),
    Type.FLOAT: (np.float64, np.nan),
    Type.BOOLEAN: (np.bool_, False),
    Type.TEXT: (np.object_, None),
    Type.DATE: ("datetime64[us]", np.datetime64("NaT")),
    Type.TIMESTAMP: ("datetime64[us]", np.datetime64("NaT")),
}
"""For each type its dtype and the placeholder for NULL (used with a mask)."""


class Columns:
    """Columns by name, each an array or a list: a minimal data frame."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.arrays = [(str(name), _array(str(name), column)) for name, column in columns.items()]
        if len({len(array) for _, array in self.arrays}) > 1:
            raise BadArgument(
                "frame-unreadable",
                "the columns have different lengths",
                fix="give every column one cell per row, None for a missing value",
            )

    def __len__(self) -> int:
        return len(self.arrays[0][1]) if self.arrays else 0

    @property
    def columns(self) -> list[str]:
        return [name for name, _ in self.arrays]

    @property
    def dtypes(self) -> list[str]:
        return [str(array.dtype) for _, array in self.arrays]


def _array(name: str, column: Any) -> Array:
    """A column as a one-dimensional NumPy array; texts are Python objects."""
    try:
        array = np.asarray(column)
    except Exception as problem:  # any error of a cell; its text may quote the cell
        raise _unreadable(name, f"({type(problem).__name__})") from None
    if array.ndim != 1:
        raise _unreadable(name, f"(it has {array.ndim} dimensions instead of one)")
    return array.astype(object) if array.dtype.kind == "U" else array


def register(connection: duckdb.DuckDBPyConnection, frame: Any, types: Mapping[str, Type]) -> str:
    """Registers the frame's declared columns with the connection; returns the name of the view."""
    modules = [base.__module__.split(".")[0] for base in type(frame).__mro__]
    if isinstance(frame, Columns):
        _register_columns(connection, frame.arrays, types, len(frame))
    elif "pandas" in modules:
        series = [(str(name), frame.iloc[:, position]) for position, name in enumerate(frame.columns)]
        _register_columns(connection, series, types, len(frame))
    else:
        _register_arrow(connection, frame, polars="polars" in modules)
    _require_reach(connection, types)
    return "lapcat_frame"


def _register_arrow(connection: duckdb.DuckDBPyConnection, frame: Any, *, polars: bool) -> None:
    try:
        if hasattr(frame, "read_all"):  # an Arrow stream, which can be read only once
            frame = frame.read_all()
        connection.register("lapcat_frame", frame.to_arrow() if polars else frame)
    except Exception as problem:  # any error of the library; its text may quote cells
        raise BadArgument(
            "frame-unreadable",
            f"this {type(frame).__name__} cannot be read ({type(problem).__name__})",
            fix="lapcat.table(frame.to_pandas(), …)",
        ) from None


def _require_reach(connection: duckdb.DuckDBPyConnection, types: Mapping[str, Type]) -> None:
    """Refuses a column with values outside the range of its type, which would silently become NULL."""
    for name, dtype, *_ in connection.execute("DESCRIBE lapcat_frame").fetchall():
        column, kind = sql_name(name), types.get(name)
        if kind is Type.INTEGER and dtype in ("UBIGINT", "HUGEINT", "UHUGEINT"):
            beyond, ends, fix = f"{column} NOT BETWEEN {MIN_INTEGER} AND {MAX_INTEGER}", "±2^63", "float"
        elif kind in (Type.DATE, Type.TIMESTAMP) and dtype.startswith(("DATE", "TIMESTAMP")):
            beyond, ends, fix = f"YEAR({column}) NOT BETWEEN 1 AND 9999", "the years 1 to 9999", ""
        else:
            continue
        if connection.execute(f"SELECT 1 FROM lapcat_frame WHERE {beyond} LIMIT 1").fetchall():
            raise BadArgument(
                "column-type",
                f"{name} has values outside {ends}, the range of {kind}",
                why="they would silently become NULL",
                fix=f'types={{{name!r}: "{fix}"}}'
                if fix
                else f"frame.drop(columns={name!r}), or replace them first",
            )


def _register_columns(
    connection: duckdb.DuckDBPyConnection,
    columns: Sequence[tuple[str, Any]],
    types: Mapping[str, Type],
    rows: int,
) -> None:
    """Registers pandas columns or arrays."""
    arrays: dict[str, Array] = {}
    shown = []
    for position, (name, column) in enumerate(columns):
        if name not in types:
            continue
        values, valid = _read(column, name, types[name], rows)
        arrays[f"c{position}"] = values
        shown.append(f"c{position}")
        if valid is not None:
            arrays[f"v{position}"] = valid
            shown[-1] = f"CASE WHEN v{position} THEN c{position} END"
        shown[-1] += f" AS {sql_name(name)}"
    connection.register("lapcat_arrays", arrays)
    connection.execute(f"CREATE TEMP VIEW lapcat_frame AS SELECT {', '.join(shown)} FROM lapcat_arrays")


def _read(series: Any, name: str, kind: Type, rows: int) -> tuple[Array, Array | None]:
    try:
        values, valid = _arrays(series, name, kind)
        whole = len(values) == rows
    except BadArgument:
        raise
    except Exception as problem:  # any error of a cell; its text may quote the cell
        raise _unreadable(name, f"({type(problem).__name__})") from None
    if not whole:
        raise _unreadable(name, "(it has more or fewer cells than the frame has rows)")
    return values, valid


def _unreadable(name: str, why: str) -> BadArgument:
    return BadArgument(
        "frame-unreadable", f"the column {name} cannot be read {why}", fix=f"frame.drop(columns={name!r})"
    )


def _arrays(series: Any, name: str, kind: Type) -> tuple[Array, Array | None]:
    """A column's values, and a mask of those that are not NULL if the dtype cannot express NULL."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iufbM":
        return np.ascontiguousarray(series if isinstance(series, np.ndarray) else series.to_numpy()), None
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        raise BadArgument(
            "column-type", f"{name} has the dtype {dtype}, which lapcat does not support", fix="drop it"
        )
    if isinstance(series, np.ndarray):
        return _coerced(series, np.array([cell is not None for cell in series], dtype=bool), name, kind)
    present = series.notna().to_numpy(dtype=bool)
    plain = getattr(dtype, "numpy_dtype", None)
    if isinstance(plain, np.dtype) and plain.kind in "iufb":  # Int64, boolean, double[pyarrow] …
        return series.to_numpy(dtype=plain, na_value=plain.type(0)), present
    if getattr(dtype, "tz", None) is not None:
        return series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), None
    return _coerced(series.astype(object).to_numpy(), present, name, kind)


def _coerced(cells: Array, present: Array, name: str, kind: Type) -> tuple[Array, Array]:
    """Python objects converted to the declared type."""
    stored, null = _EMPTY[kind]
    typed = [coerce(cell, kind) if there else None for cell, there in zip(cells, present, strict=True)]
    if present.any() and all(value is None for value in typed):
        raise _never(name, kind, [cell for cell, there in zip(cells, present, strict=True) if there])
    values = np.array([null if value is None else value for value in typed], dtype=stored)
    return values, np.array([value is not None for value in typed], dtype=bool)


def _never(name: str, kind: Type, cells: list[object]) -> BadArgument:
    """The error for a column that would be all NULL; suggests a type that fits."""
    holds = ", ".join(sorted({type(cell).__name__ for cell in cells})[:3])
    fits = next((t for t in Type if any(coerce(cell, t) is not None for cell in cells)), None)
    return BadArgument(
        "column-type",
        f"no cell of {name} is {kind}: it holds {holds}",
        why="values that do not fit the column's type become NULL, and here none fits",
        fix=f"frame.drop(columns={name!r})" if fits is None else f'types={{{name!r}: "{fits}"}}',
    )
