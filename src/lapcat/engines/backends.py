"""The registry of engines: finds the one that reads a source.

To add an engine, add its package to PACKAGES. `addresses.py` in it reads sources as the catalogue writes them, `backend.py` has its
`BACKEND`, and is imported only when a table is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lapcat.engines.base.sources import ANY_CLUSTER, Source
from lapcat.errors import BadArgument, BadQuery
from lapcat.plan.schema import Cluster, ReadOptions

if TYPE_CHECKING:  # it prints SQL, which previews do not need
    from lapcat.engines.base.backend import Backend

PACKAGES = ("lapcat.engines.postgres", "lapcat.engines.spark", "lapcat.engines.duckdb")
"""Asked in this order."""


class Addresses(Protocol):
    """What `addresses.py` of an engine's package has."""

    def parse(self, text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER) -> Source | None:
        """A source as the catalogue writes it; None if another engine reads it."""

    def relative(self, text: str, folder: Path) -> str | None:
        """The text as the catalogue in this folder writes it: with relative paths; None if another engine reads it."""


def _addresses() -> Iterator[Addresses]:
    return (import_module(f"{package}.addresses") for package in PACKAGES)


def parse_source(
    text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER, read: ReadOptions | None = None
) -> Source:
    """Reads a source as the catalogue writes it; relative paths are from base_dir. The file need not exist yet.

    >>> parse_source("duckdb:company.db#staff", Path("/srv")).identity(Path("/srv"))
    'company.db#staff'
    >>> parse_source("postgresql://ana@DB.example/company#staff", Path()).identity(Path())
    'postgresql://db.example:5432/company#public.staff'
    """
    for addresses in _addresses():
        source = addresses.parse(text, base_dir, cluster)
        if source is not None:
            return source if read is None else _read_as(source, read)
    raise BadQuery(
        "source-unknown",
        f"{text!r} is not a source that lapcat can read",
        why="it reads .csv, .tsv, .txt, .data, .json, .jsonl, .xlsx and .parquet files, and tables of SQLite and DuckDB files, "
        "of PostgreSQL and of Spark",
        fix='source = "staff.csv", or "staff.xlsx#Sheet1", or "duckdb:company.db#staff"',
    )


def _read_as(source: Source, read: ReadOptions) -> Source:
    known = source.read_options
    for option in fields(ReadOptions):
        if getattr(read, option.name) != option.default and option.name not in known:
            allowed = ", ".join(known)
            raise BadQuery(
                "read-option",
                f"read.{option.name} does not apply to {source.name}",
                why=f"`read` options of such a file: {allowed}" if known else "`read` is for text files",
                fix=f"leave {option.name} out of `read`",
            )
    return replace(source, read=read)


def relative_source(text: str, folder: Path) -> str:
    """The source as the catalogue in this folder writes it: with relative paths."""
    written = (addresses.relative(text, folder) for addresses in _addresses())
    return next(filter(None, written), text)


def backend_of(source: Source) -> Backend:
    try:
        backend: Backend = import_module(f"{source.package}.backend").BACKEND
    except ModuleNotFoundError as missing:
        if not source.driver or (missing.name or "").partition(".")[0] != source.driver:
            raise
        extra = source.package.rpartition(".")[2]
        raise BadArgument(
            "extra-missing", f"{source.driver} is not installed", fix=f"pip install 'lapcat[{extra}]'"
        ) from None
    return backend
