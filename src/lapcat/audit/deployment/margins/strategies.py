"""Intervals of numbers that are worked out of what a strategy measures.

Every answer is a sum of noises with coefficients that the strategy gives, which are found by letting it work out answers from one
noise of 1 at a time. Of an answer with one Laplace noise the chance that its margin holds is known; the others are drawn. (Margins
for Gaussian noise are those of the continuous law, and hold on a coarse lattice once they are rounded to whole numbers, outwards.)
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
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace
from lapcat.workload.planner import PricedStrategy
from lapcat.workload.strategic import Strategic
from lapcat.workload.strategy import split

LOW = Fraction(1, 50)
"""A price at which noise is large beside a step."""
JUST_BELOW = Fraction(98, 100)
"""A scale of noise in steps at which the margin of continuous noise lies just below a step, and a draw's tail beyond it."""
MOST = 512
"""Numbers that a strategy measures; of larger ones nothing is drawn."""


def strategies(copy: Copy) -> Iterator[Check]:
    """Every question that a strategy answers."""
    for asked in sums_of(copy.family, 0):
        program = program_at(copy, asked.text, LOW)
        if not isinstance(program, Strategic):
            continue
        for how, problem in _found(copy, asked.text, program):
            yield Check("margins", asked.aggregate, noise_of(program), copy.engine, how, asked.text, problem)


def _found(copy: Copy, text: str, program: Strategic) -> Iterator[tuple[str, str]]:
    candidate = program.of[1].candidate
    if sum(linear.rows for linear, _ in candidate.measured.parts) > MOST:
        return
    effects = _effects(candidate)
    yield PROVED, _of_one_noise(candidate, effects)
    noise = candidate.measured.parts[0][1]
    if isinstance(noise, Laplace):
        coarse = program_at(copy, text, LOW * noise.scale / JUST_BELOW)
        if isinstance(coarse, Strategic):
            yield PROVED, _of_one_noise(coarse.of[1].candidate, _effects(coarse.of[1].candidate))
    yield SAMPLED, _sampled(candidate, effects)


def _effects(candidate: PricedStrategy) -> Floats:
    """By how much each measured number, in a row, moves each answer."""
    measured = sum(linear.rows for linear, _ in candidate.measured.parts)
    return np.array(
        [
            candidate.unit
            * candidate.strategy.answers(candidate.questions, split(candidate.strategy, one), candidate.noise)
            for one in np.eye(measured, dtype=np.int64)
        ]
    )


def _of_one_noise(candidate: PricedStrategy, effects: Floats) -> str:
    """Why the margin of an answer with one Laplace noise holds too rarely; empty where none does."""
    laws = [
        noise.law() if isinstance(noise, Laplace) else None
        for linear, noise in candidate.measured.parts
        for _ in range(linear.rows)
    ]
    size = np.abs(effects)
    alone = (size > ROUNDING * size.max(axis=0)).sum(axis=0) == 1
    chances: dict[tuple[DiscreteLaplaceLaw, int], float] = {}
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
