"""Time of exact selection mechanisms, compared with inexact NumPy versions in the same run.

    python benchmarks/choices.py      exits with 1 if a target is missed

Randomised response against `rng.random(n) < p`; the exponential mechanism and permute-and-flip against an arg-max over Gumbel
noise. Each figure is the best of several interleaved repeats, so that other load slows all rows alike.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapcat.core.coins import system_coins
from lapcat.core.mechanisms import Threshold
from lapcat.mechanisms.integers import Discrete, Exponential, PermuteAndFlip, Response

REPORTS = 10**7
CANDIDATES = 10**6
REPEATS = 5

RESPONSE_TARGET = 3.0  # times `rng.random(n) < p`
EXPONENTIAL_TARGET = 1.0  # times an arg-max over Gumbel noise
UNTARGETED = float("inf")


@dataclass(frozen=True, slots=True)
class Row:
    """A measured figure and its upper limit."""

    what: str
    figure: float
    unit: str
    target: float = UNTARGETED

    @property
    def met(self) -> bool:
        return self.figure <= self.target

    def __str__(self) -> str:
        target = "" if self.target == UNTARGETED else f"(target {self.target:g})"
        return f"{self.figure:8.2f} {self.unit:2}  {'' if self.met else 'MISSED '}{target:12}  {self.what}"


def run() -> list[Row]:
    """Measures everything once."""
    coins, rng = system_coins(), np.random.default_rng(1)
    response, of_ten = Response(Fraction(1)), Response(Fraction(1), 10)
    matrix = Discrete([["0.5", "0.3", "0.2"], ["0.3", "0.4", "0.3"], ["0.2", "0.3", "0.5"]])
    bits, tens = rng.integers(0, 2, REPORTS) == 1, rng.integers(0, 10, CANDIDATES)
    threes = rng.integers(0, 3, CANDIDATES)
    p = float(response.truth)
    counts = rng.integers(0, 1000, CANDIDATES)
    wide = rng.integers(0, 10**12, CANDIDATES)
    few = rng.integers(0, 20, 100)
    rate = Fraction(1, 10)
    tasks: dict[str, Callable[[], object]] = {
        "float response": lambda: rng.random(REPORTS) < p,
        "response": lambda: response.draw(bits, coins),
        "of ten": lambda: of_ten.draw(tens, coins),
        "matrix": lambda: matrix.draw(threes, coins),
        "gumbel": lambda: np.argmax(float(rate) * counts + rng.gumbel(size=CANDIDATES)),
        "exponential": lambda: Exponential(rate).draw(counts, coins),
        "exponential wide": lambda: Exponential(Fraction(1, 10**9)).draw(wide, coins),
        "flip": lambda: PermuteAndFlip(rate).draw(counts, coins),
        "exponential few": lambda: Exponential(rate).draw(few, coins),
        "flip few": lambda: PermuteAndFlip(rate).draw(few, coins),
        "threshold": lambda: Threshold(Fraction(10), 150).draw(counts, coins),
    }
    seconds = best_of(tasks)
    floats, gumbel = seconds["float response"], seconds["gumbel"]
    return [
        Row(f"10^7 of NumPy's rng.random(n) < p: {floats * 1e3:.0f} ms", 1.0, "x"),
        Row("10^7 binary randomised responses", seconds["response"] / floats, "x", RESPONSE_TARGET),
        Row("10^6 randomised responses of ten values", seconds["of ten"] * 1e3, "ms"),
        Row("10^6 draws from a 3 x 3 matrix", seconds["matrix"] * 1e3, "ms"),
        Row(f"arg-max of 10^6 scores with Gumbel noise: {gumbel * 1e3:.0f} ms", 1.0, "x"),
        Row("exponential, 10^6 scores to 10^3", seconds["exponential"] / gumbel, "x", EXPONENTIAL_TARGET),
        Row(
            "exponential, 10^6 scores to 10^12", seconds["exponential wide"] / gumbel, "x", EXPONENTIAL_TARGET
        ),
        Row("permute-and-flip, 10^6 scores to 10^3", seconds["flip"] / gumbel, "x"),
        Row("exponential, 100 scores", seconds["exponential few"] * 1e6, "µs"),
        Row("permute-and-flip, 100 scores", seconds["flip few"] * 1e6, "µs"),
        Row("10^6 keys behind a threshold", seconds["threshold"] * 1e3, "ms"),
    ]


def best_of(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The minimum time of each task over several rounds, after a warm-up round."""
    best = dict.fromkeys(tasks, float("inf"))
    for task in tasks.values():
        task()
    for _ in range(REPEATS):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main() -> int:
    rows = run()
    for row in rows:
        print(row)
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
