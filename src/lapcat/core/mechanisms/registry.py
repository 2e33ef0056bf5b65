"""The mechanisms of questions by the tag of their event: a stored event tells how it was drawn, also after years."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lapcat.core.event import NoiseRelease, SelectionRelease
from lapcat.core.event_codec import tag_of
from lapcat.core.mechanisms.base import Mechanism, SelectionByCounts
from lapcat.core.mechanisms.commonest import Commonest
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.mechanisms.ranks import ExtremeRank, Ranks
from lapcat.errors import Bug

MECHANISMS: dict[str, type[Mechanism[Any]]] = {"laplace": Laplace, "gaussian": Gaussian}
"""Noise on sums."""

SELECTIONS: dict[str, type[SelectionByCounts]] = {"ranks": Ranks, "extreme": ExtremeRank, "choice": Commonest}
"""Selections by counts."""


def charged_mechanism(event: NoiseRelease) -> Mechanism[Any]:
    """The mechanism that a stored event charged."""
    mechanism = MECHANISMS.get(tag_of(event))
    if mechanism is None:
        raise Bug("cost-differs", f"no mechanism releases a statistic as {tag_of(event)}")
    return mechanism.charged(event)


def charged_selection(event: SelectionRelease, moved: Fraction) -> SelectionByCounts:
    """The selection that a stored event charged, by counts of this l1 sensitivity."""
    return SELECTIONS[tag_of(event)].charged(event, moved)
