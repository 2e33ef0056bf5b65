"""An anytime-valid test of a privacy claim, by betting against it.

Theorem: let x, y be fresh answers on d and d′, S an event fixed beforehand, and 0 <= l < 1 / (e^ε + δ). If the claim is
         true, 1 + l (1[x in S] − e^ε 1[y in S] − δ) is not negative and has a mean of at most 1. The same
         holds for any mixture of such factors, over events, stakes and both directions, and for each step of a product
         whose stakes depend only on the past. The product is a supermartingale that starts at 1, and with probability at
         least 1 − a it never reaches 1 / a, however long the test runs and whenever it is stopped.
Proof:   the mean is 1 + l (P[S] − e^ε P′[S] − δ) <= 1, and the factor is smallest where only y lies in S,
         1 − l (e^ε + δ) > 0. The last sentence is Ville's inequality: Markov's, at the first time that 1 / a is reached.
Source:  choosing events on part of the samples: Ding et al. 2018; Bichsel et al. 2021 (with other tests).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.claim import Claim
from lapcat.audit.events import STAKE, ObservedEvent, OutcomeSet
from lapcat.audit.outputs import Outputs

OTHERS = 6
"""The number of events with a bet of their own, besides the joint bet on the best event of each direction."""
CAUTION = 1.0
"""Standard errors by which stakes discount the observed frequencies."""


@dataclass(frozen=True, slots=True, eq=False)
class Bet:
    """Stakes on several events, whose sum is at most the largest allowed stake."""

    events: tuple[OutcomeSet, ...]
    stakes: tuple[float, ...]

    def gains(self, here: Outputs, there: Outputs, claim: Claim) -> NDArray[np.float64]:
        """The logarithm of the wealth after each pair of answers."""
        factor = np.ones(len(here))
        for event, stake in zip(self.events, self.stakes, strict=True):
            likely, other = (there, here) if event.turned else (here, there)
            payoff = event.happened(likely) - claim.factor * event.happened(other) - claim.slack
            factor += stake * payoff
        return np.cumsum(np.log(factor))


def bets_on(worst: list[ObservedEvent], claim: Claim) -> list[tuple[float, Bet]]:
    """A portfolio of the worst events: half of the wealth on a joint bet on the best event of each direction."""
    both = [next((s for s in worst if s.event.turned is turned), None) for turned in (False, True)]
    first = [s for s in both if s is not None]
    bets = [_bet(first, claim), *(_bet([event], claim) for event in worst[:OTHERS])]
    shares = [0.5, *[0.5 / (len(bets) - 1)] * (len(bets) - 1)]
    return list(zip(shares, bets, strict=True))


def wealth_of(
    bets: list[tuple[float, Bet]], here: Outputs, there: Outputs, claim: Claim
) -> NDArray[np.float64]:
    """The logarithm of the mixture's wealth after each pair of answers."""
    paths = np.stack([np.log(share) + bet.gains(here, there, claim) for share, bet in bets])
    top = paths.max(axis=0)
    return np.asarray(top + np.log(np.exp(paths - top).sum(axis=0)))


def stake_on(seen: ObservedEvent, claim: Claim) -> float:
    """The stake with the fastest growth at frequencies CAUTION standard errors less favourable than the observed ones."""
    p, q = (seen.here + 0.5) / (seen.n + 1), (seen.there + 0.5) / (seen.n + 1)
    p = max(0.0, p - CAUTION * (p * (1 - p) / seen.n) ** 0.5)
    q = min(1.0, q + CAUTION * (q * (1 - q) / seen.n) ** 0.5)
    largest = STAKE / (claim.factor + claim.slack)
    stakes = largest * np.concatenate([[0.0], np.geomspace(1e-3, 1, 60)])
    growth = (
        p * (1 - q) * np.log1p(stakes * (1 - claim.slack))
        + q * (1 - p) * np.log1p(-stakes * (claim.factor + claim.slack))
        + p * q * np.log1p(stakes * (1 - claim.factor - claim.slack))
        + (1 - p) * (1 - q) * np.log1p(-stakes * claim.slack)
    )
    return float(stakes[growth.argmax()])


def _bet(observed: list[ObservedEvent], claim: Claim) -> Bet:
    stakes = [stake_on(event, claim) for event in observed]
    largest = STAKE / (claim.factor + claim.slack)
    scale = min(1.0, largest / total) if (total := sum(stakes)) else 1.0
    return Bet(tuple(seen.event for seen in observed), tuple(stake * scale for stake in stakes))
