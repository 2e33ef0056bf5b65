"""The reference entry of one error code."""

from __future__ import annotations

from dataclasses import dataclass

FAMILIES = {
    "BadQuery": (2, "The question, the catalogue or an argument is invalid. Nothing was spent."),
    "Refused": (3, "A privacy rule forbids the question. Nothing was spent."),
    "BudgetExceeded": (
        4,
        "The question costs more than is left. Nothing was spent and no row was read.",
    ),
    "IntegrityFailed": (
        5,
        "The ledger, a receipt or the catalogue failed an integrity check, or changed since it was last accepted.",
    ),
    "EngineFailed": (1, "A file, a disk or an engine failed. The engine's own message is never shown."),
    "Bug": (1, "An internal check of lapcat failed. Nothing was released. Please report it."),
}
"""Family → exit code of the command line, one-sentence description."""


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A stable code: what it means, how to fix it, and an example that raises it."""

    code: str
    family: str
    means: str
    fix: str
    example: str = ""
    """User input that raises the error; empty if no input does."""

    @property
    def exit_code(self) -> int:
        return FAMILIES[self.family][0]

    def as_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "family": self.family,
            "exit_code": self.exit_code,
            "means": self.means,
            "mend": self.fix,
            "example": self.example or None,
        }
