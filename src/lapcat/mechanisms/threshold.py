"""Private group keys: shown only if enough units have them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

import numpy as np

from lapcat.accounting.base import checked_delta
from lapcat.core.coins import system_coins
from lapcat.core.event import ThresholdRelease
from lapcat.core.loss import ApproxDP
from lapcat.core.mechanisms import threshold as core_threshold
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.core.sampling.saturating import FARTHEST
from lapcat.drawing.curves import but_for_delta, card, neighbours_svg
from lapcat.mechanisms.grids import floored, out_of_reach
from lapcat.mechanisms.shown import Curves, describe, factor_of, number, one_of, read_epsilon, set_fields

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Threshold:
    """Unit counts per private key with Laplace noise; a key is shown if its noisy count reaches tau.

    keys: contribution bound, the number of keys one unit may have; it counts once in each.

    >>> Threshold(epsilon=1, delta=1e-6).tau
    15
    """

    epsilon: Fraction
    delta: Fraction
    keys: int
    relation: Literal["add-remove", "replace-one"]
    core: core_threshold.Threshold

    def __init__(
        self,
        epsilon: object,
        delta: object,
        keys: int = 1,
        relation: Literal["add-remove", "replace-one"] = "add-remove",
    ) -> None:
        price, allowed = read_epsilon(epsilon), checked_delta(delta)
        one_of("relation-unknown", "relation", relation, ("add-remove", "replace-one"))
        keys = core_threshold.checked_keys(keys)
        core = core_threshold.Threshold.calibrate(keys, ApproxDP(price, allowed), relation)
        set_fields(self, epsilon=price, delta=allowed, keys=keys, relation=relation, core=core)

    @property
    def tau(self) -> int:
        return self.core.tau

    @property
    def scale(self) -> Fraction:
        return self.core.scale

    @property
    def loss(self) -> ApproxDP:
        """The cost of one release."""
        return self.event().loss

    def event(self, label: str = "keys") -> ThresholdRelease:
        return self.core.event(label, self.keys, self.relation)

    def release(self, counts: Mapping[Key, int]) -> dict[Key, int]:
        """The shown keys with their noisy unit counts."""
        names = list(counts)
        exact = [floored(counts[name], Fraction(1)) for name in names]
        if any(abs(count) > FARTHEST for count in exact):
            raise out_of_reach(Fraction(1))
        shown = self.core.draw(np.array(exact, np.int64), system_coins())
        return {name: int(z) for name, z, seen in zip(names, shown.noisy, shown.mask, strict=True) if seen}

    def __repr__(self) -> str:
        return describe("Threshold", self._rows(), self._curves())

    def _repr_html_(self) -> str:
        """The law of a key held by one unit, against its absence without that unit. It is shown in the shaded part, which is δ."""
        reach = 4 * math.ceil(self.scale) + 4
        outcomes = range(1 - reach, self.tau + reach)
        noise = DiscreteLaplaceLaw(self.scale, 1)
        factor = factor_of(self.epsilon)
        picture = neighbours_svg(
            [noise.pmf(z) for z in outcomes],
            [0.0] * len(outcomes),
            factor,
            f"noisy count of a key held by one unit; it is shown from {self.tau} on",
            caption=but_for_delta(factor, float(self.delta)),
            shaded=[z >= self.tau for z in outcomes],
        )
        return card("Threshold", self._rows(), picture)

    def _rows(self) -> list[tuple[str, str]]:
        return [
            (
                "guarantee",
                f"({number(self.epsilon)}, {float(self.delta):.3g})-differential privacy, {self.relation}",
            ),
            ("keys per unit", str(self.keys)),
            ("noise scale", number(self.scale)),
            ("shown from", str(self.tau)),
        ]

    def _curves(self) -> Curves:
        here, there = self.core.law(self.tau), self.core.law(max(1, self.tau - 1))
        reach = 4 * int(self.scale) + 4
        outcomes = range(self.tau - reach // 4, self.tau + reach)
        return [here.pmf(z) for z in outcomes], [there.pmf(z) for z in outcomes]
