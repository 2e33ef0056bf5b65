"""What the laws suite needs to know of each mechanism. A new mechanism adds its cases here and falls under every test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.loss import PureDP
from lapcat.core.mechanisms import Laplace, Mechanism
from lapcat.core.sensitivity import Sensitivity

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One mechanism to be tested, with pairs of exact vectors that lie within its sensitivity of each other."""

    name: str
    mechanism: Mechanism[PureDP]
    rescaled: Callable[[Fraction], Mechanism[PureDP]]  # the same mechanism with its noise scaled by a factor
    spread: int  # about the standard deviation of the noise
    sensitivity: Sensitivity
    neighbours: tuple[tuple[Vector, Vector], ...]

    def __repr__(self) -> str:  # pytest's name for it
        return self.name


def _laplace(name: str, scale: Fraction, step: int = 1) -> Case:
    """Laplace noise where one unit moves the vector by at most `step` in all."""
    l1 = Fraction(step)
    return Case(
        name=f"laplace-{name}",
        mechanism=Laplace(scale),
        rescaled=lambda factor: Laplace(scale * factor),
        spread=max(1, int(scale * 3 / 2)),
        sensitivity=Sensitivity(2, l1, l1, l1 * l1),
        neighbours=(
            ((0,), (step,)),
            ((-7,), (step - 7,)),
            ((5, 5), (5, 5 - step)),
            ((10**6, 3), (10**6 + step // 2, 3 - (step - step // 2))),
            ((0,), (0,)),
        ),
    )


CASES: dict[type[Mechanism[PureDP]], tuple[Case, ...]] = {
    Laplace: (
        _laplace("1/3", Fraction(1, 3)),
        _laplace("1", Fraction(1)),
        _laplace("7/2", Fraction(7, 2), step=5),
        _laplace("50", Fraction(50), step=5),
        _laplace("1000", Fraction(1000)),
        _laplace("200000*2^14/(3/7)", Fraction(200000 * 2**14 * 7, 3), step=200000),
        _laplace("2^40", Fraction(2**40), step=2**20),
    ),
}
ALL = tuple(case for cases in CASES.values() for case in cases)
FINE = tuple(case for case in ALL if case.spread >= 1000)
"""The cases smooth enough for their last bits to be all but fair."""
