"""The report of a deployment's audit: checks, methods and problems; signed if the ledger is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lapcat.audit.deployment.check import Check
from lapcat.ledger.signing import Signer

KIND = "lapcat audit 1"
NO_PROOF = "a pass is never a proof: it holds for the questions and the neighbours that were tried"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The checks of one kind, aggregate, mechanism and engine."""

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
    """One failed check."""

    table: str
    kind: str
    aggregate: str
    mechanism: str
    question: str
    problem: str


@dataclass(frozen=True, slots=True)
class Report:
    """The report on all tables of a catalogue."""

    lines: tuple[ReportLine, ...]
    problems: tuple[Problem, ...]
    seconds: float
    lapcat: str

    @classmethod
    def of(cls, checks: Sequence[tuple[str, Check]], seconds: float, version: str) -> Report:
        def group(table: str, check: Check) -> tuple[str, str, str, str, str, str]:
            return table, check.kind, check.aggregate, check.mechanism, check.engine, check.how

        checked = Counter(group(table, check) for table, check in checks)
        failed = Counter(group(table, check) for table, check in checks if check.problem)
        lines = tuple(ReportLine(*key, times, failed[key]) for key, times in checked.items())
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
        """The report as a file, signed with the ledger's key if there is one."""
        report = self.as_json()
        if signer is None:
            return {"report": report}
        return {"report": report, "public": signer.public, "signature": signer.sign(report)}
