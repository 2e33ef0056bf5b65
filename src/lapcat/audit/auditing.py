"""The audit of any callable: choose events on the answers so far, bet on fresh answers, repeat."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from lapcat.audit.answering import Mechanism, all_raised, answers
from lapcat.audit.betting import bets_on, wealth_of
from lapcat.audit.claim import LEVEL, Claim
from lapcat.audit.events import ObservedEvent, OutcomeSet, best_of, promise, provable
from lapcat.audit.outputs import Outputs, joined
from lapcat.audit.partitions import partition_of
from lapcat.audit.readings import all_readings
from lapcat.audit.result import Audit, EventWitness, pictured
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.errors import BadArgument
from lapcat.mechanisms.binomial import success_bounds

SAMPLES = 100_000
WARM_UP = 256
GROWTH = 1.5
"""The factor by which each round increases the number of answers."""
FITTED_ON = 20_000
"""Events are chosen from the latest rounds that together have this many answers on each side."""


def audit(
    mechanism: Mechanism,
    d: object,
    d_prime: object,
    epsilon: object,
    delta: object = 0,
    *,
    samples: int = SAMPLES,
    level: object = LEVEL,
) -> Audit:
    """Tests whether `mechanism` satisfies (epsilon, delta) between d and d_prime, from its answers alone.

    mechanism: called as mechanism(d), it returns anything: a number, a text, a list, an array. If it takes `size`, it is
        called as mechanism(d, size=n) and returns n independent answers along the first axis: much faster.
    samples: the maximum number of answers on each side; the audit ends as soon as a violation is proved.
    level: upper bound on the probability that a mechanism that satisfies the claim is called a violation.

    VIOLATION is a proof up to the level. NO EVIDENCE is not a proof of anything.

    >>> rng = np.random.default_rng(1)
    >>> result = audit(lambda x, size: x + rng.laplace(0, 0.5, size), 0.0, 1.0, epsilon=1)
    >>> result.verdict, result.bound > 1
    ('VIOLATION', True)
    """
    claim = Claim.read(epsilon, delta, level)
    limit = checked_whole("audit-samples", "samples", samples, 2 * WARM_UP, fix=f"samples={SAMPLES}")
    started = time.perf_counter()
    here, there = [answers(mechanism, d, WARM_UP)], [answers(mechanism, d_prime, WARM_UP)]
    if all_raised(here[0]) and all_raised(there[0]):
        raise BadArgument(
            "audit-raises",
            f"every call of the mechanism raised {here[0].words[0, 0].removeprefix('raised ')}",  # type: ignore[index]
            why="a mechanism that never answers satisfies every claim; more likely the call is wrong",
            fix="call mechanism(d) or mechanism(d, size=1000) yourself to see the error",
        )
    rounds = rounds_of(limit)
    wealth, drawn = 0.0, WARM_UP
    best: EventWitness | None = None
    for size in rounds:
        choice = choose(_latest(here), _latest(there), claim)
        fresh, other = answers(mechanism, d, size), answers(mechanism, d_prime, size)
        path = wealth + wealth_of(bets_on(choice.worst, claim), fresh, other, claim)
        reached = path >= math.log(1 / claim.level)
        witness = proved(choice.strongest.event, fresh, other, claim, len(rounds))
        best = witness if best is None or witness.bound > best.bound else best
        here.append(fresh)
        there.append(other)
        drawn += size
        wealth = float(path[int(reached.argmax())]) if reached.any() else float(path[-1])
        if reached.any():
            break
    assert best is not None
    return Audit(
        claim=claim,
        log_evidence=wealth,
        witness=best,
        samples=drawn,
        seconds=time.perf_counter() - started,
        picture=pictured(best.event.partition, joined(here), joined(there)),
    )


def rounds_of(limit: int) -> list[int]:
    """The number of fresh answers in each round; with the warm-up they add up to `limit`."""
    totals = [WARM_UP]
    while totals[-1] < limit:
        totals.append(min(limit, int(totals[-1] * GROWTH)))
    sizes = np.diff(totals).tolist()
    if len(sizes) > 1 and sizes[-1] < sizes[-2] // 2:  # a short last round is merged into the one before
        sizes[-2:] = [sizes[-2] + sizes[-1]]
    return sizes


@dataclass(frozen=True, slots=True, eq=False)
class Bets:
    """The events to bet on, best first, and the event with the best provable bound on epsilon."""

    worst: list[ObservedEvent]
    strongest: ObservedEvent


def choose(here: Outputs, there: Outputs, claim: Claim) -> Bets:
    """Events chosen by their frequencies in these answers."""
    n = len(here)
    worst: list[ObservedEvent] = []
    by_bound: list[ObservedEvent] = []
    for reading in all_readings(here, there):
        partition = partition_of(reading, here, there)
        if partition is None:
            continue
        counts = partition.counts(here), partition.counts(there)
        for turned in (False, True):
            worst.append(best_of(partition, *counts, n, claim, turned, promise))
            by_bound.append(best_of(partition, *counts, n, claim, turned, provable))
    worst.sort(key=lambda event: -event.worth)
    return Bets(worst, max(by_bound, key=lambda event: event.worth))


def proved(event: OutcomeSet, here: Outputs, there: Outputs, claim: Claim, rounds: int) -> EventWitness:
    """The lower bound on epsilon that fresh answers prove for an event fixed in advance.

    Theorem: with probability at least 1 − level, P[S] is above its lower and P′[S] below its upper bound in every round
             (Clopper & Pearson, each at level / (2 rounds)); then any ε′ with P[S] <= e^ε′ P′[S] + δ is at least
             ln((P[S] − δ) / P′[S]). The bounds of all rounds hold simultaneously, so the largest holds as well, whenever
             the audit stops.
    """
    likely, other = (there, here) if event.turned else (here, there)
    n = len(likely)
    a, b = int(event.happened(likely).sum()), int(event.happened(other).sum())
    level = float(claim.level) / (2 * rounds)
    low, high = success_bounds(a, n, level)[0] - claim.slack, success_bounds(b, n, level)[1]
    bound = max(0.0, math.log(low / high)) if low > 0 else 0.0
    return EventWitness(event, a / n, b / n, n, bound)


def _latest(batches: list[Outputs]) -> Outputs:
    """The latest batches that together have FITTED_ON answers."""
    taken, n = [], 0
    for batch in reversed(batches):
        taken.append(batch)
        n += len(batch)
        if n >= FITTED_ON:
            break
    return joined(taken[::-1])
