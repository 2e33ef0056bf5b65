"""Laplace noise that fails with probability delta, and then reveals everything."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    leaks = rng.random(size) < 0.05
    return np.where(leaks, 1000 + d, d + laplace(rng, 1.0, size))


MEMBER = Member(
    "rare-leak", "reveals everything once in twenty times, and δ accounts for it", run, 0.0, 1.0, delta="0.05"
)
