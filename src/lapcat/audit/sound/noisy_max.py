"""Noisy maximum that shows only the index."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray((np.array(d) + laplace(rng, 2.0, (size, len(d)))).argmax(axis=1))


MEMBER = Member(
    "noisy-max", "noisy maximum, the position alone", run, (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 1.0, 1.0)
)
