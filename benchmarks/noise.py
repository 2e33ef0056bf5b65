"""Time of exact noise, compared with NumPy's inexact noise in the same run.

    python benchmarks/noise.py        exits with 1 if a target is missed

Ratios are more portable between machines than milliseconds. Each figure is the best of several interleaved repeats, so that
other load slows all rows alike.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lapcat.core.coins import Coins, system_coins
from lapcat.core.sampling import (
    discrete_gaussian,
    discrete_gaussian_one,
    discrete_laplace,
    discrete_laplace_one,
)

DRAWS = 10**6
SINGLE_DRAWS = 2000
REPEATS = 9

VECTOR_TARGETS = {  # scale: upper limit relative to NumPy
    "1": (Fraction(1), 1.0),
    "50": (Fraction(50), 1.0),
    "1000": (Fraction(1000), 2.0),
    "200000*2^14/(3/7)": (Fraction(200000 * 2**14 * 7, 3), 2.0),
    "2^40": (Fraction(2**40), 2.0),
}
SINGLE_TARGET = 30.0  # microseconds
GAUSSIAN_TARGETS = {  # sigma²: upper limit relative to NumPy's `normal`
    "1": (Fraction(1), 1.0),
    "50^2": (Fraction(2500), 1.0),
    "1000^2": (Fraction(10**6), 2.0),
    "(200000*2^14)^2*7/3": (Fraction((200000 * 2**14) ** 2 * 7, 3), 2.0),
    "2^80": (Fraction(2**80), 2.0),
}
SINGLE_GAUSSIAN_TARGET = 60.0  # microseconds: a Laplace draw, and a rejection step that keeps three of four
OPENDP_DRAWS = 1000
OPENDP_TARGET = 100.0  # minimum speed-up over OpenDP's vector sampler, if installed


@dataclass(frozen=True, slots=True)
class Row:
    """A measured figure and its upper limit."""

    what: str
    figure: float
    unit: str
    target: float

    @property
    def met(self) -> bool:
        return self.figure <= self.target


def run() -> list[Row]:
    """Measures everything once; tables are built before timing, as in a running service."""
    return [
        *rows_of(
            "laplace",
            np.random.default_rng().laplace,
            discrete_laplace,
            discrete_laplace_one,
            VECTOR_TARGETS,
            SINGLE_TARGET,
        ),
        *rows_of(
            "normal",
            np.random.default_rng().normal,
            discrete_gaussian,
            discrete_gaussian_one,
            GAUSSIAN_TARGETS,
            SINGLE_GAUSSIAN_TARGET,
        ),
        *opendp_rows(),
    ]


def rows_of(
    name: str,
    numpy_noise: Callable[[float, float, int], object],
    many: Callable[[Fraction, int, Coins], object],
    single: Callable[[Fraction, Coins], int],
    targets: dict[str, tuple[Fraction, float]],
    single_target: float,
) -> list[Row]:
    """One kind of noise: vectorised draws against NumPy's, and single draws."""
    coins, parameter = system_coins(), "scale" if name == "laplace" else "sigma²"
    tasks: dict[str, Callable[[], object]] = {"numpy": lambda: numpy_noise(0.0, 1.0, DRAWS)}
    for size, (scale, _) in targets.items():
        tasks[f"many {size}"] = lambda scale=scale: many(scale, DRAWS, coins)
        tasks[f"one {size}"] = lambda scale=scale: [single(scale, coins) for _ in range(SINGLE_DRAWS)]
    seconds = best_of(tasks)
    base = seconds["numpy"]
    rows = [Row(f"10^6 draws of NumPy's Generator.{name}: {base * 1e3:.1f} ms", 1.0, "x", 1.0)]
    for size, (_, target) in targets.items():
        rows.append(Row(f"10^6 exact draws, {parameter} {size}", seconds[f"many {size}"] / base, "x", target))
    for size in targets:
        figure = seconds[f"one {size}"] / SINGLE_DRAWS * 1e6
        rows.append(Row(f"one exact draw, {parameter} {size}", figure, "µs", single_target))
    return rows


def opendp_rows() -> list[Row]:
    """lapcat's time per draw in per cent of OpenDP's; empty if OpenDP is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        print("OpenDP is not installed: no comparison with its samplers", file=sys.stderr)
        return []
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    sampler = dp.m.make_gaussian(*space, scale=50.0)
    zeros, coins = [0] * OPENDP_DRAWS, system_coins()
    seconds = best_of(
        {"opendp": lambda: sampler(zeros), "lapcat": lambda: discrete_gaussian(Fraction(2500), DRAWS, coins)}
    )
    ratio = (seconds["lapcat"] / DRAWS) / (seconds["opendp"] / OPENDP_DRAWS)
    return [Row("of OpenDP's time per Gaussian draw, sigma 50", ratio * 100, "%", 100 / OPENDP_TARGET)]


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
        print(
            f"{row.figure:8.2f} {row.unit:2}  {'' if row.met else 'MISSED '}(target {row.target:g})  {row.what}"
        )
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
