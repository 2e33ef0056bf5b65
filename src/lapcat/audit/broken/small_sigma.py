"""Gaussian noise of half the standard deviation that the claim needs."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, on_grid


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return on_grid(d + rng.normal(0, 1.86, size))  # ε = 1, δ = 1e-5 needs about 3.73


MEMBER = Member("small-sigma", "Gaussian noise of half the standard deviation", run, 0.0, 1.0, delta="1e-5")
