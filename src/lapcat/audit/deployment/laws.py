"""Whether noise that went through the door falls where its law says, over the zeros of tables without rows.

Draws fall into cells of the claimed law as often as it says (Clopper & Pearson at a level that fails once in a million audits).
What a strategy measures is drawn over zeros as well, so that it is its noise and nothing else. K-norm noise is not drawn here:
its law has no cells that can be written down in general, and tests/laws holds its draws against small cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np

from lapcat.audit.deployment.asking import noisy_parts, program_at, release
from lapcat.audit.deployment.check import SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import copied
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.answers import Integers
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.binomial import success_bounds
from lapcat.core.mechanisms.constant import Constant
from lapcat.core.mechanisms.gaussian import Gaussian
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.core.release import ExactResult
from lapcat.plan.compile import Program
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Relation
from lapcat.workload.strategic import Strategic

DRAWS = 50_000
MOST_RELEASES = 400
"""How often a strategy is drawn; each part of it has several numbers."""
SURE = 1e-9
"""The level of one comparison of draws with their law; there are some hundreds in an audit."""


class IntegerLaw(Protocol):
    """Of integer noise."""

    def quantile(self, p: Fraction) -> int: ...
    def cdf(self, k: int) -> float: ...
    def pmf(self, k: int) -> float: ...


def laws(family: Family, folder: Path) -> Iterator[Check]:
    """The noise of sums where nobody is: there what is released is the noise."""
    alone = replace(
        family,
        tables=tuple(
            replace(table, relation=Relation.ADD_REMOVE, units=None, blocks=table.blocks)
            for table in family.tables
        ),
    )
    empty = copied(alone, {table.name: [] for table in family.everything}, folder)
    seen: set[tuple[str, Fraction]] = set()
    try:
        for asked in sums_of(alone, 0):
            program = program_at(empty, asked.text, Fraction(1))
            if program is None or program.threshold is not None:
                continue
            noises = _noises(program)
            new = {(noise_of(program), _spread(noise)) for noise in noises} - seen
            if not new:
                continue
            seen |= new
            for noise, drawn in zip(noises, _drawn(program), strict=True):
                if isinstance(noise, (Laplace, Gaussian, Constant)):
                    yield Check(
                        "law",
                        asked.aggregate,
                        type(noise).__name__,
                        empty.engine,
                        SAMPLED,
                        asked.text,
                        another_law(noise, drawn),
                    )
    finally:
        empty.remove()


class _Nobody:
    """What every engine sees of a table without rows: zeros; as many groups as there are to be draws."""

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def execute(self, plan: Group) -> ExactResult:
        return ExactResult(np.zeros((len(plan.statistics), self._cells), np.int64))


def _noises(program: Program) -> list[object]:
    if isinstance(program, Strategic):
        return [noise for _, noise in program.of[1].candidate.measured.parts]
    return [measurement.mechanism for measurement in program.measurements]


def _drawn(program: Program) -> list[Integers]:
    """What each noise gave, many times."""
    if not isinstance(program, Strategic):
        return list(release(program, _Nobody(DRAWS), system_coins()).cells[: len(program.measurements)])
    found: list[list[Integers]] = [[] for _ in _noises(program)]
    for _ in range(MOST_RELEASES):
        once = release(program, _Nobody(program.executed_plan.cells), system_coins())
        for lot, (_, numbers) in zip(found, noisy_parts(program, once), strict=True):
            lot.append(numbers)
    return [np.concatenate(lot) for lot in found]


def another_law(mechanism: Laplace | Gaussian | Constant, noise: Integers) -> str:
    """Why these are no draws of the claimed law; empty where they may well be."""
    if isinstance(mechanism, Constant):
        return "a number that is called public has noise" if noise.any() else ""
    law: IntegerLaw = mechanism.law()
    cuts = sorted({law.quantile(Fraction(i, 16)) for i in range(1, 16)})
    events = [(f"is at most {cut}", int((noise <= cut).sum()), law.cdf(cut)) for cut in cuts]
    events.append(("is zero", int((noise == 0).sum()), law.pmf(0)))
    for what, times, claimed in events:
        low, high = success_bounds(times, len(noise), SURE)
        if not low <= claimed <= high:
            return f"the noise {what} in {100 * times / len(noise):.2f} % of the draws, its law says {100 * claimed:.2f} %"
    return ""


def _spread(mechanism: object) -> Fraction:
    return getattr(mechanism, "scale", None) or getattr(mechanism, "sigma_squared", None) or Fraction(0)
