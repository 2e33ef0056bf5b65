"""The release gate: debit, execute, add noise. Read this module first when you audit lapcat.

    debit      the charge is durable in the ledger before a row is read; otherwise an error is raised and nothing is read
    execute    the engine sums bounded integers; the sums stay an `ExactResult` until noise is added
    add noise  each statistic's mechanism draws its noise; only then are there numbers that may be shown

It is the one door through which anything leaves. Where the groups of a query are private, the unit count of each group
gets its noise first, and a group whose noisy count is below the threshold is dropped before anything else is drawn.

What leaves is what the ledger stored. Two concurrent repeats of one query get the same bytes: the first writer wins, and
the other's noise is discarded unseen. If the engine fails, the debit stands (a refund would be an oracle), the analyst
who asked is paused, and the engine's error text goes nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Generic, NoReturn, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from lapcat.core.answers import Group, Integers, NoisyResult, in_order, packed, unpacked
from lapcat.core.coins import CoinSource
from lapcat.errors import Bug, EngineFailed

Question = TypeVar("Question", contravariant=True)


class ExactResult:
    """Exact integers, one row of cells per statistic. They cannot be printed, iterated, pickled or compared.

    With private groups: also each group in the data, once and in any order, and its unit count; the cells are then
    concatenated group by group.
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
        raise Bug("private-opened", "exact figures leave only through core/release.py, with noise added")

    __iter__ = __len__ = __getitem__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _closed
    __bool__ = __int__ = __float__ = __index__ = __hash__ = __reduce_ex__ = __copy__ = _closed
    __deepcopy__ = __array__ = __format__ = __getstate__ = __contains__ = _closed


def _opened(private: ExactResult) -> tuple[Integers, Sequence[Group] | None, Integers | None]:
    """Cells, groups, units."""
    return private._ExactResult__cells, private._ExactResult__keys, private._ExactResult__units  # type: ignore[attr-defined]


class NoiseMechanism(Protocol):
    """A mechanism that adds noise to exact integers."""

    def draw(self, exact: Integers, coins: CoinSource) -> Integers: ...


class ThresholdResult(Protocol):
    """Which groups are shown, and their noisy unit counts."""

    @property
    def mask(self) -> npt.NDArray[np.bool_]: ...
    @property
    def noisy(self) -> Integers: ...


class ThresholdMechanism(Protocol):
    """A mechanism that drops groups whose noisy unit count is below a threshold."""

    def draw(self, counts: Integers, coins: CoinSource) -> ThresholdResult: ...


class SelectionMechanism(Protocol):
    """A mechanism that selects among candidates by their counts: one row of candidates per cell."""

    def draw(self, counts: Integers, coins: CoinSource) -> Integers:
        """The selected candidate of each cell, as a column."""


@dataclass(frozen=True, slots=True)
class SelectionStep(Generic[Question]):
    """A selection within a query: the plan that counts the candidates of each cell, and the mechanism that selects."""

    plan: Question
    candidates: int
    mechanism: SelectionMechanism


class QueryEngine(Protocol[Question]):
    """An engine that executes a plan."""

    def execute(self, plan: Question) -> ExactResult: ...


class DurableDebit(Protocol):
    """A debit that is already durable."""

    @property
    def id(self) -> int: ...
    @property
    def answer(self) -> bytes | None:
        """The answer already released under this debit, if any."""


