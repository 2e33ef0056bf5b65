"""Quantiles and extremes, chosen by rank among public places.

A column's values are counted by place; `moved` is the l1 sensitivity of these counts. A quantile q is chosen by the
exponential mechanism with the score −max(0, #{below} − q·n, q·n − #{up to}), which is 0 at the quantile. Row counts are
smoothed over about as many rows as the choice may err by: otherwise a wide gap between two rows, with its many places,
would be chosen too often. Several quantiles are chosen as a tree: the middle one first, then those below it among the rows
below it, and those above likewise, so that each level is charged once (parallel composition). Finally the rows in windows
around the choices, whose width doubles with the distance, are counted with discrete Laplace noise. The windows are disjoint,
so they too are charged once, and a confidence interval for the true quantile follows from them at any level.

Theorem: (Σ over levels of the largest rate · 2 · reach · moved  +  moved / scale)-DP: docs/proofs/ranks.md.
Source:  McSherry & Talwar 2007; Kaplan, Schnapp & Stemmer 2022 (the tree of quantiles).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import ExtremeRelease, RankRelease
from lapcat.core.exact import ln_up
from lapcat.core.mechanisms.base import SelectionByCounts
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.ranks import RankNode, inherited, levels_of, window_edges
from lapcat.core.sampling.choice import exponential_choice
from lapcat.core.sampling.laplace import checked_scale
from lapcat.core.smoothing import WIDEST, smoothed

Integers = NDArray[np.int64]

FOR_WINDOWS = Fraction(1, 14)
"""The share of an average level's epsilon spent on the intervals: with several quantiles each choice gets less of it, and
its interval widens in proportion to its error."""
SMOOTHED = 3
"""Reach of the smoothing on each side, in units of 1 / rate: about the error of a choice at this rate."""
FAR = 64
"""Cut-off of the rank error, in units of 1 / rate: all places farther off have e^-64 of the weight of the best one."""
BEYOND = Fraction(1, 20)
"""The probability that a maximum is chosen above all values."""
EXACT = 2**61
"""Below it sums and their multiples are 64-bit integers; beyond it Python's own, which are slow and unbounded."""
FARTHEST = 2**60
"""Scores are clipped this far below the best one."""


