"""Families of noise laws: what is known of the sum of several independent noises of one family.

A law names its family (`NoiseLaw.family`). Noises of no family, or of different ones, are added by the union bound.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw
from lapcat.plan.laplace_sums import LaplaceSum

Floats = npt.NDArray[np.float64]


class NoiseFamily(ABC):
    """A discrete law of some width, in steps, and the continuous law that it rounds."""

    beyond: float
    """The number of widths beyond which lies less than e^-45 of it."""
    combines: bool = False
    """Whether `margin_of_combination` has a theorem for sums with different factors."""

    @abstractmethod
    def lost(self, width: float) -> float:
        """What is added to a failure probability where the discrete law is replaced by the continuous one."""

    @abstractmethod
    def upper_tail(self, t: Floats, width: float) -> Floats:
        """Pr[X > t] of the continuous law."""

    @abstractmethod
    def tail_of_two(self, t: float, wide: float, narrow: float) -> float:
        """Pr[|X + Y| > t] of two independent continuous ones."""

    @abstractmethod
    def weights(self, steps: npt.NDArray[np.int64], width: float) -> Floats:
        """The probability of each of the first steps from zero, of the discrete law."""

    def sum_of(self, law: NoiseLaw, count: int) -> NoiseLaw | None:
        """The law of a sum of `count` draws; None if intervals from it are not known."""
        return None

    @abstractmethod
    def reach(self, law: NoiseLaw, k: int, slack: float) -> float:
        """A T with Pr[|sum of k| ≥ T] ≤ slack, by Chernoff: 2·M(λ)^k·e^(−λT), M the generating function of one noise."""

    @abstractmethod
    def last_angle(self, law: NoiseLaw, k: int, slack: float, size: int) -> float:
        """An angle beyond which the sum of all terms of `fourier_sums` is at most the slack."""

    @abstractmethod
    def log_characteristic(self, law: NoiseLaw, half_angles: Floats) -> Floats:
        """ln φ(θ) of the discrete law at θ/2."""


class LaplaceFamily(NoiseFamily):
    """Laplace noise; its width is the scale."""

    beyond = 45
    combines = True

    def lost(self, width: float) -> float:
        return 0.0

    def upper_tail(self, t: Floats, width: float) -> Floats:
        half = 0.5 * np.exp(-np.abs(t) / width)
        return np.where(t >= 0, half, 1 - half)

    def tail_of_two(self, t: float, wide: float, narrow: float) -> float:
        """Convolution of the two densities: (a² e^(−t/a) − b² e^(−t/b)) / (a² − b²), and (1 + t/2a) e^(−t/a) where a = b."""
        a, b = wide, narrow
        if abs(a - b) < 1e-6 * a:
            a = max(a, b)
            return (1 + t / (2 * a)) * math.exp(-t / a)
        return (a * a * math.exp(-t / a) - b * b * math.exp(-t / b)) / (a * a - b * b)

    def weights(self, steps: npt.NDArray[np.int64], width: float) -> Floats:
        return np.asarray(math.tanh(0.5 / width) * np.exp(-steps / width))

    def sum_of(self, law: NoiseLaw, count: int) -> NoiseLaw | None:
        assert isinstance(law, DiscreteLaplaceLaw)
        return LaplaceSum(law.scale, count)

    def reach(self, law: NoiseLaw, k: int, slack: float) -> float:
        """M(λ) = 1/(1 − x) at V·(cosh λ − 1) = x, V the variance; the best of some x."""
        x = np.concatenate([np.logspace(-9, -1, 400), 1 - np.logspace(-1, -6, 100)])
        rate = 2 * np.arcsinh(np.sqrt(x / (2 * max(law.variance, 1e-300))))
        return float(np.min((math.log(2 / slack) - k * np.log1p(-x)) / rate))

    def last_angle(self, law: NoiseLaw, k: int, slack: float, size: int) -> float:
        """1 − cos θ ≥ 2θ²/π² makes φ^k ≤ (π²/(2Vθ²))^k and |D_t| ≤ π/θ, so the terms beyond a add up to at most
        (π²/(2Va²))^k / (2k)."""
        return math.pi / math.sqrt(2 * max(law.variance, 1e-300)) * math.pow(2 * k * slack, -1 / (2 * k))

    def log_characteristic(self, law: NoiseLaw, half_angles: Floats) -> Floats:
        """−ln(1 + V·(1 − cos θ))."""
        return np.asarray(-np.log1p(2 * law.variance * np.sin(half_angles) ** 2))


class GaussianFamily(NoiseFamily):
    """Gaussian noise; its width is sigma."""

    beyond = 10

    def lost(self, width: float) -> float:
        return 3 * math.exp(-2 * (math.pi * width) ** 2)

    def upper_tail(self, t: Floats, width: float) -> Floats:
        return np.array([_normal_tail(x) for x in t / width])

    def tail_of_two(self, t: float, wide: float, narrow: float) -> float:
        return 2 * _normal_tail(t / math.hypot(wide, narrow))

    def weights(self, steps: npt.NDArray[np.int64], width: float) -> Floats:
        weights: Floats = np.exp(-((steps / width) ** 2) / 2)
        return np.asarray(weights / (2 * weights.sum() - weights[0]))

    def reach(self, law: NoiseLaw, k: int, slack: float) -> float:
        """M(λ) ≤ e^(λ²σ²/2) (Canonne, Kamath & Steinke 2020), best at λ = T/(k·σ²)."""
        return math.sqrt(2 * k * law.width**2 * math.log(2 / slack))

    def last_angle(self, law: NoiseLaw, k: int, slack: float, size: int) -> float:
        """By Poisson's summation φ(θ) ≤ Σ_m e^(−σ²(θ+2πm)²/2) for 0 ≤ θ ≤ π; m = 0 and −1 give at most e^(−σ²θ²/2) each,
        and where σ²a²/2 = c ≥ ln 3 all others together less than another. So φ^k ≤ (3e^(−c))^k beyond a, and of |D_t|/N ≤ 1
        there are fewer than N."""
        exponent = math.log(size / slack) / k + math.log(3)
        return math.sqrt(2 * exponent / law.width**2)

    def log_characteristic(self, law: NoiseLaw, half_angles: Floats) -> Floats:
        """By Poisson's summation ln(Σ_m e^(−σ²(θ+2πm)²/2) / Σ_m e^(−σ²(2πm)²/2)); where σ² is small, ln of the cosine series."""
        sigma_squared, angles = law.width**2, 2 * half_angles
        if sigma_squared < 0.2:  # then e^(−z²/2σ²) is below e^-62 from z = 5 on
            z = np.arange(1, 6)
            mass = np.exp(-(z**2) / (2 * sigma_squared))
            top = 1 + 2 * np.cos(angles[:, None] * z) @ mass
            return np.asarray(np.log(top / (1 + 2 * mass.sum())))
        turns = 2 * math.pi * np.arange(-5, 6)  # beyond lies less than e^-97 of the largest
        # e^(−σ²θ²/2) is taken out, so that small values keep their digits
        apart = np.exp(-sigma_squared * (angles[:, None] * turns + turns**2 / 2)).sum(axis=1)
        total = math.fsum(np.exp(-sigma_squared * turns**2 / 2))
        return np.asarray(-sigma_squared * angles**2 / 2 + np.log(apart / total))


def _normal_tail(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


FAMILIES: dict[str, NoiseFamily] = {"laplace": LaplaceFamily(), "gaussian": GaussianFamily()}


def family_of(*laws: NoiseLaw) -> NoiseFamily | None:
    """The family of these laws; None if it is not one, or not known."""
    names = {law.family for law in laws}
    return FAMILIES.get(names.pop()) if len(names) == 1 else None
