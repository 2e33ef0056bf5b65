"""Which of many numbers are above a threshold: the sparse vector technique, with what can be done wrong as arguments.

Sound (Dwork & Roth 2014): noise on the threshold, 2/ε; noise on each number, 4c/ε; an end after c that are above; and
nothing is shown but above or below. Ding et al. 2018 audit wrong versions of it.
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
    most: int | None = 1,
    show: bool = False,
) -> np.ndarray:
    """For each number whether it is above the threshold 0, until `most` were; SILENT after that.

    show: the noisy number is shown in place of ABOVE, with the noise that it was compared with.
    """
    numbers = np.array(d) + _noise(rng, number_noise, (size, len(d)))
    above = numbers >= _noise(rng, threshold_noise, (size, 1))
    before = np.cumsum(above, axis=1) - above
    told = np.where(above, numbers if show else ABOVE, BELOW)
    return told if most is None else np.where(before < most, told, SILENT)


def _noise(rng: Generator, scale: float, shape: tuple[int, ...]) -> np.ndarray:
    return np.round(rng.laplace(0, scale, shape) / STEP) * STEP if scale else np.zeros(shape)
