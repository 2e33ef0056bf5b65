"""Sparse vector without a limit on the numbers above."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, limit=None)


MEMBER = Member(
    "sparse-no-end",
    "no limit on the number of positive answers",
    run,
    (1.0,) * 8 + (0.0,) * 8,
    (0.0,) * 8 + (1.0,) * 8,
)
