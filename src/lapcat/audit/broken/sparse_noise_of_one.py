"""Sparse vector that stops after five numbers above, with the noise for one."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, limit=5)


MEMBER = Member(
    "sparse-noise-of-one",
    "noise that does not grow with the limit",
    run,
    (1.0,) * 5 + (0.0,) * 5,
    (0.0,) * 5 + (1.0,) * 5,
)
