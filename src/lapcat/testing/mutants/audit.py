"""Mutants of the audit."""

from __future__ import annotations

from lapcat.testing.mutants.mutant import Mutant, put


def _audit_without_delta() -> None:
    from lapcat.audit.claim import Claim

    put(Claim, "slack", 0.0)


def _audit_of_single_numbers() -> None:
    from lapcat.audit import readings

    put(readings, "READINGS", readings.READINGS[:1])


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "audit-without-delta",
        "the audit ignores delta and rejects claims that hold with it",
        "tests/audit/test_auditing.py::test_delta_is_taken_off_exactly",
        _audit_without_delta,
    ),
    Mutant(
        "audit-of-single-numbers",
        "the audit tests the numbers of an answer only one by one",
        "tests/audit/test_power.py::test_a_broken_mechanism_is_caught_within_a_million_answers[shares-together]",
        _audit_of_single_numbers,
    ),
)
