"""Quantiles and extremes, chosen by rank among public places.

A column's values are counted by place; one unit changes these counts by at most `moved` in all. A quantile q is chosen by
the exponential mechanism with the score −max(0, #{below} − q·n, q·n − #{up to}): 0 where the quantile lies. The numbers
of rows are smoothed over as many rows as the choice may err by anyway: else a wide gap between two rows, with its many
places, would be chosen too often. Several are chosen as a tree: the middle one first, then those below it among the rows below it, and those above likewise, so that
each level is paid once, however many choices it has. At last the rows in windows around the choices, which double in
width with the distance, are counted with discrete Laplace noise: they are disjoint, so they too are paid once, and from
them everybody can compute, at any confidence, between which places the true quantile lies.

Theorem: (Σ over levels of the dearest rate · 2 · reach · moved  +  moved / scale)-DP: docs/proofs/ranks.md.
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
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.core.ranks import RankNode, inherited, levels_of, window_edges
from lapcat.core.sampling.choice import exponential_choice
from lapcat.core.sampling.laplace import checked_scale
from lapcat.core.smoothing import WIDEST, smoothed

Integers = NDArray[np.int64]

FOR_WINDOWS = Fraction(1, 14)
"""The part of an average level's price that pays for the intervals: where several quantiles share a price, each is chosen
with less of it, and its interval is as much wider as its error is larger."""
SMOOTHED = 3
"""Over how many times 1 / rate a rank is smoothed each way: about as far as a choice at this rate errs."""
FAR = 64
"""How many times 1 / rate a rank is off at most: all places farther off than that weigh e^-64 of the best one."""
BEYOND = Fraction(1, 20)
"""The chance that a maximum is chosen above all values."""
EXACT = 2**61
"""Below it sums and their multiples are 64-bit integers; beyond it Python's own, which are slow and have no end."""
FARTHEST = 2**60
"""A score this far below the best is as good as any farther one."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Quantiles of a column that is counted by place; each place is divided evenly into `parts`, against ties."""

    quantiles: tuple[Fraction, ...]
    """Ascending, each above 0 and below 1."""
    parts: int
    rates: tuple[tuple[Fraction, ...], ...]
    """For each level of the tree, the rate of each of its choices, from the lowest quantile to the highest."""
    scale: Fraction
    """Of the noise on the windows' counts, in the unit of a place's count."""

    def __post_init__(self) -> None:
        checked_scale(self.scale * self.parts)  # as it is drawn: refused before it is paid for

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

        The rank of a choice errs as spread / price does, and the quantiles that are chosen below and above it inherit a part
        of that. The prices of the levels p minimise the sum of all squared errors, Σ (spread / p)² · inherited, so that p
        is as the cube root of its level's Σ spread² · inherited.
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
        """For each cell (a row of counts by place) a column: the chosen finer places, then the noisy counts of the
        windows, in which each row counts `parts` times."""
        columns = [self._drawn(row, coins) for row in counts]
        return np.stack(columns, axis=1) if columns else np.zeros((self.rows(counts.shape[1]), 0), np.int64)

    def rows(self, places: int) -> int:
        """How many numbers a cell gets."""
        return rows_of(len(self.quantiles), places * self.parts)

    def _drawn(self, counts: Integers, coins: CoinSource) -> Integers:
        places = len(counts) * self.parts
        # Each finer place has its whole place's count: `parts` times as much in all, and nothing is rounded.
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
        """Of the noise on the windows' counts, as they are drawn."""
        return Laplace(self.scale * self.parts).law()

    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> RankRelease:
        return RankRelease(label, self.quantiles, self.parts, moved, self.rates, self.scale, single_cell)

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """A bound on how far off the rank of any of the choices is, in the unit of a place's count.

        Theorem: all of k choices among m candidates score at least −t with t = ln(m·k/β)/rate, but for a chance of β, if
                 that is less than `far`; then a rank is off by at most t, and by the reach of smoothing. A choice between
                 two others inherits no more than the larger of their errors, so the levels of the tree add up. (Rows that
                 share a place are spread over its parts: of those of one part it may be off besides.)
        """
        rates = [rate for level in self.rates for rate in level]
        below_best = ln_up(candidates * len(rates) / (1 - confidence)) / min(rates)
        own = below_best + Fraction(range_of(min(rates) / self.parts), self.parts)
        return own * len(self.rates)

    def is_sure(self, candidates: int, confidence: Fraction) -> bool:
        """Whether ranks are told apart as far as `margin` says."""
        choices = sum(map(len, self.rates))
        return ln_up(candidates * choices / (1 - confidence)) < FAR


