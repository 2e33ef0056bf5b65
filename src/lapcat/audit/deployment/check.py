"""One check of a deployment and its result."""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.plan.compile import Program
from lapcat.workload.strategic import strategy_in

PROVED, SAMPLED, COMPARED = "proved", "sampled", "compared"


@dataclass(frozen=True, slots=True)
class Check:
    """One check."""

    kind: str
    """A part of the audit (checks.py); of `integers` also engine and price."""
    aggregate: str
    mechanism: str
    engine: str
    how: str
    """proved, sampled or compared."""
    text: str
    """The question, or the action."""
    problem: str = ""
    """The problem; empty if the check passes."""


def noise_of(program: Program) -> str:
    """The names of a question's mechanisms."""
    strategy = strategy_in(program)
    if strategy is not None:
        return f"strategy {strategy.name}"
    summed = {type(measurement.mechanism).__name__ for measurement in program.measurements}
    chosen = {type(chosen.mechanism).__name__ for chosen in program.chosen}
    grouped = set() if program.threshold is None else {"Threshold"}
    return ", ".join(sorted(summed | chosen | grouped)) or "–"
