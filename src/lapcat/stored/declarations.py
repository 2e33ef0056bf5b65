"""Under which keys a declaration of the catalogue is kept when it is accepted.

    @declared("column", "values", "within")
    @dataclass(frozen=True, slots=True)
    class Blocks: ...

A field that is renamed keeps its key: `@declared(("values", "blocks"))` reads the field `blocks` for the key `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from lapcat.errors import Bug

Class = TypeVar("Class", bound=type)

KEYS: dict[type, tuple[tuple[str, str], ...]] = {}
"""For each class its keys, each with the field that holds what is kept."""


def declared(*keys: str | tuple[str, str]) -> Callable[[Class], Class]:
    """Says under which keys the values of a class are kept."""

    def register(of: Class) -> Class:
        KEYS[of] = tuple((key, key) if isinstance(key, str) else key for key in keys)
        return of

    return register


def kept(value: object) -> Iterator[tuple[str, object]]:
    """Each key of a declaration with what it holds."""
    keys = KEYS.get(type(value))
    if keys is None:
        raise Bug(
            "stored-form", f"{type(value).__name__} has no keys to be kept under, and is part of a catalogue"
        )
    return ((key, getattr(value, field)) for key, field in keys)
