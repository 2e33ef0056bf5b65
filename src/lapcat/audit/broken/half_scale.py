"""Laplace noise of half the scale that the claim needs."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return d + laplace(rng, 0.5, size)


MEMBER = Member("half-scale", "Laplace noise of half the scale", run, 0.0, 1.0)
