"""What every tool is asked, and how its process answers: one task in, one JSON out. Needs the standard library alone.

A tool's file, `ask_….py`, runs in that tool's own virtual environment. It maps the questions that the tool can be asked to
functions that each ask once, and hands them to `answer`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

QUESTIONS = ("count", "sum", "avg", "median", "stddev", "together")
"""By group and at person level, each for the whole epsilon. `together`: COUNT, SUM and AVG in one, for one epsilon."""

Answers = dict[str, dict[str, float]]
"""By output, by group."""
Ask = Callable[[], list[Answers]]
"""Asks once, or several times together."""


@dataclass(frozen=True)
class Task:
    """A table, what is public about it, and what may be spent on each question."""

    name: str
    parquet: str
    unit: str
    group: str
    keys: list[str]
    value: str
    low: float
    high: float
    rows_each: int
    """The most rows for which one person counts."""
    groups_each: int
    """The most groups for which one person counts, where a tool asks for it."""
    epsilon: float
    delta: float
    """Only for a tool that cannot be asked without."""
    repeats: int
    seconds: float
    """For each question: a slow tool repeats it less often."""
    questions: list[str]
    """Which of them are asked; "by hand" belongs to "together"."""

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))


def task() -> Task:
    """The one that this process was started for."""
    return Task(**json.loads(Path(sys.argv[1]).read_text()))


def by_group(keys: list[str], groups: object, values: object) -> dict[str, float]:
    """One output: a group that is missing from the answer counts as 0, which is what an analyst would take it for."""
    found = dict(zip(groups, values, strict=True))  # type: ignore[call-overload]
    return {key: float(found.get(key) or 0) for key in keys}


def answer(asked: Task, version: str, how: dict[str, str], questions: dict[str, Ask]) -> None:
    """Asks each question as often as the task says, and prints everything. `how`: the settings, and for a question that
    the tool cannot be asked, why not."""
    released: dict[str, list[Answers]] = {}
    failed: dict[str, str] = {}
    for name, ask in questions.items():
        if ("together" if name == "by hand" else name) not in asked.questions:
            continue
        released[name], start = [], time.monotonic()
        try:
            while len(released[name]) < asked.repeats and time.monotonic() - start < asked.seconds:
                released[name] += ask()
        except Exception as error:  # a tool that refuses one question still answers the others
            failed[name] = str(error).strip().partition("\n")[0]
    print(json.dumps({"version": version, "how": how, "released": released, "failed": failed}))
