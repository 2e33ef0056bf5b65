"""Gaussian noise claimed without a delta."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, on_grid


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return on_grid(d + rng.normal(0, 1.5, size))


MEMBER = Member("gaussian-called-pure", "Gaussian noise claimed to be pure", run, 0.0, 1.0)
