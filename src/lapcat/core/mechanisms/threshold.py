"""Private keys: the unit count of each key gets noise, and a key is shown only if the noisy count reaches a threshold.

Theorem: for a unit in at most C keys, counted once in each, it is (epsilon, delta)-DP with epsilon = C / scale under add-remove
         (2C / scale under replace-one) and delta = 1 - (1 - p)^C, p = Pr[1 + Z >= tau]: a unit's
         contribution to keys that others also have is hidden by the noise; a key that it alone has is shown with probability p.
Source:  Korolova, Kenthapadi, Mishra & Ntoulas 2009. docs/proofs/choice.md, "Threshold", has the proof for any of the C keys.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import ADD_REMOVE, REPLACE_ONE, ThresholdRelease
from lapcat.core.exact import exp_bounds, ln_up
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.sampling import FARTHEST, checked_scale
from lapcat.core.tails import any_shown_up
from lapcat.errors import BadArgument

Relation = Literal["add-remove", "replace-one"]


@dataclass(frozen=True, slots=True)
class Shown:
    """Which keys are shown, and their noisy unit counts; 0 for a key that is not shown, so that nothing else leaves."""

    mask: NDArray[np.bool_]
    noisy: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Threshold:
    """Discrete Laplace noise of this scale on the unit count of each key; keys with a noisy count of at least tau are shown."""

    scale: Fraction
    tau: int

    def __post_init__(self) -> None:
        checked_scale(self.scale)
        checked_whole("tau-range", "tau", self.tau, 1, FARTHEST, "Threshold.calibrate finds the least tau")

    def draw(self, counts: NDArray[np.int64], coins: CoinSource) -> Shown:
        """For the exact unit count of each key: whether it is shown, and its noisy count.

        A key without units is not in the data, so it is never shown.

        >>> from lapcat.core.coins import system_coins
        >>> shown = Threshold(Fraction(1, 100), 5).draw(np.array([0, 4, 5, 90]), system_coins())
        >>> shown.mask.tolist(), shown.noisy.tolist()
        ([False, False, True, True], [0, 0, 5, 90])
        """
        noisy = Laplace(self.scale).draw(counts, coins)
        mask = (noisy >= self.tau) & (counts >= 1)
        return Shown(mask, np.where(mask, noisy, 0))

    def law(self, count: int) -> ThresholdLaw:
        """The law of the release for a key with this unit count."""
        return ThresholdLaw(self.scale, self.tau, count)

    def event(self, label: str, keys: int, relation: Relation) -> ThresholdRelease:
        """One release of the keys of a table in which a unit has at most `keys` keys.

        >>> Threshold(Fraction(2), 30).event("city", 2, "add-remove").loss.epsilon
        Fraction(1, 1)
        """
        checked_relation(relation)
        return ThresholdRelease(label, self.scale, self.tau, checked_keys(keys), relation)

    @classmethod
    def calibrate(cls, keys: int, share: ApproxDP, relation: Relation) -> Self:
        """The least noise, and then the least tau, that cost at most the share.

        >>> Threshold.calibrate(1, ApproxDP(Fraction(1), Fraction(1, 10**6)), "add-remove")
        Threshold(scale=Fraction(1, 1), tau=15)
        """
        checked_relation(relation)
        moved = checked_keys(keys) * (2 if relation == REPLACE_ONE else 1)
        if not share.epsilon:
            raise BadArgument(
                "epsilon-zero", "epsilon = 0 allows no answer", fix="give this question a share of epsilon"
            )
        if not share.delta:
            raise BadArgument(
                "delta-zero",
                "delta = 0 shows no private key",
                why="a key that one unit alone has would be shown with some probability, however high the threshold",
                fix="delta = 1e-7, or declare the keys as public",
            )
        scale = moved / share.epsilon
        return cls(scale, _least_tau(checked_scale(scale), keys, share.delta))


@dataclass(frozen=True, slots=True)
class ThresholdLaw:
    """The law of the release for a key with `count` units: a number z >= tau, or nothing (None)."""

    scale: Fraction
    tau: int
    count: int

    def pmf_bounds(self, z: int | None) -> tuple[Fraction, Fraction]:
        """Pr[z is released], rounded down and up; None means that the key is not shown.

        >>> low, high = ThresholdLaw(Fraction(1), 15, 1).pmf_bounds(None)
        >>> float(1 - high) <= float(1 - low) < 1e-6
        True
        """
        if self.count < 1:
            sure = Fraction(z is None)
            return sure, sure
        if z is None:
            low, high = self.shown_bounds()
            return 1 - high, 1 - low
        if z < self.tau:
            return Fraction(0), Fraction(0)
        return self._noise.pmf_bounds(z)

    def pmf(self, z: int | None) -> float:
        """Pr[z is released]."""
        if z is None or self.count < 1 or z < self.tau:
            return float(self.pmf_bounds(z)[1])
        return self._noise.pmf(z)

    def shown_bounds(self) -> tuple[Fraction, Fraction]:
        """Pr[count + Z >= tau], rounded down and up.

        Theorem: q^t / (1 + q) for t = tau - count >= 0; else 1 - q^(1-t) / (1 + q), as the noise is symmetric.
        """
        if self.count < 1:
            return Fraction(0), Fraction(0)
        t = self.tau - self.count
        away = t if t >= 0 else 1 - t
        bits = 128 + min(math.ceil(away / self.scale * 3 / 2), 1 << 13)
        unity = 1 << bits
        low, high = exp_bounds(away / self.scale, bits)
        q_low, q_high = exp_bounds(1 / self.scale, bits)
        tail = Fraction(low, unity + q_high), Fraction(high, unity + q_low)
        return tail if t >= 0 else (1 - tail[1], 1 - tail[0])

    @property
    def _noise(self) -> DiscreteLaplaceLaw:
        return DiscreteLaplaceLaw(self.scale, self.count)


def checked_keys(keys: int) -> int:
    return checked_whole(
        "threshold-keys", "keys", keys, 1, 1 << 40, "keys = 3: the number of keys one unit may have"
    )


def checked_relation(relation: str) -> str:
    if relation not in (ADD_REMOVE, REPLACE_ONE):
        raise BadArgument(
            "relation-unknown", f"no relation {relation!r}", fix=f"one of: {ADD_REMOVE}, {REPLACE_ONE}"
        )
    return relation


def _least_tau(scale: Fraction, keys: int, delta: Fraction) -> int:
    """The least tau >= 1 whose delta, rounded up, is at most this one.

    1 - (1 - p)^C <= C * p <= C * q^(tau-1), so tau = 1 + scale * ln(C / delta) is enough; delta falls as tau grows.
    """
    low, high = 1, 2 + max(0, math.ceil(scale * ln_up(keys / delta)))
    while low < high:
        middle = (low + high) // 2
        if any_shown_up(scale, middle, keys) <= delta:
            high = middle
        else:
            low = middle + 1
    return low
