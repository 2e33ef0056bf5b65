"""The one door through which anything leaves: pay, look, blur. Read this page first when you audit lapcat.

    pay    the debit is durable in the ledger before a row is read, or an error is raised and nothing was read
    look   the engine adds up bounded integers; they are Private until noise is on them
    blur   each measurement's mechanism draws its noise; only then do numbers exist that may be shown

Where the groups of a question are themselves private, the number of units of each is blurred first, and a group whose
noisy number does not reach the threshold is gone before anything else is drawn.

What leaves is what the ledger stored: two racing repeats of one question get the same bytes, because the first writer
wins and the other's noise is thrown away unseen. If the engine fails, the debit stands (a refund would be an oracle),
the failure pauses who asked, and what the engine said goes nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Generic, NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from lapcat.core.answers import Group, Integers, Released, in_order, packed, unpacked
from lapcat.core.coins import CoinSource
from lapcat.errors import Bug, EngineFailed

Question = TypeVar("Question", contravariant=True)


class Private:
    """Exact integers, one row of cells per statistic, that cannot be printed, iterated, pickled or compared.

    Where groups are private: also each group that the rows hold, once and in any order, and how many units it has; the
    cells are then those of one group after another.
    """

    __slots__ = ("__cells", "__keys", "__units")

    def __init__(
        self, cells: Integers, keys: Sequence[Group] | None = None, units: Integers | None = None
    ) -> None:
        if cells.dtype != np.int64 or cells.ndim != 2:
            raise Bug("private-shape", "an engine must return a two-dimensional array of 64-bit integers")
        if (keys is None) != (units is None):
            raise Bug(
                "private-shape", "private groups come with the number of units of each, and only they do"
            )
        if keys is not None and units is not None:
            if units.dtype != np.int64 or units.shape != (len(keys),):
                raise Bug("private-shape", "an engine must return the number of units of each private group")
            if cells.shape[1] % len(keys) if keys else cells.shape[1]:
                raise Bug("private-shape", "an engine must return as many cells for each private group")
            if len(set(keys)) != len(keys):
                raise Bug("private-shape", "an engine must return each private group once")
        self.__cells, self.__keys, self.__units = cells, keys, units

    def __repr__(self) -> str:
        return "<private>"

    def _closed(self, *_: object) -> NoReturn:
        raise Bug("private-opened", "exact figures leave only through core/door.py, with noise on them")

    __iter__ = __len__ = __getitem__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _closed
    __bool__ = __int__ = __float__ = __index__ = __hash__ = __reduce_ex__ = __copy__ = _closed
    __deepcopy__ = __array__ = __format__ = __getstate__ = __contains__ = _closed


def _opened(private: Private) -> tuple[Integers, Sequence[Group] | None, Integers | None]:
    """Cells, groups, units."""
    return private._Private__cells, private._Private__keys, private._Private__units  # type: ignore[attr-defined]


class Blurs(Protocol):
    """What the door needs of a mechanism."""

    def draw(self, exact: Integers, coins: CoinSource) -> Integers: ...


class Selection(Protocol):
    """Which groups are shown, and their noisy numbers of units."""

    @property
    def mask(self) -> npt.NDArray[np.bool_]: ...
    @property
    def noisy(self) -> Integers: ...


class Selects(Protocol):
    """What the door needs of a threshold."""

    def draw(self, counts: Integers, coins: CoinSource) -> Selection: ...


class Chooses(Protocol):
    """What the door needs of a mechanism that chooses by counts: a row of candidates for each cell."""

    def draw(self, counts: Integers, coins: CoinSource) -> Integers:
        """What is drawn for each cell, as a column."""


@dataclass(frozen=True, slots=True)
class Choosing(Generic[Question]):
    """One more look of a question: counts of so many candidates in each cell, and how they are chosen from."""

    plan: Question
    candidates: int
    mechanism: Chooses


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

    def failed(self, debit_id: int, analyst: str | None = None) -> None:
        """Whoever asked: the debit may be another's."""


