"""Sparse vector that shows the noisy number that was above."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.broken.sparse import sparse_vector
from lapcat.audit.member import Member


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return sparse_vector(d, size, rng, number_noise=2.0, show=True)


MEMBER = Member(
    "sparse-value-shown",
    "the released number has the same noise as the comparison",
    run,
    (0.0,) * 5 + (1.0,),
    (1.0,) * 5 + (0.0,),
)
