"""What the suite needs to know of each randomiser of the local model. A new one adds its cases here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapcat.local import (
    RANDOMISERS,
    Duchi,
    Hadamard,
    Hashing,
    Hybrid,
    Laplace,
    Piecewise,
    Prefixes,
    Questions,
    Response,
    Unary,
)
from lapcat.local.base import Finite

QUARTER_MORE, QUARTER_LESS = Fraction(5, 4), Fraction(4, 5)


@dataclass(frozen=True)
class Case:
    """A randomiser small enough for its matrix to be written out, at one true value."""

    kind: type
    make: Callable[[Fraction], Finite]
    epsilon: Fraction
    value: int
    rows: tuple[int, ...]
    """The values whose laws are compared; all of them, where that is not too many."""
    slack: Fraction = Fraction(1, 2**40)
    """By how much its epsilon may fall short of the claim."""

    @property
    def randomiser(self) -> Finite:
        return self.make(self.epsilon)

    def wrong(self) -> tuple[Finite, ...]:
        return tuple(self.make(self.epsilon * by) for by in (QUARTER_MORE, QUARTER_LESS))

    def __repr__(self) -> str:
        return f"{self.kind.__name__}-{self.epsilon}-{self.randomiser.inputs}"


ONE, THIRD, THREE = Fraction(1), Fraction(1, 3), Fraction(3)
CASES = (
    Case(Response, lambda e: Response(e, 2), ONE, 1, (0, 1)),
    Case(Response, lambda e: Response(e, 2), THIRD, 0, (0, 1)),
    Case(Response, lambda e: Response(e, 7), THREE, 4, tuple(range(7))),
    Case(Response, lambda e: Response(e, 3), Fraction(40), 1, (0, 1, 2), slack=Fraction(1, 40)),
    Case(Unary, lambda e: Unary(e, 2), ONE, 1, (0, 1)),
    Case(Unary, lambda e: Unary(e, 6), ONE, 3, tuple(range(6))),
    Case(Hashing, lambda e: Hashing(e, 5, rows=2), ONE, 3, tuple(range(5))),
    Case(Hashing, lambda e: Hashing(e, 4, rows=3), THREE, 2, tuple(range(4))),
    Case(Hadamard, lambda e: Hadamard(e, 11), ONE, 9, tuple(range(11))),
    Case(Duchi, lambda e: Duchi(e, 10), ONE, 3, tuple(range(11))),
    Case(Duchi, lambda e: Duchi(e, 65536), THIRD, 64000, (0, 1, 65535, 65536)),
    Case(Piecewise, lambda e: Piecewise(e, 10), ONE, 3, (0, 5, 10)),
    Case(Piecewise, lambda e: Piecewise(e, 82), THREE, 50, (0, 40, 82)),
    Case(Hybrid, lambda e: Hybrid(e, 10), ONE, 7, (0, 5, 10)),
    Case(Hybrid, lambda e: Hybrid(e, 4), THIRD, 1, (0, 2, 4)),
    Case(Questions, lambda e: Questions(e, 3, "split"), ONE, 5, tuple(range(8))),
    Case(Questions, lambda e: Questions(e, 3, "one"), ONE, 5, tuple(range(8))),
    Case(Prefixes, lambda e: Prefixes(e, "abc", 2), ONE, 0b0110, (0, 1, 6, 15)),
)
INFINITE = (Laplace,)
"""Randomisers whose reports have no end: their law is that of core's Laplace mechanism, which tests/laws covers."""

assert {case.kind for case in CASES} | set(INFINITE) == set(RANDOMISERS)


def repeated(value: int, n: int) -> np.ndarray:
    return np.full(n, value, np.int64)