def release(
    plan: Question,
    mechanisms: Sequence[Blurs],
    debit: Debit,
    *,
    choices: Sequence[Choosing[Question]] = (),
    threshold: Selects | None = None,
    ledger: Pays,
    engine: Looks[Question],
    coins: CoinSource,
    analyst: str | None = None,
) -> Released:
    """The answer to a question that is paid for: one mechanism for each statistic of the plan, one look for each choice,
    and for private groups the threshold that they must reach. `analyst`: who asks, if they have a name."""
    if debit.answer is not None:
        return unpacked(debit.answer)
    ledger.looked(debit.id)
    noisy = _looked_and_blurred(plan, mechanisms, choices, threshold, engine, coins)
    if noisy is None:
        ledger.failed(debit.id, analyst)
        raise EngineFailed(
            "engine-failed",
            f"the engine could not finish; the charge stands (ledger entry {debit.id})",
            why="an error may depend on the rows, so neither its text nor a refund can be given",
            fix="the steward looks into it and lets you ask again (lapcat resume); the same question then finishes under the "
            "same charge",
        )
    released, answer = noisy
    stored = ledger.answered(debit.id, answer)
    return released if stored == answer else unpacked(stored)


def release_public(values: Integers, debit: Debit, *, ledger: Pays, coins: CoinSource) -> Released:
    """The answer to a question whose every number is public (`values`, one row of cells for each statistic): nothing is
    looked at, so nothing about the rows can make it fail."""
    if debit.answer is not None:
        return unpacked(debit.answer)
    released = Released(values, coins.cryptographic, None, None)
    answer = packed(released)
    stored = ledger.answered(debit.id, answer)
    return released if stored == answer else unpacked(stored)


def _looked_and_blurred(
    plan: Question,
    mechanisms: Sequence[Blurs],
    choices: Sequence[Choosing[Question]],
    threshold: Selects | None,
    engine: Looks[Question],
    coins: CoinSource,
) -> tuple[Released, bytes] | None:
    """The answer, also as it is stored, or None if anything failed: an engine's error may hold data, so not even its traces are
    handed on. (Raising inside the `except` block would keep it as the new error's context.)"""
    try:
        cells, keys, units = np.empty((0, 0), np.int64), None, None
        if mechanisms or threshold is not None or not choices:
            cells, keys, units = _opened(engine.look(plan))
        if cells.shape[0] != len(mechanisms):
            raise Bug("door-shape", "the engine returned another number of statistics than was paid for")
        if (threshold is None) != (keys is None):
            raise Bug("door-shape", "private groups leave by a threshold that was paid for, and only they do")
        groups: tuple[Group, ...] | None = None
        if threshold is not None and keys is not None and units is not None:
            cells, groups, units = _shown(threshold, cells, keys, units, coins)
        drawn = [
            mechanism.draw(exact, coins).reshape(1, -1)
            for exact, mechanism in zip(cells, mechanisms, strict=True)
        ]
        counts: dict[Question, Integers] = {}
        for choice in choices:
            if (
                choice.plan not in counts
            ):  # the least and the greatest of a column are chosen by the same counts
                counts[choice.plan] = _counts(choice, engine, groups)
            drawn.append(choice.mechanism.draw(counts[choice.plan], coins))
        noisy = np.concatenate(drawn) if drawn else cells
        released = Released(noisy, coins.cryptographic, groups, units)
        return released, packed(released)
    except Exception:
        return None


def _counts(choice: Choosing[Question], engine: Looks[Question], groups: Sequence[Group] | None) -> Integers:
    """A row of candidates for each cell, of the groups that are shown and in their order."""
    cells, keys, _ = _opened(engine.look(choice.plan))
    if cells.shape[0] != 1 or (keys is None) != (groups is None):
        raise Bug("door-shape", "a choice is made by one count for each candidate, in the question's groups")
    if keys is None or groups is None:
        return cells.reshape(-1, choice.candidates)
    place = {key: position for position, key in enumerate(keys)}
    kept = [place[group] for group in groups]
    each = cells.shape[1] // max(1, len(keys))  # where there is no group, that must not be told by a failure
    return cells.reshape(len(keys), each)[kept].reshape(-1, choice.candidates)


def _shown(
    threshold: Selects, cells: Integers, keys: Sequence[Group], units: Integers, coins: CoinSource
) -> tuple[Integers, tuple[Group, ...], Integers]:
    """The exact cells of the groups whose noisy number of units reaches the threshold, by value, with that number."""
    drawn = threshold.draw(units, coins)
    reached = list(compress(keys, drawn.mask.tolist()))
    if reached and any(isinstance(value, float) for value in reached[0]):  # there is one zero
        reached = [tuple(v + 0.0 if isinstance(v, float) else v for v in group) for group in reached]
    order = in_order(reached)
    kept = np.flatnonzero(drawn.mask)[order]
    each = cells.shape[1] // max(1, len(keys))
    by_group = cells.reshape(len(cells), len(keys), each)
    return (
        by_group[:, kept].reshape(len(cells), len(kept) * each),
        tuple(map(reached.__getitem__, order)),
        drawn.noisy[kept],
    )
