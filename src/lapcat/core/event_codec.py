"""The stored form of events: a tag and named fields, as JSON. Each class of event declares its own.

    @stored_event("laplace", label=TEXT, l1=EXACT, scale=EXACT)
    @dataclass(frozen=True, slots=True)
    class LaplaceRelease(NoiseRelease): ...

Events are stored for ever: a tag and its fields never change, and a tag that is not in the table is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from lapcat.core.exact import exact, exact_text
from lapcat.errors import IntegrityFailed

if TYPE_CHECKING:
    from lapcat.core.event import Event

Class = TypeVar("Class", bound="type[Event]")


class _Unreadable(Exception):
    """A stored field has another type than its form says."""


@dataclass(frozen=True, slots=True)
class EventField:
    """A field of a stored event: how it is written and read."""

    write: Callable[[Any], object]
    read: Callable[[Any], Any]
    attribute: str = ""
    """Its name in the class, if that is not the stored one."""
    unless_none: bool = False
    """Whether it is left out if it is None."""

    def of(self, attribute: str) -> EventField:
        """The same field under another name in the class."""
        return replace(self, attribute=attribute)


EVENTS: dict[str, type[Event]] = {}
_FORMS: dict[type[Event], tuple[str, dict[str, EventField]]] = {}


def stored_event(tag: str, **fields: EventField) -> Callable[[Class], Class]:
    """Declares the stored form of a class of events."""
    named = {name: field if field.attribute else field.of(name) for name, field in fields.items()}

    def register(of: Class) -> Class:
        EVENTS[tag], _FORMS[of] = of, (tag, named)
        return of

    return register


def tag_of(event: Event) -> str:
    """The tag of an event's class."""
    return _FORMS[type(event)][0]


def event_as_json(event: Event) -> dict[str, object]:
    """The event as it is stored."""
    tag, fields = _FORMS[type(event)]
    written: dict[str, object] = {"event": tag}
    for name, field in fields.items():
        value = getattr(event, field.attribute)
        if value is not None or not field.unless_none:
            written[name] = field.write(value)
    return written


def event_from_json(value: dict[str, object]) -> Event:
    """The event in a stored JSON value. An unknown name (a ledger of a newer lapcat) is refused."""
    try:
        of = EVENTS.get(_read(str)(value.get("event")))
        fields = {} if of is None else _FORMS[of][1]
        if of is None or any(name not in value for name, field in fields.items() if not field.unless_none):
            raise _Unreadable
        return of(**{field.attribute: field.read(value.get(name)) for name, field in fields.items()})
    except _Unreadable:
        raise IntegrityFailed(
            "event-unknown",
            f"this version of lapcat does not know the event {value.get('event')!r}",
            fix="open this ledger with the version of lapcat that wrote it, or a newer one",
        ) from None


def canonical_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _same(value: Any) -> Any:
    return value


def _read(kind: type) -> Callable[[object], Any]:
    """The value itself, if it is of this type."""

    def read(value: object) -> Any:
        if not isinstance(value, kind):
            raise _Unreadable
        return value

    return read


TEXT, WHOLE, FLAG = (EventField(_same, _read(kind)) for kind in (str, int, bool))
EXACT = EventField(exact_text, lambda value: exact(_read(str)(value)))
"""A fraction, as text."""
STRATEGY = EventField(
    json.loads, lambda value: None if value is None else canonical_json(value), unless_none=True
)
"""A strategy's specification (workload/specification.py): JSON within the event, text in the class."""


def list_of(field: EventField) -> EventField:
    """Several values, as a tuple."""
    return EventField(
        lambda values: [field.write(value) for value in values],
        lambda values: tuple(field.read(value) for value in _read(list)(values)),
    )


def optional(field: EventField) -> EventField:
    """A value or None, which is stored too."""
    return EventField(
        lambda value: None if value is None else field.write(value),
        lambda value: None if value is None else field.read(value),
    )


def one_of(*words: str) -> EventField:
    """One of these words."""

    def read(value: object) -> object:
        if value not in words:
            raise _Unreadable
        return value

    return EventField(_same, read)


def event_within(*kinds: type) -> EventField:
    """An event of one of these classes."""

    def read(value: object) -> object:
        event = event_from_json(_read(dict)(value))
        if not isinstance(event, kinds):
            raise _Unreadable
        return event

    return EventField(event_as_json, read)
