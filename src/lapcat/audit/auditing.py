"""The audit of any callable: look at answers, choose events, bet on fresh answers, look again."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from lapcat.audit.answering import Mechanism, all_raised, answers
from lapcat.audit.betting import bets_on, wealth_of
from lapcat.audit.claim import LEVEL, Claim
from lapcat.audit.events import Event, ObservedEvent, best_of, promise, provable
from lapcat.audit.outputs import Outputs, joined
from lapcat.audit.partitions import partition_of
from lapcat.audit.readings import all_readings
from lapcat.audit.result import Audit, EventWitness, pictured
from lapcat.core.mechanisms.binomial import success_bounds
from lapcat.core.mechanisms.finite import checked_whole
from lapcat.errors import BadArgument

SAMPLES = 100_000
WARM_UP = 256
GROWTH = 1.5
"""Each round draws so many answers that there are half as many again."""
FITTED_ON = 20_000
"""The most answers of each side from which events are chosen: the latest ones."""


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
    """Does `mechanism` keep (epsilon, delta) between d and d_prime? By its answers alone.

    mechanism: called as mechanism(d), it returns anything: a number, a text, a list, an array. One that takes `size` is
        called as mechanism(d, size=n), and returns n independent answers along the first axis: much faster.
    samples: the most answers that are drawn on each side; a breach ends the audit as soon as it is proved.
    level: how often a mechanism that keeps the claim may be called a violation, at most.

    VIOLATION is a proof up to the level. NO EVIDENCE is not a proof of anything.

    >>> rng = np.random.default_rng(1)
    >>> found = audit(lambda x, size: x + rng.laplace(0, 0.5, size), 0.0, 1.0, epsilon=1)
    >>> found.verdict, found.bound > 1
    ('VIOLATION', True)
    """
    claim = Claim.read(epsilon, delta, level)
    most = checked_whole("audit-samples", "samples", samples, 2 * WARM_UP, fix=f"samples={SAMPLES}")
    started = time.perf_counter()
    here, there = [answers(mechanism, d, WARM_UP)], [answers(mechanism, d_prime, WARM_UP)]
    if all_raised(here[0]) and all_raised(there[0]):
        raise BadArgument(
            "audit-raises",
            f"the mechanism did nothing but raise {here[0].words[0, 0].removeprefix('raised ')}",  # type: ignore[index]
            why="a mechanism that never answers keeps every claim, and is rather called in a wrong way",
            fix="mechanism(d) or mechanism(d, size=1000) by hand shows the error",
        )
    rounds = rounds_of(most)
    wealth, drawn = 0.0, WARM_UP
    best: EventWitness | None = None
    for size in rounds:
        choice = choose(_latest(here), _latest(there), claim)
        fresh, other = answers(mechanism, d, size), answers(mechanism, d_prime, size)
        path = wealth + wealth_of(bets_on(choice.worst, claim), fresh, other, claim)
        reached = path >= math.log(1 / claim.level)
        witness = proved(choice.telling.event, fresh, other, claim, len(rounds))
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


def rounds_of(most: int) -> list[int]:
    """How many fresh answers each round draws; with the warm-up they are `most`."""
    totals = [WARM_UP]
    while totals[-1] < most:
        totals.append(min(most, int(totals[-1] * GROWTH)))
    sizes = np.diff(totals).tolist()
    if len(sizes) > 1 and sizes[-1] < sizes[-2] // 2:  # a short last round is added to the one before
        sizes[-2:] = [sizes[-2] + sizes[-1]]
    return sizes


@dataclass(frozen=True, slots=True, eq=False)
class Bets:
    """What to bet on, best first, and the event whose bound on epsilon is worth proving."""

    worst: list[ObservedEvent]
    telling: ObservedEvent


def choose(here: Outputs, there: Outputs, claim: Claim) -> Bets:
    """Events chosen by how they looked in these answers."""
    n = len(here)
    worst: list[ObservedEvent] = []
    telling: list[ObservedEvent] = []
    for reading in all_readings(here, there):
        partition = partition_of(reading, here, there)
        if partition is None:
            continue
        counts = partition.counts(here), partition.counts(there)
        for turned in (False, True):
            worst.append(best_of(partition, *counts, n, claim, turned, promise))
            telling.append(best_of(partition, *counts, n, claim, turned, provable))
    worst.sort(key=lambda seen: -seen.worth)
    return Bets(worst, max(telling, key=lambda seen: seen.worth))


def proved(event: Event, here: Outputs, there: Outputs, claim: Claim, rounds: int) -> EventWitness:
    """The lower bound on epsilon that fresh answers prove for an event that was fixed before them.

    Theorem: with probability at least 1 − level, P[S] is above its lower and P′[S] below its upper bound in every round
             (Clopper & Pearson, each at level / (2 rounds)); then any ε′ with P[S] <= e^ε′ P′[S] + δ is at least
             ln((P[S] − δ) / P′[S]). The bounds of all rounds hold together, so the largest of them holds as well, whenever
             the audit stops.
    """
    likely, other = (there, here) if event.turned else (here, there)
    n = len(likely)
    a, b = int(event.happened(likely).sum()), int(event.happened(other).sum())
    level = float(claim.level) / (2 * rounds)
    low, high = success_bounds(a, n, level)[0] - claim.slack, success_bounds(b, n, level)[1]
    bound = max(0.0, math.log(low / high)) if low > 0 else 0.0
    return EventWitness(event, a / n, b / n, n, bound)


def _latest(lots: list[Outputs]) -> Outputs:
    """The last answers, as many as events are fitted on."""
    taken, n = [], 0
    for lot in reversed(lots):
        taken.append(lot)
        n += len(lot)
        if n >= FITTED_ON:
            break
    return joined(taken[::-1])
