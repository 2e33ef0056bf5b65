"""The sparse vector technique (which of many numbers are above a threshold), with its known mistakes as arguments.

Sound (Dwork & Roth 2014): noise 2/ε on the threshold; noise 4c/ε on each number; it stops after c numbers above; and it
shows only above or below. Ding et al. 2018 audit unsound variants.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

ABOVE, BELOW, SILENT = 1.0, 0.0, -1.0
STEP = 2.0**-10


def sparse_vector(
    d: tuple[float, ...],
    size: int,
    rng: Generator,
    *,
    threshold_noise: float = 2.0,
    number_noise: float = 4.0,
    limit: int | None = 1,
    show: bool = False,
) -> np.ndarray:
    """For each number whether it is above the threshold 0, until `limit` were; SILENT after that.

    show: returns the noisy number from the comparison instead of ABOVE.
    """
    numbers = np.array(d) + _noise(rng, number_noise, (size, len(d)))
    above = numbers >= _noise(rng, threshold_noise, (size, 1))
    before = np.cumsum(above, axis=1) - above
    answers = np.where(above, numbers if show else ABOVE, BELOW)
    return answers if limit is None else np.where(before < limit, answers, SILENT)


def _noise(rng: Generator, scale: float, shape: tuple[int, ...]) -> np.ndarray:
    return np.round(rng.laplace(0, scale, shape) / STEP) * STEP if scale else np.zeros(shape)
