"""Where a table's rows come from, as the catalogue writes it.

staff.csv    staff.parquet    duckdb:company.db#staff
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lapcat.errors import BadQuery

Kind = Literal["csv", "parquet", "duckdb"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a table in a DuckDB file."""

    kind: Kind
    path: Path
    schema: str = "main"
    table: str | None = None

    @property
    def name(self) -> str:
        """What errors call it: the last part of the path, and the table."""
        return self.path.name + ("" if self.table is None else f"#{self.table}")

    def identity(self, root: Path) -> str:
        """What spending is booked under: the real path from a folder, and the table, as DuckDB tells tables apart.

        Moving the whole folder changes nothing, and neither does another spelling of the same place.
        """
        path = Path(os.path.relpath(os.path.realpath(self.path), os.path.realpath(root))).as_posix()
        if self.table is None:
            return path
        table = self.table.lower()
        return f"{path}#{table}" if self.schema.lower() == "main" else f"{path}#{self.schema.lower()}.{table}"


def parse_source(text: str, base_dir: Path) -> Source:
    """Reads a source as the catalogue writes it; relative paths are from base_dir. The file need not exist yet.

    >>> parse_source("duckdb:company.db#staff", Path("/srv")).identity(Path("/srv"))
    'company.db#staff'
    """
    if text.startswith("duckdb:"):
        file, mark, table = text.removeprefix("duckdb:").rpartition("#")
        if not (file and mark and table):
            raise BadQuery(
                "source-unknown",
                f"{text!r} names no table of the DuckDB file",
                fix='source = "duckdb:company.db#staff"',
            )
        schema, _, name = table.rpartition(".")
        return Source("duckdb", _path(file, base_dir), schema or "main", name)
    for ending, kind in _ENDINGS.items():
        if text.lower().endswith(ending) and "://" not in text:
            return Source(kind, _path(text, base_dir))
    raise BadQuery(
        "source-unknown",
        f"{text!r} is no source that lapcat can read",
        why="it reads .csv and .parquet files, and tables of DuckDB files",
        fix='source = "staff.parquet", or "staff.csv", or "duckdb:company.db#staff"',
    )


_ENDINGS: dict[str, Kind] = {".csv": "csv", ".parquet": "parquet"}


def _path(text: str, base_dir: Path) -> Path:
    return Path(os.path.abspath(base_dir / Path(text).expanduser()))
