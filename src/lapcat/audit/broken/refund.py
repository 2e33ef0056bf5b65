"""A budget that refunds failed queries, although failing depends on the data."""

from __future__ import annotations

from numpy.random import Generator

from lapcat.audit.member import Member, laplace

CHARGED = 4
"""Queries at a quarter of the budget each."""


def run(d: float, size: int, rng: Generator) -> list[tuple[int, ...]]:
    return [_transcript(d, rng) for _ in range(size)]


def _transcript(d: float, rng: Generator) -> tuple[int, ...]:
    """The number of failures before each charged query was answered; a noisy answer below 4 counts as a failure."""
    tries = []
    for _ in range(CHARGED):
        failed = 0
        while failed < 20 and d + laplace(rng, 4.0, 1)[0] < 4:
            failed += 1
        tries.append(failed)
    return tuple(tries)


MEMBER = Member("refund", "a failure that depends on the data is refunded", run, 0.0, 1.0)
