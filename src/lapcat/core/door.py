"""The one door through which anything leaves: pay, look, blur. Read this page first when you audit lapcat.

    pay    the debit is durable in the ledger before a row is read, or an error is raised and nothing was read
    look   the engine adds up bounded integers; they are Private until noise is on them
    blur   each measurement's mechanism draws its noise; only then do numbers exist that may be shown

What leaves is what the ledger stored: two racing repeats of one question get the same bytes, because the first writer
wins and the other's noise is thrown away unseen. If the engine fails, the debit stands (a refund would be an oracle),
the failure is counted, and what the engine said goes nowhere.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from lapcat.core.coins import CoinSource
from lapcat.errors import Bug, EngineFailed

Integers = npt.NDArray[np.int64]
Question = TypeVar("Question", contravariant=True)


class Private:
    """Exact integers, one row of cells per statistic, that cannot be printed, iterated, pickled or compared."""

    __slots__ = ("__cells",)

    def __init__(self, cells: Integers) -> None:
        if cells.dtype != np.int64 or cells.ndim != 2:
            raise Bug("private-shape", "an engine must return a two-dimensional array of 64-bit integers")
        self.__cells = cells

    def __repr__(self) -> str:
        return "<private>"

    def _closed(self, *_: object) -> NoReturn:
        raise Bug("private-opened", "exact figures leave only through core/door.py, with noise on them")

    __iter__ = __len__ = __getitem__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _closed
    __bool__ = __int__ = __float__ = __index__ = __hash__ = __reduce_ex__ = __copy__ = _closed
    __deepcopy__ = __array__ = __format__ = __getstate__ = __contains__ = _closed


def _opened(private: Private) -> Integers:
    cells: Integers = private._Private__cells  # type: ignore[attr-defined]
    return cells


class Blurs(Protocol):
    """What the door needs of a mechanism."""

    def draw(self, exact: Integers, coins: CoinSource) -> Integers: ...


class Looks(Protocol[Question]):
    """What the door needs of an engine."""

    def look(self, plan: Question) -> Private: ...


class Debit(Protocol):
    """What the door needs of a payment that is already durable."""

    @property
    def id(self) -> int: ...
    @property
    def answer(self) -> bytes | None:
        """What was released under this debit before, if it was."""


class Pays(Protocol):
    """What the door needs of a ledger. Each call is durable when it returns."""

    def looked(self, debit_id: int) -> None: ...
    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless there is one, and returns the one that is stored."""

    def failed(self, debit_id: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Released:
    """Noisy integers, one row of cells per statistic."""

    cells: Integers
    cryptographic: bool
    """Whether the noise came from the cryptographic source; False only in tests, and said in the answer."""


def release(
    plan: Question,
    mechanisms: Sequence[Blurs],
    debit: Debit,
    *,
    ledger: Pays,
    engine: Looks[Question],
    coins: CoinSource,
) -> Released:
    """The answer to a question that is paid for: one mechanism for each statistic of the plan."""
    if debit.answer is not None:
        return _unpacked(debit.answer)
    ledger.looked(debit.id)
    noisy = _looked_and_blurred(plan, mechanisms, engine, coins)
    if noisy is None:
        ledger.failed(debit.id)
        raise EngineFailed(
            "engine-failed",
            f"the engine could not finish; the charge stands (ledger entry {debit.id})",
            why="an error may depend on the rows, so neither its text nor a refund can be given",
            fix="ask the same question again: it finishes under the same charge",
        )
    return _unpacked(ledger.answered(debit.id, _packed(noisy, coins.cryptographic)))


def _looked_and_blurred(
    plan: Question, mechanisms: Sequence[Blurs], engine: Looks[Question], coins: CoinSource
) -> Integers | None:
    """The noisy integers, or None if anything failed: an engine's error may hold data, so not even its traces are
    handed on. (Raising inside the `except` block would keep it as the new error's context.)"""
    try:
        exact = _opened(engine.look(plan))
        if exact.shape[0] != len(mechanisms):
            raise Bug("door-shape", "the engine returned another number of statistics than was paid for")
        return np.stack(
            [mechanism.draw(row, coins) for row, mechanism in zip(exact, mechanisms, strict=True)]
        )
    except Exception:
        return None


def _packed(cells: Integers, cryptographic: bool) -> bytes:
    statistics, width = cells.shape
    head = f"lapcat-cells 1 {statistics} {width} {'cryptographic' if cryptographic else 'UNSAFE'}\n"
    return head.encode() + zlib.compress(cells.astype("<i8").tobytes(), 1)


def _unpacked(answer: bytes) -> Released:
    head, _, body = answer.partition(b"\n")
    match head.decode().split():
        case ["lapcat-cells", "1", statistics, width, source]:
            cells = np.frombuffer(zlib.decompress(body), "<i8").reshape(int(statistics), int(width))
            return Released(cells, source == "cryptographic")
    raise Bug("answer-format", "a stored answer is not in a form that this version of lapcat wrote")
