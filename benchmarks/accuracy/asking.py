"""The protocol between report.py and the tools: one task in, one JSON out. Uses only the standard library.

A tool's script, `ask_….py`, runs in that tool's own virtual environment. It maps the questions that the tool supports to
functions that ask once, and passes them to `answer`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

QUESTIONS = ("count", "sum", "avg", "median", "stddev", "together")
"""By group, with person-level privacy, each at the full epsilon. `together`: COUNT, SUM and AVG in one, for one epsilon."""

Answers = dict[str, dict[str, float]]
"""By output, by group."""
Ask = Callable[[], list[Answers]]
"""Asks once, or several times at once."""


@dataclass(frozen=True)
class Task:
    """A table, its public facts, and the budget of each question."""

    name: str
    parquet: str
    unit: str
    group: str
    keys: list[str]
    value: str
    low: float
    high: float
    rows_each: int
    """Contribution bound: rows per person."""
    groups_each: int
    """Contribution bound: groups per person, for tools that require it."""
    epsilon: float
    delta: float
    """Only for tools that require it."""
    repeats: int
    seconds: float
    """Time limit per question; a slow tool repeats it less often."""
    questions: list[str]
    """The questions to ask; "by hand" belongs to "together"."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))


def task() -> Task:
    """The task of this process."""
    return Task(**json.loads(Path(sys.argv[1]).read_text()))


def by_group(keys: list[str], groups: object, values: object) -> dict[str, float]:
    """One output by group. A group missing from the answer counts as 0, as an analyst would assume."""
    by_key = dict(zip(groups, values, strict=True))  # type: ignore[call-overload]
    return {key: float(by_key.get(key) or 0) for key in keys}


def answer(asked: Task, version: str, how: dict[str, str], questions: dict[str, Ask]) -> None:
    """Asks each question as often as the task says, and prints the result. `how`: the settings, and for an unsupported question
    the reason."""
    released: dict[str, list[Answers]] = {}
    failed: dict[str, str] = {}
    for name, ask in questions.items():
        if ("together" if name == "by hand" else name) not in asked.questions:
            continue
        released[name], start = [], time.monotonic()
        try:
            while len(released[name]) < asked.repeats and time.monotonic() - start < asked.seconds:
                released[name] += ask()
        except Exception as error:  # a tool that fails on one question still answers the others
            failed[name] = str(error).strip().partition("\n")[0]
    print(json.dumps({"version": version, "how": how, "released": released, "failed": failed}))
