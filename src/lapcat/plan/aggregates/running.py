"""Running totals of counts over an answer's groups, and their shares: cumulative distributions.

They are computed from noisy counts that are measured anyway, so they cost nothing (post-processing). The noise of a sum of
k cells is the sum of k independent draws of one law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.exact import sqrt_up
from lapcat.plan.accuracy import Floats, Foreseen, Noise
from lapcat.plan.aggregates.base import Argument, Estimates, StatisticReading, in_units
from lapcat.plan.aggregates.count import count_reading
from lapcat.plan.fourier_sums import margin_of_equal_sum, margins_of_fourier_sums

Cells = npt.NDArray[np.int64]
EXAMPLES = (100, 1_000, 10_000)
LARGEST = 2**62 - 1


@dataclass(frozen=True, slots=True)
class Window:
    """The cells that are summed for each cell: those of its partition up to it along one key, or all of them.

    The cells are the product of declared keys, the last running fastest; combinations of private keys, each with all of
    these cells, are separate partitions.
    """

    sizes: tuple[int, ...]
    """The number of values of each declared key."""
    parts: tuple[int, ...] = ()
    """The keys of PARTITION BY, by position."""
    along: int | None = None
    """The key of ORDER BY; None: all cells of a partition."""
    order: tuple[int, ...] | None = None
    """The positions of that key's values in the order of ORDER BY; None: they are already in order."""

    def totals(self, cells: Cells) -> Cells:
        """The sum over each cell's window; kept within ±(2^62 − 1)."""
        shaped = cells.reshape(-1, *self.sizes)
        whole = tuple(axis + 1 for axis in range(len(self.sizes)) if axis not in (*self.parts, self.along))
        wide = np.abs(shaped, dtype=np.float64).sum() >= LARGEST  # beyond it integers would wrap around
        added = (shaped.astype(np.float64) if wide else shaped).sum(axis=whole, keepdims=True)
        if self.along is not None:
            axis = self.along + 1
            if self.order is not None:
                added = np.take(added, self.order, axis)
            added = np.cumsum(added, axis)
            if self.order is not None:
                added = np.take(added, np.argsort(self.order), axis)
        if wide:
            added = np.clip(added, -float(2**61), float(2**61)).astype(np.int64)
        return np.broadcast_to(added, shaped.shape).reshape(cells.shape)

    def counted(self, cells: Cells) -> Cells:
        """The number of cells in each cell's window."""
        return self.totals(np.ones_like(cells))

    @property
    def max_cells(self) -> int:
        """The largest number of cells in a window."""
        return math.prod(size for axis, size in enumerate(self.sizes) if axis not in self.parts)

    @property
    def whole(self) -> Window:
        """The window of all cells of each partition."""
        return Window(self.sizes, self.parts)


@dataclass(frozen=True, slots=True)
class RunningCount:
    """SUM(COUNT(*)) OVER (ORDER BY key): the number of rows up to each group.

    Noise may make it decrease a little from one group to the next; it is not smoothed, so that its interval stays exact.
    """

    window: Window
    name: str = "running_count"
    needs_bounds: bool = False
    is_integer: bool = True
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        return (count_reading(argument),)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        return (1.0,)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        """For the last group, whose total is the noisiest."""
        cells = self.window.max_cells
        return Foreseen(_margin(noise[0], cells, confidence), cells * noise[0].variance)

    def finish(
        self, argument: Argument, cells: Sequence[Cells], noise: Sequence[Noise], confidence: Fraction
    ) -> Estimates:
        totals = self.window.totals(cells[0])
        margins = _margins(noise[0], self.window.counted(cells[0]), confidence)
        if noise[0].step == 1:
            whole = margins.astype(np.int64)
            return Estimates(totals, totals - whole, totals + whole)
        value = np.rint(in_units(totals, noise[0].step)).astype(np.int64)
        whole = np.ceil(margins + 0.5).astype(np.int64)
        return Estimates(value, value - whole, value + whole)


