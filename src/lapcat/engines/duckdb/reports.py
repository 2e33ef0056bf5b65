"""Reports of the local model in files: reads people's values, writes a Parquet table of reports, and counts it.

A report is public once it is sent. Counting is a COUNT by value, which any engine can do; the statements name only the
columns that a protocol writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lapcat.engines.base.sources import Source
from lapcat.engines.duckdb.connection import connect, quoted
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.sources import reading, real
from lapcat.errors import BadQuery, EngineFailed
from lapcat.plan.headers import missing_column
from lapcat.plan.words import sql_name
from lapcat.stored.json_once import read_json

if TYPE_CHECKING:
    import duckdb

Array = np.ndarray[Any, Any]
HEADER = "lapcat_local"
BITS_AT_ONCE = 512  # aggregates in one statement
WHOLE = {f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
"""Integer types in which reports may be stored. A float would be truncated, and a text parsed as a number."""


class ByPlace(Protocol):
    """Counts reports by the XOR of columns, optionally signed (lapcat.local's Tally)."""

    @property
    def at(self) -> tuple[str, ...]: ...
    @property
    def sign(self) -> str: ...
    @property
    def mask(self) -> int: ...


class ByBit(Protocol):
    """Counts reports by the bits that are set (lapcat.local's SetBits)."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True, slots=True)
class People:
    """The raw values that are encoded; they leave only as reports."""

    names: list[str]
    values: Array
    """Texts or floats; None or NaN for a missing value."""


def read_people(source: Source, column: str, person: str | None, *, numbers: bool) -> People:
    """One value per person; without a `person` column each row is a person, named by its position."""
    with reading(source) as (connection, relation):
        wanted = [column, *([] if person is None else [person])]
        for name in wanted:
            if name not in relation.physical:
                what, why, fix = missing_column(name, wanted, relation.physical, source.name)
                raise BadQuery("local-column", what, why=why, fix=fix)
        kind = "DOUBLE" if numbers else "VARCHAR"
        who = "NULL" if person is None else f"CAST({sql_name(person)} AS VARCHAR)"
        rows = connection.execute(
            f"SELECT TRY_CAST({sql_name(column)} AS {kind}) AS told, {who} AS person FROM {relation.source.sql(DUCKDB.name)}"
        ).fetchnumpy()
    raw = rows["told"]
    values = np.ma.filled(raw.astype(np.float64), np.nan) if numbers else np.ma.filled(raw, None)
    if person is None:
        return People([str(i) for i in range(len(values))], values)
    names = np.ma.filled(rows["person"], None).tolist()
    if None in names or len(set(names)) != len(names):
        raise BadQuery(
            "local-person",
            f"{person} is NULL or repeated in some rows of {source.name}",
            why="a person who reports several values spends epsilon on each, and the file would not show it",
            fix=f"keep one row of each {person}, or name another column with --person",
        )
    return People(names, values)


def write_reports(columns: Mapping[str, Array], header: Mapping[str, object], path: Path) -> None:
    """Writes the file atomically."""
    import duckdb

    unfinished = real(path.parent) / f".{path.name}.{os.getpid()}.part"
    try:
        connection = connect([unfinished])
        try:
            connection.register("lapcat_reports", dict(columns))
            connection.execute(
                f"COPY (SELECT * FROM lapcat_reports) TO {quoted(str(unfinished))} (FORMAT parquet, USE_TMP_FILE false,"
                f" KV_METADATA {{{HEADER}: {quoted(json.dumps(header, sort_keys=True))}}})"
            )
        finally:
            connection.close()
        os.replace(unfinished, path)
    except (duckdb.Error, OSError) as problem:
        raise EngineFailed(
            "reports-unwritten",
            f"{path} could not be written ({type(problem).__name__})",
            fix="name a folder that exists and is writable",
        ) from None
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def reports(path: Path) -> Iterator[ReportFile]:
    """Opens a file of reports for counting."""
    import duckdb

    place = real(path)
    try:
        connection = connect([place])
        try:
            yield ReportFile(connection, place)
        finally:
            connection.close()
    except duckdb.Error:
        raise _unreadable(path.name) from None


class ReportFile:
    """An open file of reports: its header and counts."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        self._connection, self._path, self._name = connection, quoted(str(path)), path.name

    def header(self) -> Any:
        rows = self._connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata({self._path}) WHERE decode(key) = '{HEADER}'"
        ).fetchall()
        if not rows:
            raise _unreadable(self._name)
        try:
            ((text,),) = rows
            return read_json(text)
        except ValueError:
            raise _foreign("its header is not JSON, or repeats a key") from None

    def checked(self, spans: Mapping[str, tuple[int, int]]) -> int:
        """The number of reports, after checking that every column holds integers within its span and that no other column
        exists. A single impossible report means that the file was changed, since only the encoder writes it."""
        held = self._connection.execute(f"DESCRIBE SELECT * FROM read_parquet({self._path})").fetchall()
        kinds = {name: kind for name, kind, *_ in held}
        if kinds.keys() != spans.keys() or not set(kinds.values()) <= WHOLE:
            raise _foreign("its columns are not those of its protocol")
        wrong = " OR ".join(
            f"{sql_name(name)} IS NULL OR {sql_name(name)} < {low} OR {sql_name(name)} > {high}"
            for name, (low, high) in spans.items()
        )
        ((n, foreign),) = self._connection.execute(
            f"SELECT COUNT(*), COUNT(*) FILTER (WHERE {wrong}) FROM read_parquet({self._path})"
        ).fetchall()
        if foreign:
            raise _foreign(f"{foreign} of {n} reports are impossible under its protocol")
        return int(n)

    def by_place(self, tally: ByPlace) -> tuple[Array, Array]:
        """Positions and signed counts."""
        place = sql_name(tally.at[0])
        for other in tally.at[1:]:
            place = f"xor({place}, {sql_name(other)})"
        odd = f"bit_count({sql_name(tally.sign)} & {tally.mask}) % 2" if tally.mask else "0"
        rows = self._connection.execute(
            f"SELECT place, CAST(SUM(CASE WHEN odd = 0 THEN n ELSE -n END) AS BIGINT) AS n FROM"
            f" (SELECT {place} AS place, {odd} AS odd, COUNT(*) AS n FROM read_parquet({self._path}) GROUP BY 1, 2)"
            " GROUP BY 1 ORDER BY 1"
        ).fetchnumpy()
        return _integers(rows["place"]), _integers(rows["n"])

    def by_bit(self, tally: ByBit) -> tuple[Array, Array]:
        """Bits, and the number of reports in which each is set."""
        counted: list[int] = []
        for start in range(0, tally.size, BITS_AT_ONCE):
            bits = range(start, min(start + BITS_AT_ONCE, tally.size))
            counts = ", ".join(
                f"COUNT(*) FILTER (WHERE ({sql_name(tally.columns[i // 32])} >> {i % 32}) & 1 = 1)"
                for i in bits
            )
            (row,) = self._connection.execute(f"SELECT {counts} FROM read_parquet({self._path})").fetchall()
            counted += row
        return np.arange(tally.size), np.array(counted, np.int64)

    def about(self, length: int) -> dict[str, Array]:
        """The reports about prefixes of one length."""
        rows = self._connection.execute(
            f"SELECT * FROM read_parquet({self._path}) WHERE told = {int(length)}"
        ).fetchnumpy()
        return {name: _integers(column) for name, column in rows.items()}


def _integers(column: Sequence[int] | Array) -> Array:
    return np.asarray(column, np.int64)


def _unreadable(name: str) -> BadQuery:
    return BadQuery(
        "reports-unreadable",
        f"{name} is not a file of reports written by lapcat",
        fix="lapcat local encode writes one: -o reports.parquet",
    )


def _foreign(what: str) -> BadQuery:
    return BadQuery(
        "reports-foreign",
        f"this is not a file of reports as lapcat writes them: {what}",
        why="an estimate from modified reports would be wrong without any sign of it",
        fix="use the unmodified file that lapcat local encode wrote",
    )
