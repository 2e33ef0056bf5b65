"""The report of a deployment's audit: what was checked, how, and what is wrong; signed where the ledger is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lapcat.audit.deployment.check import Check
from lapcat.ledger.signing import Signer

KIND = "lapcat audit 1"
NO_PROOF = "a pass is never a proof: it holds for the questions and neighbours that were tried"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class ReportLine:
    """Checks of one kind of one aggregate, mechanism and engine."""

    table: str
    kind: str
    aggregate: str
    mechanism: str
    engine: str
    how: str
    checks: int
    problems: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    table: str
    kind: str
    aggregate: str
    mechanism: str
    question: str
    problem: str


@dataclass(frozen=True, slots=True)
class Report:
    """Of all tables of a catalogue."""

    lines: tuple[ReportLine, ...]
    problems: tuple[Problem, ...]
    seconds: float
    lapcat: str

    @classmethod
    def of(cls, checks: Sequence[tuple[str, Check]], seconds: float, version: str) -> Report:
        def what(table: str, check: Check) -> tuple[str, str, str, str, str, str]:
            return table, check.kind, check.aggregate, check.mechanism, check.engine, check.how

        made = Counter(what(table, check) for table, check in checks)
        wrong = Counter(what(table, check) for table, check in checks if check.problem)
        lines = tuple(ReportLine(*key, times, wrong[key]) for key, times in made.items())
        problems = tuple(
            Problem(table, check.kind, check.aggregate, check.mechanism, check.text, check.problem)
            for table, check in checks
            if check.problem
        )
        return cls(lines, problems, seconds, version)

    @property
    def passed(self) -> bool:
        return not self.problems

    def as_json(self) -> dict[str, object]:
        return {
            "kind": KIND,
            "lapcat": self.lapcat,
            "passed": self.passed,
            "checks": sum(line.checks for line in self.lines),
            "mind": NO_PROOF,
            "lines": [
                {name: getattr(line, name) for name in ReportLine.__dataclass_fields__} for line in self.lines
            ],
            "problems": [
                {name: getattr(problem, name) for name in Problem.__dataclass_fields__}
                for problem in self.problems
            ],
            "seconds": str(round(self.seconds, 1)),
        }

    def signed(self, signer: Signer | None) -> dict[str, object]:
        """The report as a file; with the signature of the ledger's key, where it has one."""
        said = self.as_json()
        if signer is None:
            return {"report": said}
        return {"report": said, "public": signer.public, "signature": signer.sign(said)}
