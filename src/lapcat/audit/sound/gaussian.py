"""Gaussian noise with its delta."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, on_grid


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return on_grid(d + rng.normal(0, 1.5, size))


MEMBER = Member("gaussian", "Gaussian noise of σ = 1.5, with its δ", run, 0.0, 1.0, delta="0.031")
