"""Privacy filters: a cap that holds for adaptively chosen releases.

Theorem: if every release is admitted only while Σε <= cap (or Σρ <= cap and Σδ <= cap), then the whole adaptive
         interaction satisfies the cap. The guarantee to quote is the cap, or the realised Σε of pure losses.
Source:  Rogers, Roth, Ullman & Vadhan 2016; Feldman & Zrnic 2021 for rho; Whitehouse, Ramdas, Rogers & Wu 2023.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import BadArgument, BudgetExceeded

NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class PrivacyFilter:
    """A cap in epsilon or in rho, with or without delta, and the amount spent.

    >>> PrivacyFilter(epsilon=Fraction(1)).spend(PureDP(Fraction(3, 4))).left
    Fraction(1, 4)
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction = NOTHING
    spent: Fraction = NOTHING
    spent_delta: Fraction = NOTHING

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            raise BadArgument("filter-cap", "a filter has a cap in epsilon or in rho, not both")

    @property
    def cap(self) -> Fraction:
        return self.epsilon if self.epsilon is not None else self.rho or NOTHING

    @property
    def left(self) -> Fraction:
        return self.cap - self.spent

    def spend(self, loss: Loss) -> PrivacyFilter:
        """The filter after one more release. Raises BudgetExceeded if the release must not happen."""
        cost, delta = self._cost(loss)
        kind = "epsilon" if self.epsilon is not None else "rho"
        if self.spent + cost > self.cap:
            raise BudgetExceeded(
                "filter-exceeded",
                f"{kind} {exact_text(cost)} exceeds the {exact_text(self.left)} left of {exact_text(self.cap)}",
            )
        if self.spent_delta + delta > self.delta:
            left = self.delta - self.spent_delta
            raise BudgetExceeded(
                "filter-exceeded",
                f"delta {exact_text(delta)} exceeds the {exact_text(left)} left of {exact_text(self.delta)}",
            )
        return replace(self, spent=self.spent + cost, spent_delta=self.spent_delta + delta)

    def _cost(self, loss: Loss) -> tuple[Fraction, Fraction]:
        match loss:
            case PureDP(epsilon=epsilon):
                return (epsilon, NOTHING) if self.epsilon is not None else (loss.as_zcdp().rho, NOTHING)
            case ApproxDP(epsilon=epsilon, delta=delta) if self.epsilon is not None:
                return epsilon, delta
            case ZCDP(rho=rho) if self.rho is not None:
                return rho, NOTHING
            case _:
                raise BadArgument(
                    "filter-kind",
                    f"{loss} cannot be counted against a cap in {'epsilon' if self.rho is None else 'rho'}",
                    why="(epsilon, delta) never becomes a rho, and a rho has no epsilon without a delta",
                    fix="use a separate filter of the other kind",
                )
