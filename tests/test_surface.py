"""What users rely on by name is what is recorded: a name that goes away is somebody's script that breaks."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def flat(value: Any, path: str = "") -> set[str]:
    if isinstance(value, dict):
        return {line for key, held in value.items() for line in flat(held, f"{path} › {key}")}
    if isinstance(value, list):
        return {f"{path} › {held}" for held in value} or {path}
    return {f"{path} = {value}"}


def made() -> Any:
    spec = importlib.util.spec_from_file_location("surface", ROOT / "scripts" / "surface.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return json.loads(json.dumps(script.surface()))


def test_the_surface_is_the_recorded_one() -> None:
    now = flat(made())
    before = flat(json.loads((ROOT / "tests" / "surface.json").read_text(encoding="utf-8")))
    gone, new = sorted(before - now), sorted(now - before)
    assert not gone and not new, "\n".join(
        [
            "the surface changed: run `python scripts/surface.py` and say so in CHANGELOG.md",
            *(f"- {line}" for line in gone),
            *(f"+ {line}" for line in new),
        ]
    )


def test_every_kind_of_name_is_recorded() -> None:
    recorded = json.loads((ROOT / "tests" / "surface.json").read_text(encoding="utf-8"))
    assert {kind: len(names) > 4 for kind, names in recorded.items()} == dict.fromkeys(
        ("commands", "environment", "exit codes", "error codes", "catalogue", "json", "python"), True
    )
    assert "lapcat ledger verify" in recorded["commands"]
    assert recorded["exit codes"]["BudgetExceeded"] == 4
    assert "returned Question.run" in recorded["python"]