def rows_of(picks: int, places: int) -> int:
    """How many numbers so many quantiles among these places are: the choices, and the windows around them."""
    return picks + len(window_edges([0] * picks, places)) - 1


def range_of(rate: Fraction) -> int:
    """Over how many steps each way ranks are smoothed for a choice at this rate for each step."""
    return min(int(SMOOTHED / rate + Fraction(1, 2)), WIDEST)


def quantile_scores(
    target: Fraction, below: NDArray[Any], first: int, last: int, rate: Fraction
) -> tuple[Integers, int]:
    """The scores of the places from `first` to `last` for a quantile of the rows strictly between them, and how many
    steps of them one row is. `below[i]` rows lie below place i.

    Smoothing moves a rank by at most its reach, and no rank that is off by more than `far` is told from another: so ranks
    are smoothed near the quantile alone.
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
    """How far a row of weight 1 moves the score of one place against that of another."""
    return Fraction(1) if single_cell else 2 * branch.reach


@dataclass(frozen=True, slots=True)
class ExtremeRank:
    """The value with about `depth` of the rows beyond it: as near to the maximum (or minimum) as anybody may come.

    The score is −max(0, #{beyond} − depth, depth − #{beyond or there}). Without the depth all places past the last value
    would be as good as the best, and there are many of them.
    """

    highest: bool
    rate: Fraction
    depth: int

    def __post_init__(self) -> None:
        checked_scale(1 / self.rate)  # so that the depth, less than 2^5 of these, fits into 62 bits

    @classmethod
    def calibrate(
        cls, highest: bool, places: int, moved: Fraction, epsilon: Fraction, *, single_cell: bool
    ) -> Self:
        """A choice that costs epsilon and lies past all values with a probability of at most BEYOND.

        Theorem: a place past them scores −depth, and weighs e^(−rate · depth) of the best, which scores 0. There are at most
                 places − 1 of them, so one is chosen with probability W / (1 + W) at most, W = (places − 1) · e^(−rate · depth):
                 that is BEYOND where rate · depth = ln((places − 1) · (1 − BEYOND) / BEYOND). No lesser depth will do for all
                 tables: where all rows, `depth` or more, lie in the farthest place, it is that probability.
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
        """How many numbers a cell gets."""
        return 1

    def _chosen(self, counts: Integers, coins: CoinSource) -> int:
        """Counting from the end that is asked for."""
        scores = extreme_scores(counts, self.depth)
        return int(exponential_choice(self.rate, scores, 1, coins)[0])

    def margin(self, candidates: int, confidence: Fraction) -> Fraction:
        """How many rows lie beyond the choice at most.

        Theorem: it scores at least −ln(m/β)/rate, but for a chance of β, and beyond it lie at most `depth` rows more.
        """
        return self.depth + ln_up(candidates / (1 - confidence)) / self.rate

    def event(self, label: str, moved: Fraction, *, single_cell: bool) -> ExtremeRelease:
        return ExtremeRelease(label, self.highest, self.depth, moved, self.rate, single_cell)


def extreme_scores(counts: Integers, depth: int) -> Integers:
    """The scores of all places, counted from the end that is asked for. The farthest place holds `depth` rows at least: it
    is the best one where there are fewer, so that some place always scores 0."""
    beyond = _cumulative(counts)
    there = beyond[1:].copy()
    there[-1] = max(there[-1], depth)
    missed = np.maximum(np.maximum(beyond[:-1] - depth, depth - there), 0)
    scores: Integers = -np.minimum(missed, FARTHEST).astype(np.int64)
    return scores


def _cumulative(counts: Integers) -> NDArray[Any]:
    """How much lies below each place, and in all: exact, however much it is."""
    whole = counts if float(counts.sum(dtype=np.float64)) < EXACT else counts.astype(object)
    return np.concatenate([np.zeros(1, whole.dtype), np.cumsum(whole)])
