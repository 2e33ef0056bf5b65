"""The privacy claim of a mechanism, and the level of the test against it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from lapcat.core.exact import exact, exact_text, exp_up
from lapcat.drawing.curves import shown_factor
from lapcat.errors import BadArgument

LEVEL = "0.01"
LARGEST_EPSILON = 30  # a violation of a larger epsilon would take e^30 runs to see


@dataclass(frozen=True, slots=True)
class Claim:
    """P[S] <= e^epsilon * P'[S] + delta for every event S, in both directions."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    level: Fraction = Fraction(LEVEL)
    """Upper bound on the probability of rejecting a true claim."""

    @classmethod
    def read(cls, epsilon: object, delta: object = 0, level: object = LEVEL) -> Claim:
        """Reads and validates a claim."""
        claimed, slack, rate = exact(epsilon), exact(delta), exact(level)
        if not 0 <= claimed <= LARGEST_EPSILON:
            raise BadArgument(
                "audit-epsilon",
                f"an epsilon of {exact_text(claimed)} cannot be audited by samples",
                why="a violation would show in only one of e^epsilon answers"
                if claimed > 0
                else "epsilon cannot be negative",
                fix=f"use an epsilon from 0 to {LARGEST_EPSILON}, or lapcat.audit.exact if the distribution is known",
            )
        for name, value in (("delta", slack), ("level", rate)):
            if not 0 <= value < 1 or (name == "level" and value == 0):
                raise BadArgument(
                    "audit-probability",
                    f"{name} = {exact_text(value)} is not a probability below 1"
                    + (" and above 0" if name == "level" else ""),
                    fix=f"{name}={'0.01' if name == 'level' else '1e-6'}",
                )
        return cls(claimed, slack, rate)

    @property
    def factor(self) -> float:
        """e^epsilon, rounded up: only evidence against the weaker rounded claim counts."""
        return _factor(self.epsilon)

    @property
    def slack(self) -> float:
        """delta, rounded up."""
        return float(self.delta) * (1 + 2**-50)

    @property
    def caption(self) -> str:
        """The claim, as the caption of a plot of two curves."""
        delta = f", δ = {float(self.delta):.2g}" if self.delta else ""
        return f"claimed: at most × e^ε = {shown_factor(self.factor)}{delta}"

    def allowed(self, there: float) -> float:
        """Upper bound on an event's probability if it is `there` under the neighbour."""
        return min(1.0, self.factor * there + self.slack)

    def __str__(self) -> str:
        delta = f", δ = {exact_text(self.delta)}" if self.delta else ""
        return f"ε = {exact_text(self.epsilon)}{delta}"


@lru_cache(64)
def _factor(epsilon: Fraction) -> float:
    """Cached: every event of every round uses it."""
    return float(exp_up(epsilon)) * (1 + 2**-50)
