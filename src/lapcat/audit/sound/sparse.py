"""Sparse vector with sound parameters, stopping after three numbers above."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, number_noise=12.0, limit=3)


MEMBER = Member(
    "sparse",
    "sparse vector, three positive answers",
    run,
    (1.0,) * 4 + (0.0,) * 4,
    (0.0,) * 4 + (1.0,) * 4,
)
