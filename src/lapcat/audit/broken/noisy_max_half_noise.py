"""Noisy maximum of arbitrary queries, with noise that suffices only for counts."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray((np.array(d) + laplace(rng, 1.0, (size, len(d)))).argmax(axis=1))


MEMBER = Member(
    "noisy-max-half-noise",
    "noisy maximum with half the noise",
    run,
    (1.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 1.0, 1.0, 1.0),
)
