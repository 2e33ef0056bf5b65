"""Conformance results of engines: `lapcat check --engine` runs the suite; results are stored by engine and version.

lapcat.cache/engines.json    {"spark 4.1.0": {"suite": "…", "unlike": ["LIKE"]}}

A question that uses an operator in the list is refused on that engine. Versions that lapcat's own tests ran on
(engines/checked.py) need no check here. Any other version, or one checked by another suite, gets no question until it is
checked; `refresh` does that automatically, since it takes seconds, once per version.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.base.engine import Progress
from lapcat.engines.base.sources import Source
from lapcat.engines.checked import Verdict, is_known
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.router import engine_of


def check_engine(
    folder: Path, source: Source, progress: Progress = lambda fraction: None
) -> list[OperatorMeaning]:
    """Probes the engine of a source, and stores the result."""
    from lapcat.engines.conformance import suite_mark

    backend = backend_of(source)
    meanings = [*backend.probe(source, progress)]
    unlike = [each.operator for each in meanings if each.result != "same"]
    kept = {**(_kept(folder) or {}), engine_of(source): {"suite": suite_mark(), "unlike": unlike}}
    path = _path(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(unfinished, path)
    return meanings


def ensure_checked(folder: Path, source: Source) -> None:
    """Probes the engine of a source if its version was not checked."""
    if verdict_in(folder)(engine_of(source)) is None:
        check_engine(folder, source)


def verdict_in(folder: Path) -> Verdict:
    """The verdicts on engines: from the stored results of this suite, else from lapcat's own tests."""

    def verdict(engine: str) -> frozenset[str] | None:
        kept = _kept(folder)  # read each time: another process may have checked it meanwhile
        if kept is None:
            return None
        if engine not in kept:
            return frozenset() if is_known(engine) else None
        from lapcat.engines.conformance import suite_mark

        unlike = kept[engine].get("unlike")
        if kept[engine].get("suite") != suite_mark() or not isinstance(unlike, list):
            return None
        return frozenset(map(str, unlike))

    return verdict


@cache
def found_here(engine: str) -> frozenset[str] | None:
    """The verdict on this process's DuckDB, for tables in memory: probed once if lapcat's tests did not cover it."""
    if is_known(engine):
        return frozenset()
    source = parse_source("any.parquet", Path())  # any kind of file: none is read
    return frozenset(
        each.operator for each in backend_of(source).probe(source, lambda _: None) if each.result != "same"
    )


def _path(folder: Path) -> Path:
    return folder / "lapcat.cache" / "engines.json"


def _kept(folder: Path) -> dict[str, dict[str, Any]] | None:
    """The stored results; None if the file is unreadable, which differs from empty."""
    try:
        kept = json.loads(_path(folder).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    whole = isinstance(kept, dict) and all(isinstance(entry, dict) for entry in kept.values())
    return kept if whole else None
