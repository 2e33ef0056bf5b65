"""All parts of the audit of a family of tables, in order: first the quick ones, then those that sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from lapcat.audit.deployment.check import PROVED, Check
from lapcat.audit.deployment.chosen import choices
from lapcat.audit.deployment.conditions import conditions
from lapcat.audit.deployment.crowds import crowds
from lapcat.audit.deployment.evidence import evidence
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.integers import integers
from lapcat.audit.deployment.laws import laws
from lapcat.audit.deployment.ledgers import coins, ledgers
from lapcat.audit.deployment.margins.all import margins
from lapcat.audit.deployment.meanings import meanings
from lapcat.audit.deployment.mechanisms import mechanisms
from lapcat.audit.deployment.operators import operators
from lapcat.audit.deployment.stored import stored
from lapcat.audit.deployment.strategies import strategies
from lapcat.audit.deployment.thresholds import thresholds
from lapcat.audit.deployment.versions import versions
from lapcat.audit.deployment.work import work
from lapcat.errors import Bug, EngineFailed, IntegrityFailed

PARTS: dict[str, Callable[[Family, Path, int], Iterator[Check]]] = {
    "coins": lambda family, folder, at_random: coins(),
    "mechanisms": lambda family, folder, at_random: mechanisms(),
    "operators": lambda family, folder, at_random: operators(family, folder),
    "books": lambda family, folder, at_random: chain(
        ledgers(family, folder / "alone"), crowds(family, folder / "together")
    ),
    "evidence": lambda family, folder, at_random: evidence(family, folder),
    "stored": lambda family, folder, at_random: stored(family, folder),
    "versions": lambda family, folder, at_random: versions(family, folder),
    "law": lambda family, folder, at_random: laws(family, folder),
    "meaning": lambda family, folder, at_random: meanings(family, folder),
    "work": lambda family, folder, at_random: work(family, folder),
    "conditions": lambda family, folder, at_random: conditions(family, folder),
    "strategies": lambda family, folder, at_random: strategies(family, folder),
    "margins": lambda family, folder, at_random: margins(family, folder),
    "integers": integers,
    "choice": lambda family, folder, at_random: choices(family, folder),
    "threshold": lambda family, folder, at_random: thresholds(family, folder),
}
"""Each is given a folder that does not exist yet. The checks of `integers` have three kinds: price, engine, integers."""

ONCE = ("coins", "mechanisms")
"""Parts that do not depend on the table."""
OF_AN_ENGINE = ("operators",)
"""Parts that depend only on the server."""
OF_NO_ENGINE = ("books", "evidence", "stored", "law", "work", "conditions", "strategies", "margins")
"""Parts that do not depend on the engine if its integers are right; for tables on a server they run on files, which is faster."""


def checks_of(
    family: Family, folder: Path, at_random: int, only: tuple[str, ...] = tuple(PARTS)
) -> Iterator[Check]:
    """All checks of a family, or those of some parts."""
    for kind in only:
        asked = family.in_files() if family.server and kind in OF_NO_ENGINE else family
        try:
            yield from PARTS[kind](asked, folder / kind, at_random)
        # A refusal is fine; an internal contradiction is not.
        except (Bug, EngineFailed, IntegrityFailed) as error:
            yield Check(
                kind, "any", "–", "–", PROVED, "a question of the audit", f"[{error.code}] {error.message}"
            )
