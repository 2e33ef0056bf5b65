"""Laplace noise drawn and added as floats: the last bits reveal which sums are possible (Mironov 2012)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member


def run(d: float, size: int, rng: Generator) -> np.ndarray:
    return d + rng.laplace(0, 1.0, size)


MEMBER = Member("float-laplace", "Laplace noise of the right scale, as floats", run, 0.0, 1.0)
