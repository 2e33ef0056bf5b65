"""Every nonempty group is shown; only the counts have noise."""

from __future__ import annotations

from numpy.random import Generator

from lapcat.audit.member import Member, laplace


def run(d: tuple[str, ...], size: int, rng: Generator) -> list[dict[str, float]]:
    keys = sorted(set(d))
    noise = laplace(rng, 1.0, (size, len(keys)))
    return [{key: d.count(key) + float(z) for key, z in zip(keys, row, strict=True)} for row in noise]


MEMBER = Member(
    "keys-as-they-are",
    "a group of one shows its key",
    run,
    ("north", "north", "islet"),
    ("north", "north"),
    delta="1e-6",
)
