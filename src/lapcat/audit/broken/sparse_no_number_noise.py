"""Sparse vector without noise on the numbers."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, number_noise=0.0, limit=None)


MEMBER = Member("sparse-no-number-noise", "noise on the threshold alone", run, (1.0, 0.0), (0.0, 1.0))
