"""One noise draw for all numbers of an answer: their differences are exact."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray(np.array(d) + laplace(rng, 3.0, (size, 1)))


MEMBER = Member(
    "noise-used-twice", "one draw of noise for all numbers", run, (5.0, 7.0, 2.0), (5.0, 8.0, 2.0)
)
