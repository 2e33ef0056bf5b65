"""A histogram under replace-one, with noise for one cell although a person changes two."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[int, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray(np.array(d) + laplace(rng, 1.0, (size, len(d))))


MEMBER = Member("largest-of-two-cells", "a moved row charged once", run, (4, 9, 2), (3, 9, 3))
