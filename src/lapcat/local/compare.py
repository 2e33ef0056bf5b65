"""The error of the central and the local model, for n people and an epsilon.

    central  a trusted curator adds Laplace noise to each count (a person who changes their value changes two counts):
             error sd / n
    local    everybody randomises their own value with the best available protocol: error sqrt(variance / n)

Both are the root mean squared error of the share of a rare value, under replace-one. The central error falls with n, the
local one with sqrt(n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.drawing.models import models_bars, models_svg
from lapcat.local.base import read_epsilon
from lapcat.local.choose import choose
from lapcat.local.protocol import Protocol

DECADES = (100, 1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """Both errors for one number of people."""

    n: int
    central: float
    local: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Errors of a share in both models."""

    epsilon: Fraction
    values: int
    protocol: Protocol
    asked: ModelErrors
    """For the requested number of people."""
    sides: tuple[ModelErrors, ...]
    """For each power of ten, and the requested number."""

    @property
    def local_people(self) -> int:
        """The number of people the local model needs to match the central error at `asked`."""
        return self.protocol.people_for(f"{self.asked.central:.12f}")

    def as_json(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "values": self.values,
            "protocol": self.protocol.randomiser.name,
            "n": self.asked.n,
            "central": self.asked.central,
            "local": self.asked.local,
            "local_people": self.local_people,
            "sides": [{"n": s.n, "central": s.central, "local": s.local} for s in self.sides],
        }

    def bars(self) -> list[str]:
        """Terminal bars, one line for each number of people, on a logarithmic scale."""
        return models_bars([(s.n, s.central, s.local) for s in self.sides])

    def __str__(self) -> str:
        head = f"epsilon {exact_text(self.epsilon)}, {self.values} values: error of a share; local by {self.protocol.randomiser.name}"
        rows = [
            f"{s.n:>9}  {bar}  {s.central:<8.2g} {s.local:.2g}"
            for s, bar in zip(self.sides, self.bars(), strict=True)
        ]
        return "\n".join([head, *rows])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{s.n}</td><td>{s.central:.3g}</td><td>{s.local:.3g}</td></tr>" for s in self.sides
        )
        svg = models_svg([(s.n, s.central, s.local) for s in self.sides])
        return f"<table><tr><th>people</th><th>central</th><th>local</th></tr>{rows}</table>{svg}"


def compare(*, n: int, epsilon: object, values: int = 2) -> Comparison:
    """The error of a share in both models.

    >>> both = compare(n=10_000, epsilon=1)
    >>> round(both.asked.central, 6), round(both.asked.local, 4)
    (0.000136, 0.0096)
    """
    e = read_epsilon(epsilon)
    people = checked_whole("answers-range", "n", n, 1, 1 << 40, "n=10000")
    values = checked_whole("values-range", "values", values, 2, 1 << 24, "values=2")
    protocol = choose(domain=values, epsilon=e).protocol
    # With two values one share determines the other, so a single count is released; otherwise a person changes two counts.
    noise = DiscreteLaplaceLaw(Fraction(1 if values == 2 else 2) / e)

    def side(n: int) -> ModelErrors:
        return ModelErrors(n, noise.sd / n, math.sqrt(protocol.variance / n))

    everyone = sorted({*DECADES, people})
    return Comparison(e, values, protocol, side(people), tuple(side(n) for n in everyone))
