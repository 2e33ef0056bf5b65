"""A bit masked by a random bit that is published with it: each alone is a fair coin."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member


def run(d: int, size: int, rng: Generator) -> np.ndarray:
    pad = rng.integers(0, 2, size)
    return np.stack([pad, pad ^ d], axis=1)


MEMBER = Member("shares-together", "a bit and its mask, both published", run, 0, 1)
