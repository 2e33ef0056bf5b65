"""What the laws suite needs to know of each mechanism. A new mechanism adds its cases here and falls under every test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.core.mechanisms.base import Mechanism
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.sensitivity import Sensitivity
from lapcat.mechanisms.integers import ApproxGaussian

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One mechanism to be tested, with pairs of exact vectors that lie within its sensitivity of each other."""

    name: str
    mechanism: Mechanism[Any]
    share: Callable[[Fraction], Loss]  # a loss of this size, of the kind that the mechanism is calibrated to
    spread: int  # about the standard deviation of the noise
    sensitivity: Sensitivity
    neighbours: tuple[tuple[Vector, Vector], ...]
    fresh_few: int = 10**7  # draws of the slow suite, a few at a time

    def __repr__(self) -> str:  # pytest's name for it
        return self.name


def _laplace(name: str, scale: Fraction, step: int = 1) -> Case:
    """Laplace noise where one unit moves the vector by at most `step` in all."""
    l1 = Fraction(step)
    return Case(
        name=f"laplace-{name}",
        mechanism=Laplace(scale),
        share=PureDP,
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


def _gaussian(name: str, sigma_squared: Fraction, step: int = 1) -> Case:
    """Gaussian noise where one unit moves the vector by at most `step` in Euclidean length."""
    length = Fraction(step)
    return Case(
        name=f"gaussian-{name}",
        mechanism=Gaussian(sigma_squared),
        share=ZCDP,
        spread=max(1, math.isqrt(int(sigma_squared))),
        sensitivity=Sensitivity(2, length, 2 * length, length * length),
        neighbours=(
            ((0,), (step,)),
            ((-7,), (step - 7,)),
            ((5, 5), (5, 5 - step)),
            ((10**6, 3), (10**6 + 3 * step // 5, 3 - 4 * step // 5)),  # 3² + 4² = 5²
            ((0,), (0,)),
        ),
        fresh_few=10**6,  # at some 30 µs each, 10^7 would take minutes for every case
    )


def _approx_gaussian(name: str, sigma_squared: Fraction, epsilon: Fraction, step: int = 1) -> Case:
    """Gaussian noise where one unit moves one number by at most `step`."""
    length = Fraction(step)
    return Case(
        name=f"approx-gaussian-{name}",
        mechanism=ApproxGaussian(sigma_squared, epsilon),
        share=lambda size: ApproxDP(size, Fraction(1, 10**6)),
        spread=max(1, math.isqrt(int(sigma_squared))),
        sensitivity=Sensitivity(1, length, length, length * length),
        neighbours=(
            ((0,), (step,)),
            ((-7,), (step - 7,)),
            ((5, 5), (5, 5 - step)),
            ((3,), (3 - (step + 1) // 2,)),
            ((0,), (0,)),
        ),
        fresh_few=10**6,
    )


CASES: dict[type[Mechanism[Any]], tuple[Case, ...]] = {
    Laplace: (
        _laplace("1/3", Fraction(1, 3)),
        _laplace("1", Fraction(1)),
        _laplace("7/2", Fraction(7, 2), step=5),
        _laplace("50", Fraction(50), step=5),
        _laplace("1000", Fraction(1000)),
        _laplace("200000*2^14/(3/7)", Fraction(200000 * 2**14 * 7, 3), step=200000),
        _laplace("2^40", Fraction(2**40), step=2**20),
    ),
    Gaussian: (
        _gaussian("s2=1/4", Fraction(1, 4)),
        _gaussian("s2=1", Fraction(1)),
        _gaussian("s2=37/3", Fraction(37, 3), step=5),
        _gaussian("sigma=50", Fraction(2500), step=5),
        _gaussian("sigma=1000", Fraction(10**6)),
        _gaussian("s2=(200000*2^14)^2*7/3", Fraction((200000 * 2**14) ** 2 * 7, 3), step=200000 * 2**14),
        _gaussian("sigma=2^40", Fraction(2**80), step=2**30),
    ),
    ApproxGaussian: (
        _approx_gaussian("s2=18", Fraction(18), Fraction(1)),
        _approx_gaussian("s2=0.44,epsilon=8", Fraction(44, 100), Fraction(8)),
        _approx_gaussian("sigma=1000", Fraction(10**6), Fraction(1, 2), step=100),
        _approx_gaussian("sigma=2^40", Fraction(2**80), Fraction(1, 4), step=2**38),
    ),
}
ALL = tuple(case for cases in CASES.values() for case in cases)
FINE = tuple(case for case in ALL if case.spread >= 1000)
"""The cases smooth enough for their last bits to be all but fair."""
