"""Noise that is always even: the parity of the answer is that of the secret."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member


def run(d: int, size: int, rng: Generator) -> np.ndarray:
    return d + 2 * np.round(rng.laplace(0, 500, size))


MEMBER = Member("even-noise", "wide integer noise that is always even", run, 0, 1)
