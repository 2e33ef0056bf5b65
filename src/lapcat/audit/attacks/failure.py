"""Failing as an answer: others' rows fill the engine's memory to the edge, and one more person's might tip it over.

What one person can make an engine do is limited by public numbers, but the load of all others is not: it may lie just below a limit.
Here the adversary knows that load exactly, and there is little memory. They search for the question with the least load that
fails, and ask those around it with the person and without. What is found is said; it is what docs/promises.md leaves open.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from lapcat.audit.attacks.finding import Finding
from lapcat.audit.attacks.worlds import Visit, changed, deployed
from lapcat.engines.attempts import Attempts
from lapcat.errors import EngineFailed
from lapcat.plan.nodes import scans_of
from lapcat.session import Session
from lapcat.session.deployment import Deployment
from lapcat.session.files import open_deployment

PEOPLE, HEAVY = 60_000, 1_000
"""People with three rows each; and the rows of the one who is there or not, more than count for anybody."""
LIMITS = 'memory = "64MB"\nthreads = 1\ntimeout = 20'
AROUND = 5
"""Questions on either side of an edge."""
KINDS = (
    (
        "12MB",
        "SELECT COUNT(DISTINCT a.code * 1000000 + a.minutes * 1000 + b.minutes) AS n FROM visits a "
        "JOIN visits b ON a.person_id = b.person_id WHERE a.code < {load}",
    ),
    (
        "32MB",
        "SELECT COUNT(DISTINCT a.note) AS n, COUNT(DISTINCT b.note) AS m FROM visits a "
        "JOIN visits b ON a.person_id = b.person_id WHERE a.code < {load}",
    ),
    (
        "40MB",
        "SELECT "
        + ", ".join(f"COUNT(DISTINCT CASE WHEN minutes >= {n} THEN note END) AS n{n}" for n in range(6))
        + " FROM visits WHERE code < {load}",
    ),
)
"""The engine's memory, and questions that need more of it, the larger their load is. With less memory they fail at any load, with
more at none: rows that do not fit go to disk."""


def attack(epsilon: object) -> Finding:
    visits = _visits()
    person: list[Visit] = [_visit(PEOPLE, 0, f"somebody else {n:034}", n % 120) for n in range(HEAVY)]
    outcomes: list[tuple[bool, bool, bool]] = []
    edges = 0
    with (
        deployed(epsilon, visits, LIMITS) as without,
        changed(without, [*visits, *person]) as there,
        changed(without, visits) as same,
    ):
        for memory, kind in KINDS:
            here, other, again = (_with_memory(folder, memory) for folder in (without, there, same))
            edge = _edge(here, kind)
            edges += edge is not None
            for load in () if edge is None else range(max(1, edge - AROUND), edge + AROUND + 1):
                text = kind.format(load=load)
                outcomes.append((_finishes(here, text), _finishes(other, text), _finishes(again, text)))
    differ = sum(first != second for first, second, _ in outcomes)
    unsteady = sum(first != third for first, _, third in outcomes)
    return Finding(
        "failure",
        f"questions with more and more load in little memory, then {len(outcomes)} around the loads at which "
        f"{edges} of {len(KINDS)} kinds of question begin to fail",
        "an engine without room to spare fails if and only if the person is there",
        f"{differ} of {len(outcomes)} had another outcome with the person, and {unsteady} in another copy of the same rows; whether a "
        "question fails is one bit that leaves, and each failure pauses the analyst who asked",
        True if differ == 0 else None,
        {"asked": len(outcomes), "differ": differ, "unsteady": unsteady, "edges": edges},
    )


def _visits() -> list[Visit]:
    dice = random.Random(7)
    return [
        _visit(n // 3, n // 3, f"{dice.getrandbits(192):048x}", dice.randrange(120))
        for n in range(3 * PEOPLE)
    ]


def _visit(person: int, code: int, note: str, minutes: int) -> Visit:
    return {"person_id": person, "code": code, "minutes": minutes, "pay": code % 100, "note": note}


def _with_memory(folder: Path, memory: str) -> Deployment:
    """The same rows and ledger, with so much memory: how fast an engine is, is nothing to accept."""
    path = folder / "lapcat.toml"
    path.write_text(
        re.sub(r"memory = \".*\"", f'memory = "{memory}"', path.read_text("utf-8")), encoding="utf-8"
    )
    return open_deployment(path)


def _edge(deployment: Deployment, kind: str) -> int | None:
    """The least load at which a kind of question fails; None where none does."""
    if not _finishes(deployment, kind.format(load=1)) or _finishes(deployment, kind.format(load=PEOPLE)):
        return None
    good, bad = 1, PEOPLE
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if _finishes(deployment, kind.format(load=middle)) else (good, middle)
    return bad


def _finishes(deployment: Deployment, text: str) -> bool:
    """Whether the engine answers, by the second try at the latest: the one thing that is told of its work. The numbers stay closed."""
    prepared = Session(deployment).sql(text).prepared
    engine = Attempts(deployment.engine(scans_of(prepared.plan)), 20)
    try:
        for plan in prepared.looks:
            engine.look(plan)
    except EngineFailed:
        raise
    except Exception:
        return False
    return True