@dataclass(frozen=True, slots=True)
class RunningShare:
    """SUM(COUNT(*)) OVER (ORDER BY key) / SUM(COUNT(*)) OVER (): the share of the rows up to each group.

    Theorem: let R rows lie up to a group and U beyond it, θ = R / (R + U), and let R̃ and Ũ have the noises X of i cells and Y
             of j others. (1 − θ)·R̃ − θ·Ũ = (1 − θ)·X − θ·Y is at most (1 − θ)·mᵢ + θ·mⱼ with probability c if X is at most
             mᵢ and Y at most mⱼ with probability √c each; and at most max(θ, 1 − θ)·m if X + Y is at most m with
             probability c. So the set of θ that satisfy both contains the true one with probability c.
    Proof:   X and Y are independent: they are noises of different cells. Pr[|aX + bY| ≤ t] falls as a or b grows, for X
             and Y are symmetric and unimodal (as in `margins_of_fourier_sums`), and X − Y has the law of X + Y. At the true
             θ the smaller of the two margins is a fixed number, which holds with probability c.
    Slack:   exact at θ = 1/2; elsewhere it holds more often than asked.
    """

    window: Window
    name: str = "running_share"
    needs_bounds: bool = False
    is_integer: bool = False
    arguments: int = 1

    def reads(self, argument: Argument) -> tuple[StatisticReading, ...]:
        return (count_reading(argument),)

    def weights(self, argument: Argument) -> tuple[float, ...]:
        return (1.0,)

    def foresee(self, argument: Argument, noise: Sequence[Noise], confidence: Fraction) -> Foreseen:
        """At most the margin of all cells but one, over the number of rows."""
        if noise[0].law is None:
            return Foreseen(0.0, 0.0)
        margin = _margin(noise[0], max(self.window.max_cells - 1, 1), sqrt_up(confidence))
        return Foreseen(None, None, tuple((n, min(1.0, margin / n)) for n in EXAMPLES))

    def finish(
        self, argument: Argument, cells: Sequence[Cells], noise: Sequence[Noise], confidence: Fraction
    ) -> Estimates:
        step, each = noise[0].step, sqrt_up(confidence)
        here, everything = self.window.totals(cells[0]), self.window.whole.totals(cells[0])
        near, far = in_units(here, step), in_units(everything - here, step)
        inside = self.window.counted(cells[0])
        outside = self.window.whole.counted(cells[0]) - inside
        near_margin, far_margin = _margins(noise[0], inside, each), _margins(noise[0], outside, each)
        value = _share(near, far, 0.5)
        low = _share(near - near_margin, far + far_margin, 0.0)
        high = _share(near + near_margin, far - far_margin, 1.0)
        margin = _margin(noise[0], self.window.max_cells, confidence)
        whole = near + far
        known = whole > margin  # else every share is possible
        rest = np.where(known, whole - margin, 1.0)
        lowest = np.minimum((near - margin) / rest, near / np.where(known, whole + margin, 1.0))
        highest = np.maximum((near + margin) / np.where(known, whole + margin, 1.0), near / rest)
        low = np.where(known, np.maximum(low, lowest), low)
        high = np.where(known, np.minimum(high, highest), high)
        return Estimates(value, np.minimum(low, value), np.maximum(high, value))


def _share(part: Floats, rest: Floats, unknown: float) -> Floats:
    """part / (part + rest), both clipped at zero; `unknown` where both are zero."""
    part, rest = np.maximum(part, 0.0), np.maximum(rest, 0.0)
    whole = part + rest
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), unknown)


def _margin(noise: Noise, k: int, confidence: Fraction) -> float:
    if noise.law is None:
        return 0.0
    assert noise.draws == 1
    return float(margin_of_equal_sum(noise.law, k, confidence) * noise.step)


def _margins(noise: Noise, ks: Cells, confidence: Fraction) -> Floats:
    """Margins of sums of k cells in the statistic's own unit of measure; none for a sum of no cell."""
    if noise.law is None:
        return np.zeros(ks.shape)
    assert noise.draws == 1  # sums of cells are not summed again
    steps = margins_of_fourier_sums(noise.law, np.maximum(ks, 1), confidence)
    return np.where(ks > 0, steps * float(noise.step), 0.0)
