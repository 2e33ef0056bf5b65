"""Which events to bet on: those that looked worst in the answers that were seen so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.claim import Claim
from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Counts, Partition

DOUBT = 1.0
"""Standard errors by which a difference seen in warm-up answers is believed less."""
MORE_DOUBT = 3.0
"""The same for sets of cells put together by how they looked: each cell was taken because chance favoured it."""
STAKE = 0.9
"""The part of the largest bet that may be lost at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """An answer lies in one of these cells; `turned` where that is to be likelier on d′ than on d."""

    partition: Partition
    cells: NDArray[np.bool_]
    turned: bool

    def happened(self, outputs: Outputs) -> NDArray[np.bool_]:
        """For each answer, whether it did."""
        return self.cells[self.partition.place(outputs)]

    def __str__(self) -> str:
        return self.partition.words(self.cells)


@dataclass(frozen=True, slots=True, eq=False)
class ObservedEvent:
    """An event, and how often it happened in n warm-up answers of the side where it is likely, and of the other."""

    event: Event
    here: float
    there: float
    n: int
    worth: float
    """By `promise`, or by `provable`: what it was chosen for."""


Worth = Callable[[Counts, Counts, int, Claim, float], Counts]


def best_of(
    partition: Partition, here: Counts, there: Counts, n: int, claim: Claim, turned: bool, worth: Worth
) -> ObservedEvent:
    """The event of this partition that is worth most, from how often each cell was seen in n answers."""
    likely, other = (there, here) if turned else (here, there)
    best: ObservedEvent | None = None
    for sets, doubt in _families(partition, likely, other):
        a, b = sets @ likely, sets @ other
        worths = worth(a, b, n, claim, doubt)
        i = int(worths.argmax())
        if best is None or worths[i] > best.worth:
            event = Event(partition, sets[i].astype(bool), turned)
            best = ObservedEvent(event, float(a[i]), float(b[i]), n, float(worths[i]))
    assert best is not None
    return best


def promise(a: Counts, b: Counts, n: int, claim: Claim, doubt: float) -> Counts:
    """How fast a bet on each event would grow, from a and b times in n answers; below 0 where the claim seems kept.

    The growth of a small bet is about mean² / (2 variance) of its payoff 1[S] − e^ε 1[S′] − δ, and never above that of
    the largest bet. Half a count is added where nothing was seen.
    """
    p, q = (a + 0.5) / (n + 1), (b + 0.5) / (n + 1)
    variance = p * (1 - p) + claim.factor**2 * q * (1 - q)
    error = np.sqrt(variance / n)
    mean = p - claim.factor * q - claim.slack
    sure = mean - doubt * error
    most = p * np.log1p(STAKE / (claim.factor + claim.slack))
    return np.where(sure > 0, np.minimum(sure**2 / (2 * variance), most), 1e-6 * sure / error)


def provable(a: Counts, b: Counts, n: int, claim: Claim, doubt: float) -> Counts:
    """About the lower bound on epsilon that as many fresh answers would prove, from a and b times in n."""
    z = 2 + doubt
    p, q = (a + 0.5) / (n + 1), (b + 0.5) / (n + 1)
    low = p - z * np.sqrt(p * (1 - p) / n) - claim.slack
    high = q + z * np.sqrt(q * (1 - q) / n) + z * z / 2 / n
    return np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)


def _families(partition: Partition, here: Counts, there: Counts) -> Iterator[tuple[Counts, float]]:
    """Sets of cells, one in each row: single cells, all up to a cell, all from one on, and the likeliest together."""
    size = partition.cells
    yield np.eye(size), DOUBT
    if partition.edges is not None:
        below = np.tril(np.ones((size - 1, size - 1)))
        none = np.zeros((size - 1, 1))
        yield np.hstack([below, none]), DOUBT
        yield np.hstack([below[::-1, ::-1], none]), DOUBT
    ratio = (here + 0.5) / (there + 0.5)
    rank = np.empty(size, np.int64)
    rank[np.argsort(-ratio, kind="stable")] = np.arange(size)
    yield (rank[None, :] <= np.arange(size)[:, None]).astype(np.float64), MORE_DOUBT
