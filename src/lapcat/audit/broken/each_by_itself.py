"""Each number of a vector satisfies epsilon, but all of them change: no single number shows it."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray(np.array(d) + laplace(rng, 1.0, (size, len(d))))


MEMBER = Member("each-by-itself", "eight numbers, each with the noise of one", run, (0.0,) * 8, (1.0,) * 8)
