"""What was released, as it leaves the door and as the ledger keeps it: noisy integers, and the groups that are shown.

    lapcat-cells 1 STATISTICS WIDTH SOURCE\\n            compressed 64-bit integers
    lapcat-cells 2 STATISTICS WIDTH GROUPS SOURCE\\n     compressed: the keys as one line of JSON, the noisy numbers of units
                                                      of the groups, the integers

The second form is of questions with private groups. What is stored is read again by every later version.
"""

from __future__ import annotations

import datetime
import json
import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import gt
from typing import Any

import numpy as np
import numpy.typing as npt

from lapcat.errors import Bug

Integers = npt.NDArray[np.int64]
KeyValue = int | float | str | bool | datetime.date | datetime.datetime
Group = tuple[KeyValue, ...]
"""A combination of the values of the private keys."""


@dataclass(frozen=True, slots=True)
class NoisyResult:
    """Noisy integers, one row of cells per statistic; where groups are private, the cells of one group after another."""

    cells: Integers
    cryptographic: bool
    """Whether the noise came from the cryptographic source; False only in tests, and said in the answer."""
    keys: tuple[Group, ...] | None = None
    """The groups that are shown, by value; None where the groups are public."""
    units: Integers | None = None
    """The noisy number of units of each of them."""


def in_order(groups: Sequence[Group]) -> list[int]:
    """Where each group goes: by value, so that nothing is told by the order of rows. Text goes by code points.

    >>> in_order([("b", 2), ("a", 10), ("a", 9)])
    [2, 1, 0]
    """
    order = list(range(len(groups)))
    for column in reversed(
        list(zip(*groups, strict=True))
    ):  # stable, and one type at a time: half the time of tuples
        kinds = set(map(type, column))
        if len(kinds) != 1 or not kinds <= _FORMS.keys():
            raise Bug("group-value", "a private key has values of several types, or of a type that is no key")
        if kinds == {float} and any(map(math.isnan, column)):
            raise Bug("group-value", "a private key has a value that is no number and no NULL")
        if len(groups[0]) > 1 or any(
            map(gt, column, islice(column, 1, None))
        ):  # engines may sort, and faster
            order.sort(key=column.__getitem__)
    return order


def packed(released: NoisyResult) -> bytes:
    """The bytes that the ledger stores."""
    statistics, width = released.cells.shape
    source = "cryptographic" if released.cryptographic else "UNSAFE"
    cells = released.cells.astype("<i8").tobytes()
    if released.keys is None or released.units is None:
        return f"lapcat-cells 1 {statistics} {width} {source}\n".encode() + zlib.compress(cells, 1)
    head = f"lapcat-cells 2 {statistics} {width} {len(released.keys)} {source}\n"
    columns = [_written(column) for column in zip(*released.keys, strict=True)]
    keys = json.dumps(columns, separators=(",", ":")).encode() + b"\n"
    return head.encode() + zlib.compress(keys + released.units.astype("<i8").tobytes() + cells, 1)


def unpacked(answer: bytes) -> NoisyResult:
    """What was packed, by this version of lapcat or an older one."""
    head, _, body = answer.partition(b"\n")
    match head.decode().split():
        case ["lapcat-cells", "1", statistics, width, source]:
            cells = np.frombuffer(zlib.decompress(body), "<i8").reshape(int(statistics), int(width))
            return NoisyResult(cells, source == "cryptographic")
        case ["lapcat-cells", "2", statistics, width, groups, source]:
            columns, _, rest = zlib.decompress(body).partition(b"\n")
            numbers = np.frombuffer(rest, "<i8")
            keys = tuple(zip(*map(_read, json.loads(columns)), strict=True))
            cells = numbers[int(groups) :].reshape(int(statistics), int(width))
            return NoisyResult(cells, source == "cryptographic", keys, numbers[: int(groups)])
    raise Bug("answer-format", "a stored answer is not in a form that this version of lapcat wrote")


def is_cryptographic(head: bytes) -> bool:
    """Whether the noise of an answer with this first line came from the cryptographic source."""
    return head.split()[-1:] == [b"cryptographic"]


@dataclass(frozen=True, slots=True)
class _Form:
    """How the values of one type are written as JSON, exactly, and read again."""

    name: str
    write: Callable[[Any], object] | None = None
    """None: JSON holds them as they are."""
    read: Callable[[Any], KeyValue] | None = None


_FORMS: dict[type, _Form] = {
    int: _Form("integer"),
    float: _Form("float", lambda x: (x + 0.0).hex(), float.fromhex),  # + 0.0: there is one zero
    str: _Form("text"),
    bool: _Form("boolean"),
    datetime.date: _Form("date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.datetime: _Form("timestamp", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
}


def _written(column: Sequence[KeyValue]) -> list[object]:
    form = _FORMS[type(column[0])]
    return [form.name, list(column if form.write is None else map(form.write, column))]


def _read(column: list[Any]) -> list[KeyValue]:
    name, values = column
    read = next(form.read for form in _FORMS.values() if form.name == name)
    return values if read is None else list(map(read, values))
