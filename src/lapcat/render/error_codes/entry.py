"""What the documentation says of one error code."""

from __future__ import annotations

from dataclasses import dataclass

FAMILIES = {
    "BadQuery": (2, "The question, the catalogue or an argument is wrong. Nothing was spent."),
    "Refused": (3, "A privacy rule says no. Nothing was spent."),
    "BudgetExceeded": (
        4,
        "The question would cost more than is left. Nothing was spent and no row was read.",
    ),
    "IntegrityFailed": (
        5,
        "The ledger, a receipt or the catalogue is not what it was when it was last accepted.",
    ),
    "EngineFailed": (1, "A file, a disk or an engine failed. The message never holds what the engine said."),
    "Bug": (1, "lapcat contradicts itself. Nothing was released. Please report it."),
}
"""Each family with the exit code of the command line and one sentence."""


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A stable code: what it means, what to do, and something that brings it about."""

    code: str
    family: str
    means: str
    mend: str
    example: str = ""
    """What somebody typed; empty where nothing that is typed brings it about."""

    @property
    def exit_code(self) -> int:
        return FAMILIES[self.family][0]

    def as_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "family": self.family,
            "exit_code": self.exit_code,
            "means": self.means,
            "mend": self.mend,
            "example": self.example or None,
        }
