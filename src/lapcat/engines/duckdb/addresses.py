"""Files, as the catalogue writes them.

staff.csv    staff.tsv.gz    staff.jsonl    staff.xlsx#Sheet1    sqlite:company.db#staff
staff.parquet    duckdb:company.db#staff
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lapcat.engines.base import sources
from lapcat.engines.base.sources import ANY_CLUSTER, Source, absolute
from lapcat.errors import BadQuery
from lapcat.plan.schema import Cluster

_ALL = ("rename_duplicates", "decimal_separator", "dateformat", "timestampformat")
TEXT_OPTIONS: dict[str, tuple[str, ...]] = {
    "csv": ("encoding", "delim", "names", *_ALL),
    "json": ("encoding", *_ALL),
    "excel": ("names", *_ALL),
    "sqlite": _ALL,
}
"""The `read` options of each kind of text file; other kinds have typed columns."""


@dataclass(frozen=True, slots=True)
class FileSource(Source):
    """A file, or a table or sheet in it."""

    package: ClassVar[str] = "lapcat.engines.duckdb"

    @property
    def read_options(self) -> tuple[str, ...]:
        return TEXT_OPTIONS.get(self.kind, ())

    @property
    def stem(self) -> str:
        """The table, or a sheet with a name of its own; else the file."""
        if self.table is None or (self.kind == "excel" and re.fullmatch(SHEET, self.table)):
            return Path(self.path.name.removesuffix(".gz")).stem
        return self.table if self.kind == "excel" else self.table.rpartition(".")[2]


SHEET = r"(?i)(sheet|tabelle|feuil|hoja|blad|foglio)\W*\d*"
"""Default names of sheets."""


def parse(text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER) -> Source | None:
    """A file as the catalogue writes it; None if its kind is unknown."""
    if text.startswith("duckdb:"):
        file, mark, table = text.removeprefix("duckdb:").rpartition("#")
        if not (file and mark and table):
            raise BadQuery(
                "source-unknown",
                f"{text!r} names no table of the DuckDB file",
                fix='source = "duckdb:company.db#staff"',
            )
        schema, _, name = table.rpartition(".")
        return FileSource("duckdb", absolute(file, base_dir), schema or "main", name)
    kind, file, part = split_file(text)
    if kind in ("sqlite", "excel"):
        example = "sqlite:company.db#staff" if kind == "sqlite" else "staff.xlsx#Sheet1"
        if not (file and part):
            raise BadQuery(
                "source-unknown",
                f"{text!r} names no {'table' if kind == 'sqlite' else 'sheet'} of the file",
                fix=f'source = "{example}"',
            )
        return FileSource(kind, absolute(file, base_dir), table=part)
    if kind is not None and not part:
        return FileSource(kind, absolute(file, base_dir))
    return None


def relative(text: str, folder: Path) -> str:
    """The text as the catalogue in this folder writes it."""
    if text.startswith("duckdb:"):
        path, mark, table = text.removeprefix("duckdb:").rpartition("#")
        return f"duckdb:{sources.relative(path, folder)}{mark}{table}" if mark else text
    if "://" in text:
        return text
    kind, file, part = split_file(text)
    prefix = "sqlite:" if kind == "sqlite" else ""
    return prefix + sources.relative(file, folder) + (f"#{part}" if part else "")


def split_file(text: str) -> tuple[str | None, str, str]:
    """The kind of a file by its name, the file, and the table or sheet, if any.

    >>> split_file("a.csv.gz"), split_file("a.xlsx#Sheet1"), split_file("sqlite:a.db")
    (('csv', 'a.csv.gz', ''), ('excel', 'a.xlsx', 'Sheet1'), ('sqlite', 'a.db', ''))
    """
    if text.startswith("sqlite:"):
        file, mark, part = text.removeprefix("sqlite:").rpartition("#")
        return "sqlite", file if mark else part, part if mark else ""
    for file, part in ((text, ""), (text.rpartition("#")[0], text.rpartition("#")[2])):
        for ending, kind in _ENDINGS.items():
            packed = (".gz",) if kind in ("csv", "json") else ()
            if file.lower().endswith((ending, *(ending + more for more in packed))) and "://" not in file:
                return (kind, file, part) if kind == "excel" or not part else (None, text, "")
    return None, text, ""


_ENDINGS: dict[str, str] = {
    **dict.fromkeys([".csv", ".tsv", ".txt", ".data"], "csv"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
    **dict.fromkeys([".xlsx", ".xls", ".ods"], "excel"),
    ".parquet": "parquet",
}
