"""Thresholds: private groups with only one unit must be shown with probability at most delta.

Proved    Without the unit such a group does not exist, so the probability that any of them is shown must be at most delta. The
          reference engine gives the unit counts that reach the release gate; the probability follows from the threshold's law.
Compared  Engines pass the same groups to the release gate: the same coins give the same bytes.
Sampled   The audit bets on the groups shown with and without the unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lapcat.audit.auditing import audit
from lapcat.audit.deployment.asking import RecordedEngine, engine_of, program_in_epsilon, release
from lapcat.audit.deployment.check import COMPARED, PROVED, SAMPLED, Check
from lapcat.audit.deployment.copies import Copy, Repeated, copied
from lapcat.audit.deployment.fixtures import Family, single_cell_keys
from lapcat.audit.deployment.integers import alike
from lapcat.audit.deployment.questions import private_of
from lapcat.core.answers import in_order
from lapcat.core.coins import system_coins
from lapcat.core.mechanisms.threshold import ThresholdLaw
from lapcat.core.release import ExactResult
from lapcat.engines.reference import ReferenceEngine
from lapcat.plan.compile import Program
from lapcat.plan.nodes import Group

DELTA = Fraction(1, 20)
"""Large, so that a threshold that is too low shows."""
SAMPLES = 2_500
LEVEL = "1e-7"
"""The level of one audit of a threshold; a deployment audit makes about a dozen."""
COMPARISONS = 50
EXCESS = 4
"""A unit has this many times as many groups of its own as the contribution bound allows."""


def thresholds(family: Family, folder: Path) -> Iterator[Check]:
    """Every column with private keys."""
    for table in family.tables:
        for at, (column, asked) in enumerate(private_of(table)):
            keys = EXCESS * (table.groups_per_unit or table.rows_per_unit)
            pair = single_cell_keys(family, table, column, max(2, keys))
            copies = [
                copied(family, rows, folder / f"{table.name}-{at}-{side}")
                for side, rows in enumerate((pair.here, pair.there))
            ]
            program = program_in_epsilon(copies[0], asked.text, Fraction(1), DELTA)
            if program is not None:
                about = asked.aggregate, "Threshold", copies[0].engine
                yield Check("threshold", *about, PROVED, asked.text, _too_often(program, copies))
                yield Check("engine", *about, COMPARED, asked.text, _unlike(program, copies))
                engines = [RecordedEngine(engine_of(copy, program)) for copy in copies]

                def shown(
                    side: int, program: Program = program, engines: list[RecordedEngine] = engines
                ) -> str:
                    released = release(program, engines[side], system_coins())
                    return " ".join(sorted(str(group[0]) for group in released.keys or ()))

                result = audit(shown, 0, 1, 1, DELTA, samples=SAMPLES, level=LEVEL)
                yield Check(
                    "threshold",
                    *about,
                    SAMPLED,
                    asked.text,
                    f"{pair.what}: {result.witness.sentence(result.claim)}" if result.violated else "",
                )
            for copy in copies:
                copy.remove()


@dataclass(frozen=True, slots=True)
class _InOrder:
    """The reference engine with groups in the order in which engines pass them to the release gate."""

    reference: ReferenceEngine

    def execute(self, plan: Group) -> ExactResult:
        cells, keys, units = self.reference.figures(plan)
        assert keys is not None and units is not None
        order = in_order(keys)
        return ExactResult(cells[:, order], [keys[i] for i in order], units[order])


def _too_often(program: Program, copies: list[Copy]) -> str:
    """The problem if a group with one unit is shown with probability above delta; empty if not."""
    assert program.threshold is not None
    (_, here, units), (_, there, _) = (copy.reference().figures(program.plan) for copy in copies)
    assert here is not None and there is not None and units is not None
    hidden = Fraction(1)
    for group, number in zip(here, units.tolist(), strict=True):
        if group not in there:
            law = ThresholdLaw(program.threshold.scale, program.threshold.tau, number)
            hidden *= 1 - law.shown_bounds()[0]
    if 1 - hidden <= DELTA:
        return ""
    single = len(set(here) - set(there))
    return f"one of {single} groups with one unit is shown with probability {float(1 - hidden):.4g}; delta is {float(DELTA):.4g}"


def _unlike(program: Program, copies: list[Copy]) -> str:
    """The problem if the engine's groups differ from the reference engine's; most groups are hidden, so it takes several draws."""
    for copy in copies:
        engines = RecordedEngine(engine_of(copy, program)), RecordedEngine(_InOrder(copy.reference()))
        for number in range(COMPARISONS):
            released, expected = (
                release(program, engine, Repeated(f"groups {number}")) for engine in engines
            )
            if not alike(released, expected):
                return "the engine's groups differ from the reference engine's (engines/reference.py)"
    return ""
