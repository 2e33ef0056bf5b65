"""The choice of events to bet on: those that look worst in the answers so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.claim import Claim
from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Counts, Partition

DOUBT = 1.0
"""Standard errors by which a difference in the earlier answers is discounted."""
MORE_DOUBT = 3.0
"""The same for sets of cells selected by their counts, which chance favoured."""
STAKE = 0.9
"""The fraction of the largest admissible bet that is used."""


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeSet:
    """The event that an answer lies in one of these cells; `turned` if it should be likelier on d′ than on d."""

    partition: Partition
    cells: NDArray[np.bool_]
    turned: bool

    def happened(self, outputs: Outputs) -> NDArray[np.bool_]:
        """Whether the event happened, for each answer."""
        return self.cells[self.partition.place(outputs)]

    def __str__(self) -> str:
        return self.partition.words(self.cells)


@dataclass(frozen=True, slots=True, eq=False)
class ObservedEvent:
    """An event, and its counts in n earlier answers of the likelier side (`here`) and of the other (`there`)."""

    event: OutcomeSet
    here: float
    there: float
    n: int
    worth: float
    """The value of `promise` or `provable` that it was chosen by."""


Worth = Callable[[Counts, Counts, int, Claim, float], Counts]


def best_of(
    partition: Partition, here: Counts, there: Counts, n: int, claim: Claim, turned: bool, worth: Worth
) -> ObservedEvent:
    """The event of this partition with the largest worth, from the counts of the cells in n answers."""
    likely, other = (there, here) if turned else (here, there)
    best: ObservedEvent | None = None
    for sets, doubt in _families(partition, likely, other):
        a, b = sets @ likely, sets @ other
        worths = worth(a, b, n, claim, doubt)
        i = int(worths.argmax())
        if best is None or worths[i] > best.worth:
            event = OutcomeSet(partition, sets[i].astype(bool), turned)
            best = ObservedEvent(event, float(a[i]), float(b[i]), n, float(worths[i]))
    assert best is not None
    return best


def promise(a: Counts, b: Counts, n: int, claim: Claim, doubt: float) -> Counts:
    """The growth rate of a bet on each event, from a and b occurrences in n answers; below 0 if the claim seems to hold.

    The growth of a small bet is about mean² / (2 variance) of its payoff 1[S] − e^ε 1[S′] − δ, and never above that of
    the largest bet. Half a count is added, so that no frequency is 0.
    """
    p, q = (a + 0.5) / (n + 1), (b + 0.5) / (n + 1)
    variance = p * (1 - p) + claim.factor**2 * q * (1 - q)
    error = np.sqrt(variance / n)
    mean = p - claim.factor * q - claim.slack
    sure = mean - doubt * error
    largest = p * np.log1p(STAKE / (claim.factor + claim.slack))
    return np.where(sure > 0, np.minimum(sure**2 / (2 * variance), largest), 1e-6 * sure / error)


def provable(a: Counts, b: Counts, n: int, claim: Claim, doubt: float) -> Counts:
    """Approximate lower bound on epsilon that n fresh answers would prove, from a and b occurrences in n."""
    z = 2 + doubt
    p, q = (a + 0.5) / (n + 1), (b + 0.5) / (n + 1)
    low = p - z * np.sqrt(p * (1 - p) / n) - claim.slack
    high = q + z * np.sqrt(q * (1 - q) / n) + z * z / 2 / n
    return np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)


def _families(partition: Partition, here: Counts, there: Counts) -> Iterator[tuple[Counts, float]]:
    """Sets of cells, one per row: single cells, all up to a cell, all from a cell on, and those with the largest ratios."""
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
