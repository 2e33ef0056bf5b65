"""Truncated noise: answers beyond the cut are possible on only one side."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return np.asarray(d + np.clip(laplace(rng, 1.0, size), -5, 5))


MEMBER = Member("truncated", "Laplace noise clipped to ±5, claimed to be pure", run, 0.0, 1.0)
