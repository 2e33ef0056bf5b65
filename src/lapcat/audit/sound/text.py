"""A sentence with a noisy number in it."""

from __future__ import annotations

from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: float, size: int, rng: Generator) -> list[str]:
    return [f"about {x:.0f} people" for x in d + laplace(rng, 1.0, size)]


MEMBER = Member("text", "a sentence with a noisy number", run, 10.0, 11.0)
