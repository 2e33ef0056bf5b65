"""Coverage and width of the confidence intervals of quantiles, MIN and MAX: the table of docs/accuracy.md.

    python benchmarks/coverage.py [--draws 1500]      exits with 1 if coverage is below the stated level

95 % intervals at epsilon 1 for values 0 … 10 in 161 cells: gamma-distributed values, and the worst case of
docs/proofs/ranks.md, where a quantile's margin narrowed by a tenth, or an extreme with a tenth fewer rows beyond it, fails too often.
"""

from __future__ import annotations

import argparse
import math
import sys
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.ranks import ExtremeRank
from lapcat.plan import choices
from lapcat.plan.aggregates import AGGREGATES, Argument, Estimates, SelectionAggregate, quantile
from lapcat.plan.choices import Mechanism, PlannedChoice, choices_of
from lapcat.plan.expressions import Clamp, Column, Literal
from lapcat.plan.nodes import Group, Scan
from lapcat.plan.schema import Relation, Type, Unit

SIZES = (30, 300, 3_000, 30_000)
ASKED = {"median": Fraction(1, 2), "quantile": Fraction(9, 10), "min": Fraction(0), "max": Fraction(1)}
LOW, HIGH, LEVEL = 0.0, 10.0, Fraction(95, 100)
PLACES = 2**8


def asked(aggregate: SelectionAggregate) -> tuple[Argument, PlannedChoice]:
    ends = Literal(LOW, Type.FLOAT), Literal(HIGH, Type.FLOAT)
    argument = Argument("x", Clamp(Column("x", Type.FLOAT), *ends, Type.FLOAT), None, None)
    argument = Argument("x", argument.value, None, None, parameter=ASKED[aggregate.name])
    question = Group(Scan("t", "t", 1, Unit(None), Relation.ADD_REMOVE, None), (), ())
    (choice,) = choices_of([("x", aggregate.wish(argument))], question, 1)
    return argument, choice


def drawn(
    aggregate: SelectionAggregate, mechanism: Mechanism, counts: NDArray[np.int64], draws: int
) -> NDArray[np.int64]:
    picks: NDArray[np.int64] = mechanism.draw(np.tile(counts, (draws, 1)), system_coins())
    return picks


def held(estimates: Estimates, true: float, slack: float) -> float:
    """Coverage in per cent; `slack` is the width of a cell, which no interval covers."""
    return 100 * float(np.mean((estimates.low <= true + slack) & (true - slack <= estimates.high)))


def usual(aggregate: SelectionAggregate, draws: int) -> list[float]:
    """Prints a row of the table; returns the coverages."""
    argument, choice = asked(aggregate)
    mechanism = choice.at(Fraction(1))
    assert choice.places is not None
    cells, coverages = [], []
    for n in SIZES:
        rows = np.random.default_rng(n).gamma(2.0, 1.2, n).clip(LOW, HIGH)
        places = (rows // choice.places.step).astype(np.int64) - choice.places.first
        counts = np.bincount(places, minlength=choice.width).astype(np.int64)
        estimates = aggregate.finish_choice(
            argument, choice, mechanism, drawn(aggregate, mechanism, counts, draws), LEVEL
        )
        true = float(np.quantile(rows, float(ASKED[aggregate.name]), method="inverted_cdf"))
        coverages.append(held(estimates, true, choice.places.step * (1 + 1e-9)))
        error = math.sqrt(float(np.mean((estimates.value - true) ** 2)))
        cells.append(
            f"{coverages[-1]:.1f} / {error:.3f} / {float(np.mean(estimates.high - estimates.low)):.2f}"
        )
    print(f"| `{aggregate.name}` | " + " | ".join(cells) + " |")
    return coverages


def worst(aggregate: SelectionAggregate, draws: int) -> float:
    """Prints the coverage on the worst table, also of intervals narrowed by a tenth; returns the former."""
    argument, choice = asked(aggregate)
    mechanism = choice.at(Fraction(1))
    assert choice.places is not None
    counts = np.zeros(choice.width, np.int64)
    if isinstance(mechanism, ExtremeRank):
        true = 0 if mechanism.highest else choice.width - 1
        counts[true] = 10**6
        slimmer: Mechanism = ExtremeRank(mechanism.highest, mechanism.rate, int(0.9 * mechanism.depth))
    else:
        n, true, slimmer = 10**6 + 1, choice.width // 8, mechanism
        counts[true] = int(n * ASKED[aggregate.name]) + 1
        counts[-1 - true] = n - counts[true]
    value = min((true + choice.places.first + 0.5) * choice.places.step, HIGH)
    cells = drawn(aggregate, mechanism, counts, draws)
    coverage = held(aggregate.finish_choice(argument, choice, mechanism, cells, LEVEL), value, 0.0)
    honest = quantile._margin
    try:
        quantile._margin = lambda *of: 0.9 * honest(*of)  # type: ignore[assignment]
        if slimmer is not mechanism:
            cells = drawn(aggregate, slimmer, counts, draws)
        narrowed = held(aggregate.finish_choice(argument, choice, slimmer, cells, LEVEL), value, 0.0)
    finally:
        quantile._margin = honest
    print(f"| `{aggregate.name}` | {coverage:.1f} | {narrowed:.1f} |")
    return coverage


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--draws", type=int, default=1500)
    draws = arguments.parse_args().draws
    choices.MAX_PLACES = choices.MIN_PLACES = PLACES
    having = [
        aggregate
        for aggregate in AGGREGATES
        if isinstance(aggregate, SelectionAggregate) and aggregate.has_interval
    ]
    print("coverage / error / width: | | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    coverages = [coverage for aggregate in having for coverage in usual(aggregate, draws)]
    print("the worst table: coverage, narrowed by a tenth")
    coverages += [worst(aggregate, 10 * draws) for aggregate in having]
    required = 95 - 100 * 5 * math.sqrt(0.95 * 0.05 / draws)
    return 0 if min(coverages) >= required else 1


if __name__ == "__main__":
    sys.exit(main())