@dataclass(frozen=True, slots=True)
class Ranks(SelectionByCounts):
    """Quantiles of a column that is counted by place; each place is divided evenly into `parts`, to break ties."""

    quantiles: tuple[Fraction, ...]
    """Ascending, each above 0 and below 1."""
    parts: int
    rates: tuple[tuple[Fraction, ...], ...]
    """For each level of the tree, the rate of each of its choices, from the lowest quantile to the highest."""
    scale: Fraction
    """The noise scale of the window counts, in rows."""

    def __post_init__(self) -> None:
        checked_scale(self.scale * self.parts)  # in the sampler's unit: refused before the debit

    @classmethod
    def calibrate(
        cls,
        quantiles: tuple[Fraction, ...],
        parts: int,
        moved: Fraction,
        epsilon: Fraction,
        *,
        single_cell: bool,
    ) -> Self:
        """Choices that cost exactly epsilon. `single_cell`: see RankRelease.

        The rank error of a choice is proportional to spread / epsilon, and the quantiles chosen below and above it inherit
        a part of it. The epsilons p of the levels minimise the sum of all squared errors, Σ (spread / p)² · inherited, so p
        is proportional to the cube root of its level's Σ spread² · inherited.
        """
        levels, passed_on = levels_of(quantiles), inherited(quantiles)
        spreads = [[spread_of(branch, single_cell) for branch in level] for level in levels]
        at_stake = [
            sum(spread_of(b, single_cell) ** 2 * passed_on[b.index] for b in level) for level in levels
        ]
        weights = [round(2**20 * float(stake) ** (1 / 3)) for stake in at_stake]
        for_windows = epsilon * FOR_WINDOWS / len(spreads)
        for_all = (epsilon - for_windows) / sum(weights)
        rates = tuple(
            tuple(for_all * weight / (moved * spread) for spread in level)
            for weight, level in zip(weights, spreads, strict=True)
        )
        return cls(quantiles, parts, rates, moved / for_windows)

    def draw(self, counts: Integers, coins: CoinSource) -> Integers:
        """For each cell (a row of counts by place) a column: the chosen finer places, then the noisy window
        counts, in which each row counts `parts` times."""
        columns = [self._drawn(row, coins) for row in counts]
        return np.stack(columns, axis=1) if columns else np.zeros((self.rows(counts.shape[1]), 0), np.int64)

    def rows(self, places: int) -> int:
        """Released numbers per cell."""
        return rows_of(len(self.quantiles), places * self.parts)

    def _drawn(self, counts: Integers, coins: CoinSource) -> Integers:
        places = len(counts) * self.parts
        # Each finer place gets the full count of its place: all counts are multiplied by `parts`, without rounding.
        below = _cumulative(np.repeat(counts, self.parts))
        picks = np.zeros(len(self.quantiles), np.int64)
        for level, rates in zip(levels_of(self.quantiles), self.rates, strict=True):
            for branch, rate in zip(level, rates, strict=True):
                first = -1 if branch.left is None else int(picks[branch.left])
                last = places if branch.right is None else int(picks[branch.right])
                picks[branch.index] = self._chosen(branch, rate, below, first, last, coins)
        edges = window_edges(picks.tolist(), places)
        around = np.diff(below[edges])
        held = np.minimum(around, 2**62 - 1).astype(np.int64)
        return np.concatenate([picks, Laplace(self.scale * self.parts).draw(held, coins)])

    def _chosen(
        self, branch: RankNode, rate: Fraction, below: NDArray[Any], first: int, last: int, coins: CoinSource
    ) -> int:
        """A place from `first` to `last`, for a quantile of the rows strictly between them."""
        scores, unit = quantile_scores(branch.target, below, first, last, rate / self.parts)
        place = exponential_choice(rate / (unit * self.parts), scores, 1, coins)
        return max(first, 0) + int(place[0])

    def law(self) -> DiscreteLaplaceLaw:
        """The law of the noise on the window counts."""
        return Laplace(self.scale * self.parts).law()

    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> RankRelease:
        return RankRelease(label, self.quantiles, self.parts, moved, self.rates, self.scale, single_cell)

    @classmethod
    def charged(cls, event: RankRelease, moved: Fraction) -> Self:
        return cls(event.quantiles, event.parts, event.rates, event.scale)

    @property
    def slowest(self) -> Fraction:
        return min(rate for level in self.rates for rate in level)

    def no_worse_than(self, other: Self, places: int, confidence: Fraction) -> bool:
        own, others = (ranks.margin(places * ranks.parts, confidence) for ranks in (self, other))
        return own <= others and self.scale <= other.scale

    def in_words(self, places: int, unit_weight: int) -> str:
        return (
            f"chosen by rank among {places} places; the rows around it are counted with discrete Laplace "
            f"noise of scale {float(self.scale) / unit_weight:.6g}"
        )

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Upper bound on the rank error of every choice, in rows.

        Theorem: all of k choices among m candidates score at least −t with t = ln(m·k/β)/rate, except with probability β,
                 if t is less than `far`; then the rank error is at most t plus the reach of smoothing. A choice between
                 two others inherits no more than the larger of their errors, so the levels of the tree add up. (Rows that
                 share a place are spread over its parts; the rows of one part are a further possible error.)
        """
        rates = [rate for level in self.rates for rate in level]
        below_best = ln_up(candidates * len(rates) / (1 - confidence)) / min(rates)
        own = below_best + Fraction(range_of(min(rates) / self.parts), self.parts)
        return own * len(self.rates)

    def is_sure(self, candidates: int, confidence: Fraction) -> bool:
        """Whether `margin` is below the cut-off, so that it is valid."""
        choices = sum(map(len, self.rates))
        return ln_up(candidates * choices / (1 - confidence)) < FAR


def rows_of(picks: int, places: int) -> int:
    """Released numbers for `picks` quantiles: the choices, and the windows around them."""
    return picks + len(window_edges([0] * picks, places)) - 1


def range_of(rate: Fraction) -> int:
    """Reach of the smoothing, in steps, for a choice at this rate per step."""
    return min(int(SMOOTHED / rate + Fraction(1, 2)), WIDEST)


def quantile_scores(
    target: Fraction, below: NDArray[Any], first: int, last: int, rate: Fraction
) -> tuple[Integers, int]:
    """The scores of the places from `first` to `last` for a quantile of the rows strictly between them, and the
    steps per row. `below[i]` rows lie below place i.

    Smoothing changes a rank by at most its reach, and rank errors beyond `far` all score the same, so ranks are smoothed
    only near the quantile.
    """
    candidates = slice(max(first, 0), min(last, len(below) - 2) + 2)
    total = max(below[last] - below[first + 1], 0)
    inside = np.clip(below[candidates] - below[first + 1], 0, total)
    parts, wanted = target.denominator, target.numerator
    reach, far = range_of(rate), -int(-FAR // rate)
    middle, beyond = int(total) * wanted // parts, far + 3 * reach + 2
    start = max(int(np.searchsorted(inside, max(middle - beyond, -1), "right")) - 1, 0)
    end = min(int(np.searchsorted(inside, min(middle + beyond, int(total) + 1))), len(inside) - 1)
    near = smoothed(inside[start : end + 1] - inside[start], reach) + inside[start]
    if int(total) * parts >= EXACT:
        near, total = near.astype(object), int(total)
    missed = np.maximum(near[:-1] * parts - wanted * total, wanted * total - near[1:] * parts)
    farthest = min(far * parts, FARTHEST)
    gaps = np.full(len(inside) - 1, farthest, np.int64)
    gaps[start:end] = np.clip(missed, 0, farthest)
    return -gaps, parts


def spread_of(branch: RankNode, single_cell: bool) -> Fraction:
    """Sensitivity of the difference of two places' scores to a row of weight 1."""
    return Fraction(1) if single_cell else 2 * branch.reach


