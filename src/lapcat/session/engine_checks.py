"""What engines were found to mean: `lapcat check --engine` runs the suite, and its findings are kept by engine and version.

lapcat.cache/engines.json    {"spark 4.1.0": {"suite": "…", "unlike": ["LIKE"]}}

A question that uses an operator of the list is refused on that engine. Another version of the engine (or of what talks to
a server), or of the suite, is another engine: nothing is known of it until it is checked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lapcat.engines.homes import Progress, home_of
from lapcat.engines.operators import Found
from lapcat.engines.several import engine_of
from lapcat.engines.sources import Source


def check_engine(folder: Path, source: Source, progress: Progress = lambda fraction: None) -> list[Found]:
    """Probes the engine of a source, and keeps what was found."""
    from lapcat.engines.conformance import suite_mark

    home = home_of(source)
    found = [*home.probe(source, progress)]
    unlike = [each.operator for each in found if each.result != "same"]
    kept = {**_kept(folder), engine_of(source): {"suite": suite_mark(), "unlike": unlike}}
    path = _path(folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    unfinished.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(unfinished, path)
    return found


def unlike_in(folder: Path) -> Mapping[str, frozenset[str]]:
    """For each engine that was checked by this suite, the operators that are refused on it."""
    listed = {name: entry.get("unlike") for name, entry in _kept(folder).items()}
    found = {name: frozenset(unlike) for name, unlike in listed.items() if unlike}
    if not found:  # the suite is not even loaded where nothing was found
        return {}
    from lapcat.engines.conformance import suite_mark

    mark = suite_mark()
    return {name: unlike for name, unlike in found.items() if _kept(folder)[name].get("suite") == mark}


def _path(folder: Path) -> Path:
    return folder / "lapcat.cache" / "engines.json"


def _kept(folder: Path) -> dict[str, dict[str, Any]]:
    try:
        kept = json.loads(_path(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return (
        {name: entry for name, entry in kept.items() if isinstance(entry, dict)}
        if isinstance(kept, dict)
        else {}
    )
