"""Writes tests/local/vectors.json: the same words make the same report in Python and in the survey's script.

    python -m tests.local.make_vectors > tests/local/vectors.json

Beside random words there are those at the very edges of every probability, where a mistake by one would hide.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lapcat.local import (
    Duchi,
    Hadamard,
    Hashing,
    Hybrid,
    Permanent,
    Piecewise,
    Response,
    Unary,
)
from lapcat.local.base import ONE
from lapcat.testing.coins import SeededCoins

RANDOMISERS = (
    Response(Fraction(1), 2),
    Response(Fraction(1, 2), 7),
    Response(Fraction(2), 100),
    Unary(Fraction(1), 3),
    Unary(Fraction(2), 40),
    Hashing(Fraction(1), 1000),
    Hashing(Fraction(3), 65),
    Hadamard(Fraction(1), 1000),
    Duchi(Fraction(1), 82),
    Duchi(Fraction(1, 3), 65536),
    Piecewise(Fraction(1), 82),
    Piecewise(Fraction(2), 65536),
    Hybrid(Fraction(1), 82),
    Hybrid(Fraction(1, 2), 10),
    Permanent(Response(Fraction(3), 2), Fraction(1)),
    Permanent(Response(Fraction(2), 14), Fraction(1, 2)),
    Permanent(Duchi(Fraction(3), 82), Fraction(1)),
    Permanent(Hashing(Fraction(3), 1000, 2), Fraction(1)),
    Permanent(Hadamard(Fraction(3), 65), Fraction(1)),
)


def edges(randomiser: object) -> list[int]:
    """Words at which the report changes, and their neighbours."""
    lie = getattr(randomiser, "lie", 0)
    words = {0, ONE - 1, ONE // 2, ONE // 2 - 1}
    match randomiser:
        case Response(values=k):
            words |= {lie, lie - 1, (k - 1) * lie, (k - 1) * lie - 1}
        case Unary():
            words |= {lie, lie - 1}
        case Duchi():
            words |= {
                randomiser.least,
                randomiser.least - 1,
                ONE - randomiser.least,
                ONE - randomiser.least - 1,
            }
        case Piecewise():
            edge = lie * randomiser.slide
            words |= {edge, edge - 1, edge + randomiser.truth, edge + randomiser.truth - 1}
        case Permanent():
            for part in (randomiser.kept, randomiser.again):
                words |= set(edges(part))
        case Hybrid():
            words |= {randomiser.weight, randomiser.weight - 1} if randomiser.weight else set()
    return sorted(words)


def vectors() -> Iterator[dict[str, object]]:
    coins = SeededCoins(808)
    for randomiser in RANDOMISERS:
        values = [0, randomiser.inputs // 2, randomiser.inputs - 1]
        for i in range(12):
            words = coins.array(randomiser.words, np.uint64).tolist()
            yield vector(randomiser, values[i % 3], words)
        for i, edge in enumerate(edges(randomiser)):
            words = coins.array(randomiser.words, np.uint64).tolist()
            words[i % len(words)] = edge
            yield vector(randomiser, values[i % 3], words)


def vector(randomiser: Response, value: int, words: list[int]) -> dict[str, object]:
    report = randomiser.encode(np.array([value]), np.array([words], np.uint64))
    return {
        "protocol": randomiser.name,
        "parameters": randomiser.parameters(),
        "value": value,
        "words": [str(word) for word in words],
        "report": {name: int(column[0]) for name, column in report.items()},
    }


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(vector) for vector in vectors()) + "\n]")
