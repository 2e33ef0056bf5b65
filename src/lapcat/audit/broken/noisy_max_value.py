"""Noisy maximum that shows the noisy value instead of its index (audited by Ding et al. 2018)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> np.ndarray:
    return np.asarray((np.array(d) + laplace(rng, 2.0, (size, len(d)))).max(axis=1))


MEMBER = Member("noisy-max-value", "noisy maximum that releases the value", run, (0.0,) * 8, (1.0,) * 8)
