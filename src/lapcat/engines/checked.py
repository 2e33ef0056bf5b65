"""The versions of engines that this lapcat was tested with, and what is said of any other.

Another version is not believed to mean the same: it gets no question before `lapcat check --engine`, or the steward's
next `refresh`, has run the suite (conformance.py) on it. DuckDB and Spark change what functions mean from one release to
the next, so each release is a version; PostgreSQL's releases of one major version only mend faults.
"""

from __future__ import annotations

from collections.abc import Callable

from lapcat.errors import Refused

CHECKED = frozenset({"duckdb 2.0.0", "postgresql 15", "spark 4.3.0"})
"""All tests of tests/engines ran on these: the golden questions, random plans over hostile tables, every operator."""

Verdict = Callable[[str], frozenset[str] | None]
"""For an engine by its name: the operators that are refused on it, or None where nobody has checked it."""


def is_known(engine: str) -> bool:
    """Whether an engine (`postgresql 15.20 at db.example:5432/company`) is one that this lapcat was tested with."""
    product, _, version = engine.partition(" at ")[0].partition(" ")
    release = version.partition(".")[0] if product == "postgresql" else version
    return f"{product} {release}" in CHECKED


def unchecked(engine: str) -> Refused:
    return Refused(
        "engine-unchecked",
        f"nobody has checked yet what {engine} means by its operators",
        why="what one unit can do to an answer is proved for lapcat's meaning, and another version may have another",
        fix="lapcat check --engine, as the steward; it takes seconds, reads no row, and is kept for this version",
    )
