"""The mechanisms of questions, by the tag of their events.

A question gets the one with the least noise at its price; a stored event finds the one that it was drawn with.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lapcat.core.event import NoiseRelease, SelectionRelease
from lapcat.core.event_codec import tag_of
from lapcat.core.loss import Loss
from lapcat.core.mechanisms.base import Mechanism, SelectionByCounts
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.core.sensitivity import Sensitivity
from lapcat.errors import Bug

MECHANISMS: dict[str, type[Mechanism[Any]]] = {"laplace": Laplace, "gaussian": Gaussian}
"""Noise on sums."""

SELECTIONS: dict[str, type[SelectionByCounts]] = {"ranks": Ranks, "extreme": ExtremeRank, "choice": Commonest}
"""Selections by counts."""


def least_noise(sensitivity: Sensitivity, share: Loss, *, all_add_up: bool) -> Mechanism[Any]:
    """The mechanism with the least variance whose event costs at most the share of a statistic.

    all_add_up: the shares of all statistics of the question add up to its price. Only then may a loss that is not linear in a
    unit's rows be used (`TopK.largest`).
    """
    ways = [
        mechanism.calibrate(sensitivity, share)
        for mechanism in MECHANISMS.values()
        if mechanism.priced_in is type(share)
    ]
    usable = [way for way in ways if all_add_up or way.event("", sensitivity).linear]
    return usable[0] if len(usable) == 1 else min(usable, key=lambda way: way.variance)


def charged_mechanism(event: NoiseRelease) -> Mechanism[Any]:
    """The mechanism that a stored event charged."""
    mechanism = MECHANISMS.get(tag_of(event))
    if mechanism is None:
        raise Bug("cost-differs", f"no mechanism releases a statistic as {tag_of(event)}")
    return mechanism.charged(event)


def charged_selection(event: SelectionRelease, moved: Fraction) -> SelectionByCounts:
    """The selection that a stored event charged, by counts of this l1 sensitivity."""
    return SELECTIONS[tag_of(event)].charged(event, moved)
