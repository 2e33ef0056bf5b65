"""The versions of engines that this lapcat was tested with, and what is said of any other.

Another version is not believed to mean the same: it gets no question before `lapcat check --engine`, or the steward's
next `refresh`, has run the suite (conformance.py) on it. What only mends faults is the same version: the releases of one
major version of PostgreSQL, of one minor version of DuckDB or Spark.
"""

from __future__ import annotations

from collections.abc import Callable

from lapcat.errors import Refused

CHECKED = frozenset({"duckdb 2.0", "postgresql 15", "spark 4.3"})
"""All tests of tests/engines ran on these: the golden questions, random plans over hostile tables, every operator. The test
extra of pyproject.toml keeps to them."""

Verdict = Callable[[str], frozenset[str] | None]
"""For an engine by its name: the operators that are refused on it, or None where nobody has checked it."""


def is_known(engine: str) -> bool:
    """Whether an engine (`postgresql 15.20 at db.example:5432/company`) is one that this lapcat was tested with."""
    return version_of(engine) in CHECKED


def version_of(engine: str) -> str:
    """`postgresql 15`, `duckdb 2.0`: what is listed."""
    product, _, release = engine.partition(" at ")[0].partition(" ")
    parts = release.split(".")[: 1 if product == "postgresql" else 2]
    return f"{product} {'.'.join(parts)}"


def unchecked(engine: str) -> Refused:
    return Refused(
        "engine-unchecked",
        f"nobody has checked yet what {engine} means by its operators",
        why="what one unit can do to an answer is proved for lapcat's meaning, and another version may have another",
        fix="lapcat check --engine, as the steward; it takes seconds, reads no row, and is kept for this version",
    )
