"""What a value is called in stored data, and which of its fields belong to it there.

    @stored("Weigh", "source", "rows")
    @dataclass(frozen=True, slots=True)
    class WeightRows: ...

The tag and the order of the fields are what was first written. A field that came later and changes nothing where it is
empty is listed in `unless_empty`, last, so that what was stored before it keeps its form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lapcat.errors import Bug

Class = TypeVar("Class", bound=type)


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of one class are written: `[tag, field, field, …]`."""

    tag: str | None
    """None: the first field says which kind it is."""
    fields: tuple[str, ...]
    unless_empty: tuple[str, ...] = ()
    unordered: str | None = None
    """A last field whose values have no order: they are sorted."""


FORMS: dict[type, Form] = {}


def stored(
    tag: str | None, *fields: str, unless_empty: tuple[str, ...] = (), unordered: str | None = None
) -> Callable[[Class], Class]:
    """Says how the values of a class are written."""

    def register(of: Class) -> Class:
        FORMS[of] = Form(tag, fields, unless_empty, unordered)
        return of

    return register


def form_of(value: object) -> Form:
    """The form of a value; a class without one cannot be stored."""
    form = FORMS.get(type(value))
    if form is None:
        raise Bug("stored-form", f"{type(value).__name__} has no stored form, and part of a question is one")
    return form
