"""An example mechanism: its name, its claim, and a pair of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from lapcat.audit.answering import Mechanism

STEP = 2.0**-10


@dataclass(frozen=True, slots=True)
class Member:
    """run(d, size, rng) returns `size` independent answers on d. Its coins are not secure: it exists only to be audited."""

    name: str
    what: str
    run: Callable[[Any, int, Generator], Any]
    d: object
    d_prime: object
    epsilon: str = "1"
    delta: str = "0"

    def mechanism(self, seed: int | None = None) -> Mechanism:
        """The mechanism in the form that `lapcat.audit` takes."""
        rng = np.random.default_rng(seed)
        return lambda d, size: self.run(d, size, rng)


def laplace(rng: Generator, scale: float, size: int | tuple[int, ...]) -> np.ndarray:
    """Laplace noise on a grid, so that its floats leak nothing."""
    return on_grid(rng.laplace(0, scale, size))


def on_grid(x: np.ndarray) -> np.ndarray:
    """The nearest multiples of 2^-10."""
    return np.round(x / STEP) * STEP