class DebitLedger(Protocol):
    """A ledger of debits. Each call is durable when it returns."""

    def executing(self, debit_id: int) -> None: ...
    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless one exists; returns the stored one."""

    def failed(self, debit_id: int, analyst: str | None = None) -> None:
        """`analyst` is who asked; the debit may belong to somebody else."""


def release(
    plan: Question,
    mechanisms: Sequence[NoiseMechanism],
    debit: DurableDebit,
    *,
    choices: Sequence[SelectionStep[Question]] = (),
    threshold: ThresholdMechanism | None = None,
    ledger: DebitLedger,
    engine: QueryEngine[Question],
    coins: CoinSource,
    analyst: str | None = None,
) -> NoisyResult:
    """The answer to a query whose debit is durable: one mechanism per statistic of the plan, one execution per selection,
    and a threshold if groups are private. `analyst`: the name of who asks, if any."""
    if debit.answer is not None:
        return unpacked(debit.answer)
    ledger.executing(debit.id)
    noisy = _execute_and_add_noise(plan, mechanisms, choices, threshold, engine, coins)
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


def release_public(
    values: Integers, debit: DurableDebit, *, ledger: DebitLedger, coins: CoinSource
) -> NoisyResult:
    """The answer to a query whose every number is public (`values`, one row of cells per statistic). No row is read, so
    no row can make it fail."""
    if debit.answer is not None:
        return unpacked(debit.answer)
    released = NoisyResult(values, coins.cryptographic, None, None)
    answer = packed(released)
    stored = ledger.answered(debit.id, answer)
    return released if stored == answer else unpacked(stored)


def _execute_and_add_noise(
    plan: Question,
    mechanisms: Sequence[NoiseMechanism],
    choices: Sequence[SelectionStep[Question]],
    threshold: ThresholdMechanism | None,
    engine: QueryEngine[Question],
    coins: CoinSource,
) -> tuple[NoisyResult, bytes] | None:
    """The answer, also in its stored form, or None if anything failed. An engine's error may contain data, so not even its
    traceback is passed on. (Raising inside the `except` block would keep it as the new error's context.)"""
    try:
        cells, keys, units = np.empty((0, 0), np.int64), None, None
        if mechanisms or threshold is not None or not choices:
            cells, keys, units = _opened(engine.execute(plan))
        if cells.shape[0] != len(mechanisms):
            raise Bug("door-shape", "the engine returned a different number of statistics than was charged")
        if (threshold is None) != (keys is None):
            raise Bug("door-shape", "private groups need a threshold that was charged, and only they do")
        groups: tuple[Group, ...] | None = None
        if threshold is not None and keys is not None and units is not None:
            cells, groups, units = _shown(threshold, cells, keys, units, coins)
        drawn = [
            mechanism.draw(exact, coins).reshape(1, -1)
            for exact, mechanism in zip(cells, mechanisms, strict=True)
        ]
        counts: dict[Question, Integers] = {}
        for choice in choices:
            if choice.plan not in counts:  # MIN and MAX of a column select by the same counts
                counts[choice.plan] = _counts(choice, engine, groups)
            drawn.append(choice.mechanism.draw(counts[choice.plan], coins))
        noisy = np.concatenate(drawn) if drawn else cells
        released = NoisyResult(noisy, coins.cryptographic, groups, units)
        return released, packed(released)
    except Exception:
        return None


def _counts(
    choice: SelectionStep[Question], engine: QueryEngine[Question], groups: Sequence[Group] | None
) -> Integers:
    """One row of candidates per cell, for the groups that are shown, in their order."""
    cells, keys, _ = _opened(engine.execute(choice.plan))
    if cells.shape[0] != 1 or (keys is None) != (groups is None):
        raise Bug("door-shape", "a choice is made by one count for each candidate, in the question's groups")
    if keys is None or groups is None:
        return cells.reshape(-1, choice.candidates)
    place = {key: position for position, key in enumerate(keys)}
    kept = [place[group] for group in groups]
    each = cells.shape[1] // max(1, len(keys))  # no group at all must not be revealed by a failure
    return cells.reshape(len(keys), each)[kept].reshape(-1, choice.candidates)


def _shown(
    threshold: ThresholdMechanism, cells: Integers, keys: Sequence[Group], units: Integers, coins: CoinSource
) -> tuple[Integers, tuple[Group, ...], Integers]:
    """The exact cells of the groups whose noisy unit count reaches the threshold, ordered by value, with that count."""
    drawn = threshold.draw(units, coins)
    reached = list(compress(keys, drawn.mask.tolist()))
    if reached and any(isinstance(value, float) for value in reached[0]):  # −0.0 and 0.0 are one group
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
