"""Failure oracles: other people's rows bring an engine close to a limit, and one more person might exceed it.

The work that one person causes is bounded by public numbers, but the total load is not: it may lie just below a limit. Here the
adversary knows that load exactly, and memory or time is short. They search for the smallest load that fails, and run the queries
around it with and without the person. docs/promises.md makes no promise about this: the attack reports what it measures.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from pathlib import Path

from lapcat.audit.attacks.finding import Finding
from lapcat.audit.attacks.worlds import Visit, changed, deployed
from lapcat.engines.attempts import Attempts
from lapcat.plan.nodes import scans_of
from lapcat.session import Session
from lapcat.session.deployment import Deployment
from lapcat.session.files import open_deployment

PEOPLE, HEAVY = 60_000, 1_000
"""People with three rows each; and the row count of the target, far more than rows_per_unit."""
ENGINE = 'memory = "64MB"\nthreads = 1\ntimeout = 20'
LONG = 20.0
"""Seconds; a deadline that never binds."""
AROUND = 5
"""The number of questions on either side of an edge."""
PAIRS = (
    "SELECT COUNT(DISTINCT a.code * 1000000 + a.minutes * 1000 + b.minutes) AS n FROM visits a "
    "JOIN visits b ON a.person_id = b.person_id WHERE a.code < {load}"
)
NOTES = (
    "SELECT COUNT(DISTINCT a.note) AS n, COUNT(DISTINCT b.note) AS m FROM visits a "
    "JOIN visits b ON a.person_id = b.person_id WHERE a.code < {load}"
)
SIX = (
    "SELECT "
    + ", ".join(f"COUNT(DISTINCT CASE WHEN minutes >= {n} THEN note END) AS n{n}" for n in range(6))
    + " FROM visits WHERE code < {load}"
)


@dataclass(frozen=True, slots=True)
class EngineLimit:
    """A limit of an engine, and a question that uses more of it as the load grows."""

    name: str
    memory: str
    question: str
    share: float | None = None
    """The deadline, as a share of the time that the largest load takes; None for LONG."""


LIMITS = (
    EngineLimit("memory", "12MB", PAIRS),
    EngineLimit("memory", "32MB", NOTES),
    EngineLimit("memory", "40MB", SIX),
    EngineLimit("deadline", "1GB", SIX, 0.6),
)
"""With less memory these questions fail at any load, with more at none, since rows are spilled to disk."""


@dataclass(frozen=True, slots=True)
class EdgeOutcomes:
    """The outcomes of the questions around one edge; empty if there is no edge."""

    limit: EngineLimit
    outcomes: tuple[tuple[bool, bool, bool], ...]
    """Whether each finishes: without the person, with the person, and in another copy of the rows without the person."""

    @property
    def differ(self) -> int:
        return sum(without != there for without, there, _ in self.outcomes)

    @property
    def unsteady(self) -> int:
        return sum(without != same for without, _, same in self.outcomes)


def attack(epsilon: object) -> Finding:
    visits = fixture_visits(PEOPLE)
    with (
        deployed(epsilon, visits, ENGINE) as without,
        changed(without, [*visits, *heavy_visits()]) as there,
        changed(without, visits) as same,
    ):
        results = []
        for limit in LIMITS:
            worlds = [with_memory(folder, limit.memory) for folder in (without, there, same)]
            results.append(search(limit, *worlds))
    asked, edges = sum(len(each.outcomes) for each in results), sum(bool(each.outcomes) for each in results)
    differ, unsteady = sum(each.differ for each in results), sum(each.unsteady for each in results)
    return Finding(
        "failure",
        f"questions of increasing load with little memory or time, then {asked} around the loads at which "
        f"{edges} of {len(LIMITS)} kinds of question start to fail",
        "an engine at its limit fails if and only if the person is in the table",
        f"different outcomes with the person, and in another copy of the same rows: {_counted(results)}; whether a question fails "
        "is one bit of output, and each failure pauses the analyst who asked",
        True if differ == 0 else None,
        {"asked": asked, "differ": differ, "unsteady": unsteady, "edges": edges},
    )


def _counted(results: list[EdgeOutcomes]) -> str:
    parts = []
    for name in dict.fromkeys(each.limit.name for each in results):
        of_it = [each for each in results if each.limit.name == name]
        asked, differ, unsteady = (
            sum(numbers)
            for numbers in zip(*((len(e.outcomes), e.differ, e.unsteady) for e in of_it), strict=True)
        )
        parts.append(f"{name}: {differ} and {unsteady} of {asked}")
    return ", ".join(parts)


def search(limit: EngineLimit, without: Deployment, there: Deployment, same: Deployment) -> EdgeOutcomes:
    """Finds the smallest load that fails without the person, and runs the questions around it."""
    seconds = LONG
    if limit.share is not None:
        full = limit.question.format(load=PEOPLE)
        seconds = limit.share * min(_seconds(without, full, LONG) or LONG for _ in range(3))
    edge = _edge(without, limit.question, seconds)
    loads = range(0) if edge is None else range(max(1, edge - AROUND), edge + AROUND + 1)
    texts = [limit.question.format(load=load) for load in loads]
    return EdgeOutcomes(
        limit,
        tuple(
            (
                _finishes(without, text, seconds),
                _finishes(there, text, seconds),
                _finishes(same, text, seconds),
            )
            for text in texts
        ),
    )


def fixture_visits(people: int) -> list[Visit]:
    dice = random.Random(7)
    return [
        _visit(n // 3, n // 3, f"{dice.getrandbits(192):048x}", dice.randrange(120))
        for n in range(3 * people)
    ]


def heavy_visits() -> list[Visit]:
    return [_visit(PEOPLE, 0, f"somebody else {n:034}", n % 120) for n in range(HEAVY)]


def _visit(person: int, code: int, note: str, minutes: int) -> Visit:
    return {"person_id": person, "code": code, "minutes": minutes, "pay": code % 100, "note": note}


def with_memory(folder: Path, memory: str) -> Deployment:
    """The same rows and ledger with another memory limit, which needs no new acceptance."""
    path = folder / "lapcat.toml"
    path.write_text(
        re.sub(r"memory = \".*\"", f'memory = "{memory}"', path.read_text("utf-8")), encoding="utf-8"
    )
    return open_deployment(path)


def _edge(deployment: Deployment, kind: str, seconds: float) -> int | None:
    """The smallest load at which a kind of question fails; None if there is no such edge."""

    def finishes(load: int) -> bool:
        return _finishes(deployment, kind.format(load=load), seconds)

    if not finishes(1) or finishes(PEOPLE):
        return None
    good, bad = 1, PEOPLE
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if finishes(middle) else (good, middle)
    return bad


def _finishes(deployment: Deployment, text: str, deadline: float) -> bool:
    return _seconds(deployment, text, deadline) is not None


def _seconds(deployment: Deployment, text: str, deadline: float) -> float | None:
    """The engine's run time, or None if it fails, including its second attempt. The result itself stays closed."""
    prepared = Session(deployment).sql(text).prepared
    engine = deployment.engine(scans_of(prepared.plan))
    for plan in prepared.executed_plans:
        engine.ready(plan)  # a broken setup must not count as a failure
    begin, attempts = time.monotonic(), Attempts(engine, deadline)
    try:
        for plan in prepared.executed_plans:
            attempts.execute(plan)
    except Exception:
        return None
    return time.monotonic() - begin
