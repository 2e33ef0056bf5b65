"""Laws with finitely many outcomes, each probability exact or enclosed by two fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from lapcat.core.exact import ln_down, ln_up
from lapcat.errors import BadArgument


@dataclass(frozen=True, slots=True)
class FiniteLaw:
    """Pr[outcome i] lies between low[i] and high[i], for i = 0, 1, ...; it is exact if the two agree."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]

    @classmethod
    def exactly(cls, probabilities: tuple[Fraction, ...]) -> Self:
        """The law with these probabilities.

        >>> FiniteLaw.exactly((Fraction(1, 4), Fraction(3, 4))).pmf(1)
        0.75
        """
        return cls(probabilities, probabilities)

    @property
    def outcomes(self) -> range:
        """The outcomes: 0, 1, ..."""
        return range(len(self.low))

    def pmf(self, outcome: int) -> float:
        """Pr[the release is this outcome]."""
        return float(self.high[outcome])

    def pmf_bounds(self, outcome: int) -> tuple[Fraction, Fraction]:
        """Pr[the release is this outcome], rounded down and up."""
        return self.low[outcome], self.high[outcome]

    def log_ratio_bounds(self, other: FiniteLaw, outcome: int) -> tuple[Fraction, Fraction]:
        """ln(Pr[outcome here] / Pr[outcome under the other law]), rounded down and up; both are above 0.

        >>> here, there = (FiniteLaw.exactly((p, 1 - p)) for p in (Fraction(3, 4), Fraction(1, 4)))
        >>> low, high = here.log_ratio_bounds(there, 0)
        >>> float(low), float(high)  # ln 3
        (1.0986122886681098, 1.0986122886681098)
        """
        (low, high), (other_low, other_high) = self.pmf_bounds(outcome), other.pmf_bounds(outcome)
        if not low or not other_low:
            raise ValueError(f"outcome {outcome} may be impossible under one of the laws: no finite ratio")
        return ln_down(low / other_high), ln_up(high / other_low)


def checked_confidence(confidence: Fraction) -> Fraction:
    """The confidence level, if it lies strictly between 0 and 1."""
    if not isinstance(confidence, Fraction):
        raise TypeError(f"a confidence is a Fraction, not {confidence!r}: exact() makes one")
    if not 0 < confidence < 1:
        raise BadArgument(
            "probability-range",
            f"{confidence} is not a probability strictly between 0 and 1",
            fix="ask for 0.95, or 0.999",
        )
    return confidence
