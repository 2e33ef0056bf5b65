"""Rows are summed unclamped, and only the total is clamped."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray(np.clip(sum(d), 0, 100) + laplace(rng, 1.0, size))  # the noise is for rows in 0..1


MEMBER = Member(
    "clamp-after-the-sum", "a row beyond its bounds counts in full", run, (1.0, 0.5, 7.0), (1.0, 0.5)
)
