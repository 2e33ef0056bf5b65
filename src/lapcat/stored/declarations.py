"""The keys under which a declaration of an accepted catalogue is stored.

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
"""For each class its stored keys, each with the name of its field."""


def declared(*keys: str | tuple[str, str]) -> Callable[[Class], Class]:
    """Declares the stored keys of a class."""

    def register(of: Class) -> Class:
        KEYS[of] = tuple((key, key) if isinstance(key, str) else key for key in keys)
        return of

    return register


def kept(value: object) -> Iterator[tuple[str, object]]:
    """The stored keys of a declaration with their values."""
    keys = KEYS.get(type(value))
    if keys is None:
        raise Bug("stored-form", f"{type(value).__name__} is part of a catalogue but declares no stored keys")
    return ((key, getattr(value, field)) for key, field in keys)
