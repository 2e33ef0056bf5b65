"""What engines were found to mean: `lapcat check --engine` runs the suite, and its findings are kept by engine and version.

lapcat.cache/engines.json    {"spark 4.1.0": {"suite": "…", "unlike": ["LIKE"]}}

A question that uses an operator of the list is refused on that engine. Versions that lapcat's own tests ran on
(engines/checked.py) are known without being checked here. Any other version, or one that was checked by another suite, gets
no question until it is checked; `refresh` does that by itself where it must, since it takes seconds, once a version, and
whoever upgraded a server wants the data read, not another command.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from lapcat.engines.backends import Progress, backend_of
from lapcat.engines.checked import Verdict, is_known
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.router import engine_of
from lapcat.engines.sources import Source


def check_engine(
    folder: Path, source: Source, progress: Progress = lambda fraction: None
) -> list[OperatorMeaning]:
    """Probes the engine of a source, and keeps what was found."""
    from lapcat.engines.conformance import suite_mark

    backend = backend_of(source)
    found = [*backend.probe(source, progress)]
    unlike = [each.operator for each in found if each.result != "same"]
    kept = {**(_kept(folder) or {}), engine_of(source): {"suite": suite_mark(), "unlike": unlike}}
    path = _path(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(unfinished, path)
    return found


def ensure_checked(folder: Path, source: Source) -> None:
    """Probes the engine of a source if nothing is known of its version."""
    if verdict_in(folder)(engine_of(source)) is None:
        check_engine(folder, source)


def verdict_in(folder: Path) -> Verdict:
    """What is known of engines: by what was found here with this suite, else by the tests of this lapcat."""

    def verdict(engine: str) -> frozenset[str] | None:
        kept = _kept(folder)  # each time: another process may have checked it meanwhile
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
    """The verdict on the DuckDB of this process, for tables in memory: it is probed, once, where no test ran on it."""
    if is_known(engine):
        return frozenset()
    source = Source("parquet")  # any file: none is read
    return frozenset(
        each.operator for each in backend_of(source).probe(source, lambda _: None) if each.result != "same"
    )


def _path(folder: Path) -> Path:
    return folder / "lapcat.cache" / "engines.json"


def _kept(folder: Path) -> dict[str, dict[str, Any]] | None:
    """What was found; None where that cannot be read any more, which is not the same as nothing."""
    try:
        kept = json.loads(_path(folder).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    whole = isinstance(kept, dict) and all(isinstance(entry, dict) for entry in kept.values())
    return kept if whole else None
