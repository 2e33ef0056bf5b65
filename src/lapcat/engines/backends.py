"""The registry of backends: for each kind of source, the package that reads it.

A package is imported only when a table of its kind is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from lapcat.engines.base.backend import Backend
from lapcat.engines.base.sources import Kind, Source
from lapcat.errors import BadArgument

BACKENDS: Mapping[Kind, str] = {
    **dict.fromkeys(("csv", "json", "excel", "sqlite", "parquet", "duckdb"), "duckdb"),
    "postgresql": "postgres",
    "spark": "spark",
}
EXTRAS = {"psycopg": "postgres", "pyspark": "spark"}
"""The extra of lapcat that installs each package."""


def backend_of(source: Source) -> Backend:
    try:
        backend: Backend = import_module(f"lapcat.engines.{BACKENDS[source.kind]}.backend").BACKEND
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise BadArgument(
            "extra-missing", f"{package} is not installed", fix=f"pip install 'lapcat[{EXTRAS[package]}]'"
        ) from None
    return backend
