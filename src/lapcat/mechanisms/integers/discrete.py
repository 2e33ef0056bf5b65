"""A mechanism given by its table: matrix[x][y] is the probability of outcome y for input x.

Theorem: it is epsilon-DP for epsilon = max ln(matrix[x][y] / matrix[x'][y]) over all outcomes y and neighbouring inputs
         x, x'; and (epsilon, delta)-DP for delta = max over x, x' of the sum over y of
         max(0, matrix[x][y] - e^epsilon * matrix[x'][y]), which no other delta undercuts.
Source:  Dwork, McSherry, Nissim & Smith 2006; Dwork & Roth 2014.
Slack:   none: the ratio is an exact fraction; its logarithm, and delta, are rounded up by 2^-64 of their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import DiscreteRelease
from lapcat.core.exact import LARGEST_EXP, exact, exact_text, exp_down, ln_up
from lapcat.core.sampling.categorical import Categories, Cuts
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.finite import FiniteLaw

Neighbours = Iterable[tuple[int, int]]
"""Pairs of neighbouring inputs, in either order."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The outcome with the largest privacy loss, and the neighbouring inputs it distinguishes."""

    outcome: int
    likely: int
    """The input under which the outcome is more likely."""
    unlikely: int
    ratio: Fraction | None
    """The likelihood ratio; None if the outcome is impossible under the other input."""

    @property
    def epsilon(self) -> Fraction | float:
        """ln(ratio), rounded up; infinite if there is no ratio."""
        return math.inf if self.ratio is None else ln_up(self.ratio)

    def __str__(self) -> str:
        if self.ratio is None:
            return f"outcome {self.outcome} is possible for input {self.likely} and impossible for input {self.unlikely}"
        return (
            f"outcome {self.outcome} is {float(self.ratio):.6g} times as likely for input {self.likely} "
            f"as for input {self.unlikely}"
        )


