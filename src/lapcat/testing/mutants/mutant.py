"""The definition of a mutant, and the patching functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted bug: its description, and the test that catches it."""

    name: str
    what: str
    caught_by: str
    plant: Callable[[], None]


def used(owner: Any, name: str) -> Any:
    """The object that a module uses under a name, defined or imported there."""
    return getattr(owner, name)


def put(owner: Any, name: str, other: object) -> None:
    """Replaces a name where it is used, permanently."""
    if not hasattr(owner, name):
        raise AttributeError(f"a mutant replaces {name}, which {owner} no longer has: update the mutant")
    setattr(owner, name, other)
