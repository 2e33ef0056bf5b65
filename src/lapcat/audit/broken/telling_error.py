"""An error text that reveals an empty table."""

from __future__ import annotations

from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[float, ...], size: int, rng: Generator) -> list[str]:
    if not d:
        return ["division by zero"] * size
    return [f"the average is {x:.2f}" for x in sum(d) / len(d) + laplace(rng, 1.0, size)]


MEMBER = Member("telling-error", "an error that only an empty table raises", run, (0.4,), ())