@dataclass(frozen=True, slots=True)
class Discrete:
    """The mechanism with these rows, one for each input: fractions, decimals, texts or floats, read exactly.

    >>> coin = Discrete([["0.75", "0.25"], ["1/4", "3/4"]])
    >>> coin.worst().ratio, float(coin.epsilon())  # ln 3
    (Fraction(3, 1), 1.0986122886681098)
    """

    matrix: Sequence[Sequence[object]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", _checked(self.matrix))

    @property
    def rows(self) -> tuple[tuple[Fraction, ...], ...]:
        """The matrix as exact fractions."""
        return self.matrix  # type: ignore[return-value]  # converted in __post_init__

    @property
    def inputs(self) -> range:
        return range(len(self.rows))

    def draw(self, exact: NDArray[np.int64], coins: CoinSource) -> NDArray[np.int64]:
        """One outcome for each input.

        >>> from lapcat.core.coins import system_coins
        >>> Discrete([[1, 0], [0, 1]]).draw(np.array([0, 1, 1]), system_coins()).tolist()
        [0, 1, 1]
        """
        if exact.dtype != np.int64:
            raise TypeError(f"inputs are int64, not {exact.dtype}")
        given = exact.ravel()
        if given.size and (given.min() < 0 or given.max() >= len(self.rows)):
            raise BadArgument(  # an error is an output too: it does not say which value
                "input-range",
                f"an input lies outside 0 .. {len(self.rows) - 1}",
                fix="number the inputs as the rows",
            )
        drawn = np.empty(len(given), np.int64)
        order = np.argsort(given, kind="stable")
        ends = np.searchsorted(given[order], np.arange(len(self.rows) + 1))
        for row, (start, end) in zip(self.rows, pairwise(ends.tolist()), strict=True):
            if end > start:
                drawn[order[start:end]] = Categories(cuts_of(row)).draw(end - start, coins)
        return drawn.reshape(exact.shape)

    def law(self, exact: int) -> FiniteLaw:
        """The row of this input."""
        if exact not in self.inputs:
            raise BadArgument(
                "input-range", f"{exact} lies outside 0 .. {len(self.rows) - 1}", fix="one of the rows"
            )
        return FiniteLaw.exactly(self.rows[exact])

    def worst(self, neighbours: Neighbours | None = None) -> Worst:
        """The largest privacy loss over all pairs of inputs, or over the given ones.

        >>> print(Discrete([[1, 0], ["0.5", "0.5"]]).worst())
        outcome 1 is possible for input 1 and impossible for input 0
        """
        worst = Worst(0, 0, 0, Fraction(1))
        for here, there in self._pairs(neighbours):
            for outcome, (p, other) in enumerate(zip(self.rows[here], self.rows[there], strict=True)):
                if p and not other:
                    return Worst(outcome, here, there, None)
                if other and worst.ratio is not None and p > worst.ratio * other:
                    worst = Worst(outcome, here, there, p / other)
        return worst

    def epsilon(self, neighbours: Neighbours | None = None) -> Fraction | float:
        """The least epsilon for which it is epsilon-DP, rounded up; infinite if some outcome is impossible for one input only."""
        return self.worst(neighbours).epsilon

    def delta(self, epsilon: Fraction, neighbours: Neighbours | None = None) -> Fraction:
        """The least delta for which it is (epsilon, delta)-DP, rounded up.

        >>> Discrete([["0.75", "0.25"], ["1/4", "3/4"]]).delta(Fraction(0))  # the total variation distance
        Fraction(1, 2)
        """
        if not isinstance(epsilon, Fraction):
            raise TypeError(f"epsilon is a Fraction, not {epsilon!r}: exact() makes one")
        if epsilon < 0:
            raise BadArgument("epsilon-sign", f"epsilon = {epsilon} is negative", fix="epsilon = 0.1")
        factor = exp_down(min(epsilon, Fraction(LARGEST_EXP)))  # a smaller factor makes delta larger
        worst = Fraction(0)
        for here, there in self._pairs(neighbours):
            excess = (p - factor * q for p, q in zip(self.rows[here], self.rows[there], strict=True))
            worst = max(worst, sum((e for e in excess if e > 0), Fraction(0)))
        return worst

    def event(
        self, label: str, neighbours: Neighbours | None = None, epsilon: Fraction | None = None
    ) -> DiscreteRelease:
        """One draw. If an epsilon is given, the excess above it is charged as delta.

        >>> Discrete([["0.5", "0.5"], ["0.5", "0.5"]]).event("coin").loss
        PureDP(epsilon=Fraction(0, 1))
        """
        pairs = None if neighbours is None else tuple(neighbours)
        if epsilon is not None:
            return DiscreteRelease(label, epsilon, self.delta(epsilon, pairs))
        worst = self.worst(pairs)
        if worst.ratio is None:
            raise BadArgument(
                "epsilon-infinite",
                f"{label}: {worst}, so no epsilon is large enough",
                why="that outcome proves that the input was not the other one",
                fix="give the outcome a positive probability in every row, or pass an epsilon, to charge the rest as delta",
            )
        return DiscreteRelease(label, ln_up(worst.ratio))

    def _pairs(self, neighbours: Neighbours | None) -> Iterator[tuple[int, int]]:
        """Every pair of neighbouring inputs, in both orders."""
        if neighbours is None:
            yield from permutations(self.inputs, 2)
            return
        for here, there in neighbours:
            if here not in self.inputs or there not in self.inputs:
                raise BadArgument(
                    "input-range",
                    f"the neighbours ({here}, {there}) are not both inputs of 0 .. {len(self.rows) - 1}",
                    fix="pairs of rows",
                )
            yield here, there
            yield there, here


def _checked(matrix: Sequence[Sequence[object]]) -> tuple[tuple[Fraction, ...], ...]:
    """The matrix in exact fractions, if its rows are laws over the same outcomes."""
    rows = tuple(tuple(exact(entry) for entry in row) for row in matrix)
    if not rows or not rows[0]:
        raise BadArgument(
            "matrix-empty",
            f"a matrix of {len(rows)} rows and no columns is not a mechanism"
            if rows
            else "a matrix of 0 rows is not a mechanism",
            fix='[["0.75", "0.25"], ["0.25", "0.75"]]',
        )
    for x, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise BadArgument(
                "matrix-ragged",
                f"row {x} has {len(row)} entries, row 0 has {len(rows[0])}",
                fix="one entry for each outcome in every row, 0 included",
            )
        for y, entry in enumerate(row):
            if entry < 0:
                raise BadArgument(
                    "matrix-negative",
                    f"row {x} has {exact_text(entry)} for outcome {y}: a probability is not negative",
                    fix="entries from 0 to 1",
                )
        if sum(row) != 1:
            total = sum(row, Fraction(0))
            raise BadArgument(
                "matrix-sum",
                f"row {x} adds up to {exact_text(total)}, not 1",
                why="numbers are read exactly, without rounding",
                fix="write thirds as '1/3' or Fraction(1, 3), or adjust one entry so that the row adds up",
            )
    return rows


def cuts_of(probabilities: Sequence[Fraction]) -> Cuts:
    """The cuts of rational probabilities that add up to 1; a cut that is a multiple of 2^-b is exact.

    >>> cuts_of([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)])(4)
    ([4, 8], [4, 8])
    """
    reached = list(accumulate(probabilities))[:-1]

    def cuts(bits: int) -> tuple[list[int], list[int]]:
        low = [(cut.numerator << bits) // cut.denominator for cut in reached]
        high = [-(-(cut.numerator << bits) // cut.denominator) for cut in reached]
        return low, high

    return cuts
