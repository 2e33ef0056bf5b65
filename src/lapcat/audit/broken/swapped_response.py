"""Randomised response over ten values with the chance of one lie and of all lies swapped."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member

VALUES = 10


def run(d: int, size: int, rng: Generator) -> np.ndarray:
    lies = rng.random(size) < 1 / (math.e + VALUES - 1)  # the chance that one certain lie should have
    return np.where(lies, (d + rng.integers(1, VALUES, size)) % VALUES, d)


MEMBER = Member("swapped-response", "randomised response that lies in all as often as once", run, 3, 4)
