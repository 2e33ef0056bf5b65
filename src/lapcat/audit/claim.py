"""What is claimed of a mechanism, and how sure an auditor must be before contradicting it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from lapcat.core.exact import exact, exact_text, exp_up
from lapcat.drawing.curves import shown_factor
from lapcat.errors import BadArgument

LEVEL = "0.01"
LARGEST_EPSILON = 30  # e^30 runs would be needed to see a breach of more


@dataclass(frozen=True, slots=True)
class Claim:
    """P[S] <= e^epsilon * P'[S] + delta for every event S, in both directions."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    level: Fraction = Fraction(LEVEL)
    """How often, at most, a claim that is true may be contradicted."""

    @classmethod
    def read(cls, epsilon: object, delta: object = 0, level: object = LEVEL) -> Claim:
        """The claim that a person wrote."""
        claimed, slack, rate = exact(epsilon), exact(delta), exact(level)
        if not 0 <= claimed <= LARGEST_EPSILON:
            raise BadArgument(
                "audit-epsilon",
                f"an epsilon of {exact_text(claimed)} cannot be audited by samples",
                why="a breach would show in one of e^epsilon answers"
                if claimed > 0
                else "no epsilon is negative",
                fix=f"an epsilon from 0 to {LARGEST_EPSILON}; lapcat.audit.exact where the law is known",
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
        """e^epsilon, never too small: a claim is contradicted only by what contradicts the rounded one as well."""
        return _factor(self.epsilon)

    @property
    def slack(self) -> float:
        """delta, never too small."""
        return float(self.delta) * (1 + 2**-50)

    @property
    def caption(self) -> str:
        """What is claimed of two curves, above a picture of them."""
        delta = f", δ = {float(self.delta):.2g}" if self.delta else ""
        return f"claimed: at most × e^ε = {shown_factor(self.factor)}{delta}"

    def allowed(self, there: float) -> float:
        """The most that an event's probability may be where it is `there` under the neighbour."""
        return min(1.0, self.factor * there + self.slack)

    def __str__(self) -> str:
        delta = f", δ = {exact_text(self.delta)}" if self.delta else ""
        return f"ε = {exact_text(self.epsilon)}{delta}"


@lru_cache(64)
def _factor(epsilon: Fraction) -> float:
    """Kept, for every event of every round asks for it."""
    return float(exp_up(epsilon)) * (1 + 2**-50)
