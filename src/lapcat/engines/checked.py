"""Engine versions that this release of lapcat was tested with, and the refusal of any other.

Any other version gets no question until `lapcat check --engine`, or the steward's next `refresh`, has run the conformance
suite on it (conformance.py). Bug-fix releases count as the same version: those of one major version of PostgreSQL, or of one
minor version of DuckDB or Spark.
"""

from __future__ import annotations

from collections.abc import Callable

from lapcat.errors import Refused

CHECKED = frozenset({"duckdb 2.0", "postgresql 15", "spark 4.3"})
"""All of tests/engines passed on these: golden questions, random plans over hostile tables, every operator. The test extra of
pyproject.toml pins them."""

Verdict = Callable[[str], frozenset[str] | None]
"""Maps an engine's name to the operators refused on it, or to None if the engine is unchecked."""


def is_known(engine: str) -> bool:
    """Whether this release of lapcat was tested with an engine (`postgresql 15.20 at db.example:5432/company`)."""
    release = engine.partition(" at ")[0]
    return any(release == checked or release.startswith(f"{checked}.") for checked in CHECKED)


def unchecked(engine: str) -> Refused:
    return Refused(
        "engine-unchecked",
        f"{engine} has not passed the conformance suite yet",
        why="sensitivities are proved for lapcat's meaning of each operator, and another engine version may differ",
        fix="lapcat check --engine, as the steward; it takes seconds and reads no row; the result is stored for this version",
    )
