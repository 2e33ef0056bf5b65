"""Whether a private group that one unit alone is in is shown with probability at most delta.

Proved    Without the unit such a group is never there, so the chance that any of them is shown must be at most delta. How many units
          each group has that reaches the door is in the open with the reference engine; the chance follows from the threshold's law.
Compared  Engines let the same groups reach the door: the same coins, the same bytes.
Sampled   What is shown, with and without the unit, is bet on.
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
"""Of private groups in an audit: large, so that a threshold that is too low is seen."""
SAMPLES = 2_500
LEVEL = "1e-7"
"""The level of one bet; there are a dozen in an audit."""
COMPARISONS = 50
MORE = 4
"""How many times as many lone groups as may count a unit has."""


def thresholds(family: Family, folder: Path) -> Iterator[Check]:
    """Every column with private keys."""
    for table in family.tables:
        for at, (column, asked) in enumerate(private_of(table)):
            keys = MORE * (table.groups_per_unit or table.rows_per_unit)
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

                found = audit(shown, 0, 1, 1, DELTA, samples=SAMPLES, level=LEVEL)
                yield Check(
                    "threshold",
                    *about,
                    SAMPLED,
                    asked.text,
                    f"{pair.what}: {found.witness.sentence(found.claim)}" if found.violated else "",
                )
            for copy in copies:
                copy.remove()


@dataclass(frozen=True, slots=True)
class _InOrder:
    """What rows mean, with the groups in the order in which engines hand them to the door: each gets its noise in turn."""

    reference: ReferenceEngine

    def execute(self, plan: Group) -> ExactResult:
        cells, keys, units = self.reference.figures(plan)
        assert keys is not None and units is not None
        order = in_order(keys)
        return ExactResult(cells[:, order], [keys[i] for i in order], units[order])


def _too_often(program: Program, copies: list[Copy]) -> str:
    """Why a lone group is shown more often than delta; empty where it is not."""
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
    lone = len(set(here) - set(there))
    return f"one of {lone} lone groups is shown with a chance of {float(1 - hidden):.4g}, and delta is {float(DELTA):.4g}"


def _unlike(program: Program, copies: list[Copy]) -> str:
    """Why the engine's groups are others; empty where they are not. Most groups are hidden, so it takes several draws."""
    for copy in copies:
        engines = RecordedEngine(engine_of(copy, program)), RecordedEngine(_InOrder(copy.reference()))
        for number in range(COMPARISONS):
            found, expected = (release(program, engine, Repeated(f"groups {number}")) for engine in engines)
            if not alike(found, expected):
                return "the engine's groups are not those that the question means (engines/reference.py)"
    return ""
