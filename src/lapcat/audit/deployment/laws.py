"""Noise from the release gate against its claimed distribution, on empty tables, where a release is only noise.

The frequencies of draws in cells must match the claimed law (Clopper & Pearson, at a level that fails once in a million audits).
Strategies are drawn over zeros as well. K-norm noise is not drawn here: its law has no cells that can be written down in
general, and tests/laws tests its draws on small cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from lapcat.audit.deployment.asking import noisy_parts, program_at, release
from lapcat.audit.deployment.check import SAMPLED, Check, noise_of
from lapcat.audit.deployment.copies import copied
from lapcat.audit.deployment.fixtures import Family
from lapcat.audit.deployment.questions import sums_of
from lapcat.core.answers import Integers
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.base import StatisticMechanism
from lapcat.core.release import ExactResult
from lapcat.mechanisms.binomial import success_bounds
from lapcat.plan.compile import Program
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Relation
from lapcat.workload.strategic import strategy_in

DRAWS = 50_000
RELEASES = 400
"""The number of releases of a strategy; each has several numbers per part."""
SURE = 1e-9
"""The level of one comparison; an audit makes some hundreds."""


def laws(family: Family, folder: Path) -> Iterator[Check]:
    """The noise of sums over empty tables, where the release is the noise."""
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
                if isinstance(noise, StatisticMechanism):
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


class _EmptyEngine:
    """An engine over an empty table: zeros, with one cell per draw."""

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def execute(self, plan: Group) -> ExactResult:
        return ExactResult(np.zeros((len(plan.statistics), self._cells), np.int64))


def _noises(program: Program) -> list[object]:
    strategy = strategy_in(program)
    if strategy is not None:
        return [noise for _, noise in strategy.inner.candidate.measured.parts]
    return [measurement.mechanism for measurement in program.measurements]


def _drawn(program: Program) -> list[Integers]:
    """Many draws of each noise."""
    if strategy_in(program) is None:
        return list(release(program, _EmptyEngine(DRAWS), system_coins()).cells[: len(program.measurements)])
    batches: list[list[Integers]] = [[] for _ in _noises(program)]
    for _ in range(RELEASES):
        once = release(program, _EmptyEngine(program.executed_plan.cells), system_coins())
        for batch, (_, numbers) in zip(batches, noisy_parts(program, once), strict=True):
            batch.append(numbers)
    return [np.concatenate(batch) for batch in batches]


def another_law(mechanism: StatisticMechanism, noise: Integers) -> str:
    """The problem if these are not draws of the claimed law; empty if they are compatible with it."""
    law = mechanism.law()
    if law is None:
        return "a number that is treated as public has noise" if noise.any() else ""
    cuts = sorted({law.quantile(Fraction(i, 16)) for i in range(1, 16)})
    events = [(f"is at most {cut}", int((noise <= cut).sum()), law.cdf(cut)) for cut in cuts]
    events.append(("is zero", int((noise == 0).sum()), law.pmf(0)))
    for what, times, claimed in events:
        low, high = success_bounds(times, len(noise), SURE)
        if not low <= claimed <= high:
            return f"the noise {what} in {100 * times / len(noise):.2f} % of the draws; expected: {100 * claimed:.2f} %"
    return ""


def _spread(mechanism: object) -> Fraction:
    return getattr(mechanism, "scale", None) or getattr(mechanism, "sigma_squared", None) or Fraction(0)
