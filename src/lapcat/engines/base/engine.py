"""What a question needs of an engine: open tables with their snapshots, resource limits, and the execution of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from lapcat.core.release import ExactResult
from lapcat.engines.base.sources import Source
from lapcat.errors import Bug
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group
from lapcat.plan.schema import PublicTable, Table

FORMAT = 3
"""Version of the snapshot format (columns and index). Snapshots of other versions are ignored."""

Progress = Callable[[float], None]


def no_progress(fraction: float) -> None: ...


@dataclass(frozen=True, slots=True)
class HeldSnapshot:
    """A table whose snapshot exists."""

    table: Table
    path: Path


@dataclass(frozen=True, slots=True)
class Size:
    """Row count and unit count of a version. For the steward only."""

    rows: int
    units: int


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """Number of rows, or units, that break a rule of the catalogue. For the steward only."""

    column: str
    rule: str
    many: int
    of: str = "rows"
    """Or `units`."""


NOBODY: Mapping[str, HeldSnapshot] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that questions may read: its declaration, its source, and its snapshot. Only the snapshot is read."""

    table: Table | PublicTable
    source: Source
    snapshot: Path


SECONDS = 600
"""Default time limit of a question."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Resource limits of questions: [engine] in the catalogue."""

    memory: str | None = None
    threads: int | None = None
    spill: Path | None = None
    """The folder to which an engine of this process spills rows that do not fit into memory."""
    max_length: int = DEFAULT_LIMITS.max_length
    """Longer texts are NULL."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a plan is executed: its time limit, and whether it is the retry, which uses less memory."""

    seconds: float = SECONDS
    sparing: bool = False


FIRST = Attempt()


def unplanned() -> Bug:
    """The error of `ready` for a statement that the engine does not understand."""
    return Bug(
        "statement-unplanned",
        "the engine cannot plan this question; nothing was spent",
        fix="please report the question; meanwhile, rephrase it",
    )


def table_of(tables: Mapping[str, OpenTable], name: str) -> OpenTable:
    if name not in tables:
        raise Bug("table-not-open", f"{name} was queried but never opened")
    return tables[name]


class Engine(Protocol):
    """Executes plans over open tables."""

    def ready(self, plan: Group) -> None:
        """Raises if the plan cannot be executed: the engine cannot be reached, or a snapshot is gone. Called before the debit;
        reads no row."""

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """The exact integers. Every failure is raised, a timeout too: the release gate hides its text, and the debit
        stands."""

    def close(self) -> None:
        """Releases connections and files; the next execution opens them again."""
