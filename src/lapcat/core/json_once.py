"""JSON from outside, in which no key stands twice: it would mean one thing to people and another to a program."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str) -> Any:
    """What the text says; ValueError where it is no JSON, nests too deeply, or names a key twice.

    >>> read_json('{"said": 1}')
    {'said': 1}
    >>> read_json('{"said": 1, "said": 0}')
    Traceback (most recent call last):
        ...
    ValueError: a key stands twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")  # which one is not said: it may be somebody's answer
    return found
