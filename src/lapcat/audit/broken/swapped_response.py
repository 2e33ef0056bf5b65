"""Randomised response over ten values, with the probability of one lie used for all lies."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member

VALUES = 10


def run(d: int, size: int, rng: Generator) -> np.ndarray:
    lies = rng.random(size) < 1 / (math.e + VALUES - 1)  # the probability that each single lie should have
    return np.where(lies, (d + rng.integers(1, VALUES, size)) % VALUES, d)


MEMBER = Member(
    "swapped-response", "randomised response that lies as often in total as it may once", run, 3, 4
)
