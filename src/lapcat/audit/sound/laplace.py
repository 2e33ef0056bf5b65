"""Laplace noise on a grid."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return d + laplace(rng, 1.0, size)


MEMBER = Member("laplace", "Laplace noise on a grid", run, 0.0, 1.0)
