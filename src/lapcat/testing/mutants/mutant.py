"""What a planted bug is, and how it is put in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """A bug, in words, and the test that catches it."""

    name: str
    what: str
    caught_by: str
    plant: Callable[[], None]


def used(owner: Any, name: str) -> Any:
    """What a module uses under a name, also where it only imports it."""
    return getattr(owner, name)


def put(owner: Any, name: str, other: object) -> None:
    """Replaces one name where it is used, for good."""
    if not hasattr(owner, name):
        raise AttributeError(
            f"a planted bug replaces {name}, which {owner} no longer has: move the mutant along"
        )
    setattr(owner, name, other)
