"""JSON from outside, without duplicate keys: readers would disagree on their meaning."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError if it is not JSON, nests too deeply, or repeats a key.

    >>> read_json('{"answer": 1}')
    {'answer': 1}
    >>> read_json('{"answer": 1, "answer": 0}')
    Traceback (most recent call last):
        ...
    ValueError: a key stands twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")  # the key is not quoted: it may be somebody's answer
    return value
