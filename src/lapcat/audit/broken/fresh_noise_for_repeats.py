"""A query that may be repeated at no cost, with fresh noise each time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return d + laplace(rng, 1.0, (size, 20))


MEMBER = Member("fresh-noise-for-repeats", "twenty answers for the cost of one", run, 10.0, 11.0)
