"""Sparse vector without noise on the threshold, which then protects only one number."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, threshold_noise=0.0, number_noise=1.0, limit=None)


MEMBER = Member(
    "sparse-no-threshold-noise", "noise on the numbers alone, and no cutoff", run, (1.0,) * 6, (0.0,) * 6
)
