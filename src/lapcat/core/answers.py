"""A released result (noisy integers and the shown groups) and its stored form in the ledger.

    lapcat-cells 1 STATISTICS WIDTH SOURCE\\n            compressed 64-bit integers
    lapcat-cells 2 STATISTICS WIDTH GROUPS SOURCE\\n     compressed: the keys as one line of JSON, the noisy unit counts
                                                      of the groups, the integers

The second form is for questions with private groups. Every later version reads both.
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
    """Noisy integers, one row of cells per statistic; with private groups, the cells are concatenated group by group."""

    cells: Integers
    cryptographic: bool
    """Whether the noise came from the cryptographic source; False only in tests, and the answer says so."""
    keys: tuple[Group, ...] | None = None
    """The shown groups, ordered by value; None if the groups are public."""
    units: Integers | None = None
    """The noisy unit count of each shown group."""


def in_order(groups: Sequence[Group]) -> list[int]:
    """The indices that sort the groups by value, so that their order reveals nothing. Text sorts by code points.

    >>> in_order([("b", 2), ("a", 10), ("a", 9)])
    [2, 1, 0]
    """
    order = list(range(len(groups)))
    # a stable sort column by column: half the time of sorting tuples
    for column in reversed(list(zip(*groups, strict=True))):
        kinds = set(map(type, column))
        if len(kinds) != 1 or not kinds <= _FORMS.keys():
            raise Bug(
                "group-value", "a private key has values of several types, or of a type that cannot be a key"
            )
        if kinds == {float} and any(map(math.isnan, column)):
            raise Bug("group-value", "a private key has a NaN value")
        # the engine may have sorted already
        if len(groups[0]) > 1 or any(map(gt, column, islice(column, 1, None))):
            order.sort(key=column.__getitem__)
    return order


def packed(released: NoisyResult) -> bytes:
    """The stored form."""
    statistics, width = released.cells.shape
    source = "cryptographic" if released.cryptographic else "UNSAFE"
    cells = np.ascontiguousarray(released.cells, "<i8")
    if released.keys is None or released.units is None:
        # Noise repeats nothing but the bytes of its sign, and a search for other repetitions would find none.
        compressor = zlib.compressobj(1, strategy=zlib.Z_RLE)
        head = f"lapcat-cells 1 {statistics} {width} {source}\n"
        return b"".join((head.encode(), compressor.compress(cells.data), compressor.flush()))
    head = f"lapcat-cells 2 {statistics} {width} {len(released.keys)} {source}\n"
    columns = [_written(column) for column in zip(*released.keys, strict=True)]
    keys = json.dumps(columns, separators=(",", ":")).encode() + b"\n"
    units = released.units.astype("<i8").tobytes()
    return head.encode() + zlib.compress(keys + units + cells.tobytes(), 1)


def unpacked(answer: bytes) -> NoisyResult:
    """The result in a stored form, written by this or an older version of lapcat."""
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
    raise Bug("answer-format", "a stored answer has a format that this version of lapcat does not know")


def is_cryptographic(head: bytes) -> bool:
    """Whether the noise of an answer with this first line came from the cryptographic source."""
    return head.split()[-1:] == [b"cryptographic"]


@dataclass(frozen=True, slots=True)
class _Form:
    """Lossless JSON encoding of the values of one type."""

    name: str
    write: Callable[[Any], object] | None = None
    """None: JSON represents them directly."""
    read: Callable[[Any], KeyValue] | None = None


_FORMS: dict[type, _Form] = {
    int: _Form("integer"),
    float: _Form("float", lambda x: (x + 0.0).hex(), float.fromhex),  # + 0.0: no negative zero
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
