"""How long exact noise takes, beside NumPy's inexact Laplace noise in the same run on the same machine.

    python benchmarks/noise.py        exits with 1 if a target is missed

Ratios travel between machines better than milliseconds. Each figure is the best of several repeats, taken in turns, so
that a busy neighbour slows all rows alike.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapcat.core.coins import system_coins
from lapcat.core.sampling import discrete_laplace, discrete_laplace_one

DRAWS = 10**6
SINGLE_DRAWS = 2000
REPEATS = 9

VECTOR_TARGETS = {  # scale: at most so many times as long as NumPy
    "1": (Fraction(1), 1.0),
    "50": (Fraction(50), 1.0),
    "1000": (Fraction(1000), 2.0),
    "200000*2^14/(3/7)": (Fraction(200000 * 2**14 * 7, 3), 2.0),
    "2^40": (Fraction(2**40), 2.0),
}
SINGLE_TARGET = 30.0  # microseconds


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure and what it must stay below."""

    what: str
    figure: float
    unit: str
    target: float

    @property
    def met(self) -> bool:
        return self.figure <= self.target


def run() -> list[Row]:
    """Measures everything once; a table is built before its scale is timed, as it would be in a running service."""
    coins, numpy_noise = system_coins(), np.random.default_rng()
    tasks: dict[str, Callable[[], object]] = {"numpy": lambda: numpy_noise.laplace(0.0, 1.0, DRAWS)}
    for name, (scale, _) in VECTOR_TARGETS.items():
        tasks[f"many {name}"] = lambda scale=scale: discrete_laplace(scale, DRAWS, coins)
        tasks[f"one {name}"] = lambda scale=scale: [
            discrete_laplace_one(scale, coins) for _ in range(SINGLE_DRAWS)
        ]
    seconds = best_of(tasks)
    rows = [Row(f"10^6 draws of NumPy's Generator.laplace: {seconds['numpy'] * 1e3:.1f} ms", 1.0, "x", 1.0)]
    for name, (_, target) in VECTOR_TARGETS.items():
        rows.append(
            Row(f"10^6 exact draws, scale {name}", seconds[f"many {name}"] / seconds["numpy"], "x", target)
        )
    for name in VECTOR_TARGETS:
        rows.append(
            Row(
                f"one exact draw, scale {name}",
                seconds[f"one {name}"] / SINGLE_DRAWS * 1e6,
                "µs",
                SINGLE_TARGET,
            )
        )
    return rows


def best_of(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least time of each task over several rounds, after one round that is not timed."""
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
        print(
            f"{row.figure:8.2f} {row.unit:2}  {'' if row.met else 'MISSED '}(target {row.target:g})  {row.what}"
        )
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