@dataclass(frozen=True, slots=True)
class ExtremeRank(SelectionByCounts):
    """The value with about `depth` rows beyond it: a private maximum or minimum.

    The score is −max(0, #{beyond} − depth, depth − #{beyond or there}). Without the depth the many places past the last
    value would all score as high as the best.
    """

    highest: bool
    rate: Fraction
    depth: int

    def __post_init__(self) -> None:
        checked_scale(1 / self.rate)  # so that the depth, less than 2^5 / rate, fits into 62 bits

    @classmethod
    def calibrate(
        cls, highest: bool, places: int, moved: Fraction, epsilon: Fraction, *, single_cell: bool
    ) -> Self:
        """A choice that costs epsilon and lies past all values with probability at most BEYOND.

        Theorem: a place past them scores −depth, and has e^(−rate · depth) of the weight of the best, which scores 0. There are at most
                 places − 1 of them, so one is chosen with probability W / (1 + W) at most, W = (places − 1) · e^(−rate · depth):
                 that is BEYOND if rate · depth = ln((places − 1) · (1 − BEYOND) / BEYOND). No smaller depth suffices for all
                 tables: if all rows, `depth` or more, lie in the farthest place, the bound is attained.
        """
        rate = epsilon / (moved * (1 if single_cell else 2))
        odds = (1 - BEYOND) / BEYOND
        return cls(highest, rate, -(-ln_up((places - 1) * odds) // rate))

    def draw(self, counts: Integers, coins: CoinSource) -> Integers:
        """For each cell (a row of counts by place) the chosen place."""
        picks = [self._chosen(row[::-1] if self.highest else row, coins) for row in counts]
        last = counts.shape[1] - 1
        return np.array([[last - pick if self.highest else pick for pick in picks]], np.int64)

    def rows(self, places: int) -> int:
        """Released numbers per cell."""
        return 1

    def _chosen(self, counts: Integers, coins: CoinSource) -> int:
        """The chosen place, counted from the requested end."""
        scores = extreme_scores(counts, self.depth)
        return int(exponential_choice(self.rate, scores, 1, coins)[0])

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """Upper bound on the number of rows beyond the choice.

        Theorem: it scores at least −ln(m/β)/rate, except with probability β, and at most `depth` more rows lie beyond it.
        """
        return self.depth + ln_up(candidates / (1 - confidence)) / self.rate

    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> ExtremeRelease:
        return ExtremeRelease(label, self.highest, self.depth, moved, self.rate, single_cell)

    @classmethod
    def charged(cls, event: ExtremeRelease, moved: Fraction) -> Self:
        return cls(event.highest, event.rate, event.depth)

    @property
    def slowest(self) -> Fraction:
        return self.rate

    def no_worse_than(self, other: Self, places: int, confidence: Fraction) -> bool:
        return self.depth <= other.depth and self.rate >= other.rate

    def in_words(self, places: int, unit_weight: int) -> str:
        return f"the value with about {round(self.depth / unit_weight)} rows beyond it, among {places} places"


def extreme_scores(counts: Integers, depth: int) -> Integers:
    """The scores of all places, counted from the requested end. The farthest place counts as having at least `depth` rows,
    so that some place always scores 0."""
    beyond = _cumulative(counts)
    there = beyond[1:].copy()
    there[-1] = max(there[-1], depth)
    missed = np.maximum(np.maximum(beyond[:-1] - depth, depth - there), 0)
    scores: Integers = -np.minimum(missed, FARTHEST).astype(np.int64)
    return scores


def _cumulative(counts: Integers) -> NDArray[Any]:
    """Exact cumulative counts: the rows below each place, and the total."""
    whole = counts if float(counts.sum(dtype=np.float64)) < EXACT else counts.astype(object)
    return np.concatenate([np.zeros(1, whole.dtype), np.cumsum(whole)])
