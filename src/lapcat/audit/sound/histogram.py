"""A histogram under replace-one, with noise for the two cells that a person changes."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[int, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray(np.array(d) + laplace(rng, 2.0, (size, len(d))))


MEMBER = Member("histogram", "a moved row charged twice", run, (4, 9, 2), (3, 9, 3))
