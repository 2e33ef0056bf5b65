"""Sparse vector as it should be, three times above."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, number_noise=12.0, most=3)


MEMBER = Member(
    "sparse", "sparse vector, three times above", run, (1.0,) * 4 + (0.0,) * 4, (0.0,) * 4 + (1.0,) * 4
)
