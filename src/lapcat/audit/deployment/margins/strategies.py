"""Intervals of estimates from the measurements of a strategy.

The error of every answer is a linear combination of noise terms. Its coefficients are found by setting one noise term to 1 at a
time. For answers with one Laplace term the coverage is known; the others are sampled. (Margins for Gaussian noise are those of the
continuous law, and are valid on a coarse lattice once they are rounded outwards to integers.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lapcat.audit.deployment.asking import program_at
from lapcat.audit.deployment.check import PROVED, SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import Copy, Repeated
from lapcat.audit.deployment.margins.coverage import (
    DRAWS,
    LEVEL,
    ROUNDING,
    Floats,
    too_rarely,
    too_unlikely,
)
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.mechanisms.base import Law, Mechanism
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.workload.planner import PricedStrategy
from lapcat.workload.strategic import StrategySource, strategy_in
from lapcat.workload.strategy import split

LOW = Fraction(1, 50)
"""A price at which noise is large compared with a step."""
JUST_BELOW = Fraction(98, 100)
"""A noise scale in steps at which the continuous margin lies just below a step, and the discrete tail beyond it."""
MAX_MEASUREMENTS = 512
"""Strategies with more measurements are skipped."""


def strategies(copy: Copy) -> Iterator[Check]:
    """Every question answered by a strategy."""
    for asked in sums_of(copy.family, 0):
        program = program_at(copy, asked.text, LOW)
        strategy = strategy_in(program)
        if program is None or strategy is None:
            continue
        for how, problem in _problems(copy, asked.text, strategy):
            yield Check("margins", asked.aggregate, noise_of(program), copy.engine, how, asked.text, problem)


def _problems(copy: Copy, text: str, strategy: StrategySource) -> Iterator[tuple[str, str]]:
    candidate = strategy.inner.candidate
    if sum(linear.rows for linear, _ in candidate.measured.parts) > MAX_MEASUREMENTS:
        return
    effects = _effects(candidate)
    yield PROVED, _of_one_noise(candidate, effects)
    noise = candidate.measured.parts[0][1]
    if isinstance(noise, Laplace):
        coarse = strategy_in(program_at(copy, text, LOW * noise.scale / JUST_BELOW))
        if coarse is not None:
            yield PROVED, _of_one_noise(coarse.inner.candidate, _effects(coarse.inner.candidate))
    yield SAMPLED, _sampled(candidate, effects)


def _effects(candidate: PricedStrategy) -> Floats:
    """The effect of each measurement (row) on each answer (column)."""
    measured = sum(linear.rows for linear, _ in candidate.measured.parts)
    return np.array(
        [
            candidate.unit
            * candidate.strategy.answers(
                candidate.questions, split(candidate.strategy, unit), candidate.noise
            )
            for unit in np.eye(measured, dtype=np.int64)
        ]
    )


def _of_one_noise(candidate: PricedStrategy, effects: Floats) -> str:
    """The problem if the coverage of an answer with one Laplace term is too low; empty if none is."""
    laws = [
        noise.law() if isinstance(noise, Mechanism) and noise.family == "laplace" else None
        for linear, noise in candidate.measured.parts
        for _ in range(linear.rows)
    ]
    size = np.abs(effects)
    alone = (size > ROUNDING * size.max(axis=0)).sum(axis=0) == 1
    chances: dict[tuple[Law, int], float] = {}
    for answer in np.flatnonzero(alone):
        place = int(size[:, answer].argmax())
        law = laws[place]
        if law is not None:
            steps = math.floor(candidate.margins(LEVEL)[answer] / size[place, answer] + ROUNDING)
            if (law, steps) not in chances:
                chances[law, steps] = law.within(steps)
    return too_unlikely(min(chances.values(), default=1.0))


def _sampled(candidate: PricedStrategy, effects: Floats) -> str:
    coins = Repeated("margins of a strategy")
    drawn = [
        noise.draw(np.zeros((DRAWS, linear.rows), np.int64), coins)
        for linear, noise in candidate.measured.parts
    ]
    off = np.abs(np.concatenate(drawn, axis=1) @ effects)
    return too_rarely(off <= candidate.margins(LEVEL) + ROUNDING)
