"""Randomised response over ten values."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member

VALUES = 10


def run(d: int, size: int, rng: Generator) -> np.ndarray:
    lies = rng.random(size) < (VALUES - 1) / (math.e + VALUES - 1)
    return np.where(lies, (d + rng.integers(1, VALUES, size)) % VALUES, d)


MEMBER = Member("response", "randomised response over ten values", run, 3, 4)
