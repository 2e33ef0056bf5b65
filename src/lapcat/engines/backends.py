"""Backends: for each kind of source, the engine that reads it and the steward's operations on it.

To add an engine: a module with a `BACKEND`, and one line of BACKENDS. Nothing of an engine is imported before a table of
its kind is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from lapcat.core.release import ExactResult
from lapcat.engines.cache_folder import StoredSnapshot
from lapcat.engines.operators import OperatorMeaning
from lapcat.engines.sources import Kind, Source
from lapcat.errors import BadArgument
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group
from lapcat.plan.schema import ColumnSpec, PublicTable, Table, Type

Progress = Callable[[float], None]
FORMAT = 3
"""Of a snapshot's columns and its index: one of another format is neither looked for nor read."""

BACKENDS: Mapping[Kind, str] = {
    "csv": "duckdb_backend",
    "json": "duckdb_backend",
    "excel": "duckdb_backend",
    "sqlite": "duckdb_backend",
    "parquet": "duckdb_backend",
    "duckdb": "duckdb_backend",
    "postgresql": "postgres_backend",
    "spark": "spark_backend",
}
EXTRAS = {"psycopg": "postgres", "pyspark": "spark"}
"""What is installed with which extra of lapcat."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that questions may read: as declared, where its source is, and the snapshot, which alone is read."""

    table: Table | PublicTable
    source: Source
    snapshot: Path


@dataclass(frozen=True, slots=True)
class HeldSnapshot:
    """A table whose snapshot is there already."""

    table: Table
    path: Path


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows and units a version has. For the steward alone."""

    rows: int
    units: int


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """How many rows, or units, break a rule of the catalogue. For the steward alone."""

    column: str
    rule: str
    many: int
    of: str = "rows"
    """Or `units`."""


SECONDS = 600
"""How long a question may take where the catalogue does not say."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How much questions may use: what the catalogue says under [engine]."""

    memory: str | None = None
    threads: int | None = None
    spill: Path | None = None
    """The folder in which rows are kept that do not fit into memory, by an engine of this process."""
    max_length: int = DEFAULT_LIMITS.max_length
    """Texts with more characters are NULL."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a look is made: in how many seconds, and whether it is the second one, which spares memory."""

    seconds: float = SECONDS
    sparing: bool = False


FIRST = Attempt()


class Engine(Protocol):
    """Looks at tables that are open."""

    def ready(self, plan: Group) -> None:
        """Raises what keeps the plan from being looked up, if anything: an engine that cannot be reached, a snapshot that is
        gone. Asked before a question is paid; reads no row."""

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        """The exact integers. Whatever goes wrong is raised, also when the time is over: the door seals it, and the debit
        stands."""

    def close(self) -> None:
        """Lets go of what it holds; the next look opens it again."""


class Backend(Protocol):
    """One engine, as a deployment and a steward see it."""

    def name(self) -> str:
        """The engine and the version of what talks to it, for receipts; connects to nothing."""

    def version(self, source: Source) -> str:
        """The engine of a source and its own version, for which a server is asked."""

    def describe(self, source: Source) -> Mapping[str, str]:
        """The names and physical types of a source's columns, never a value; of a CSV the header alone."""

    def declared_type(self, physical: str) -> Type:
        """The type that a column is declared as unless the steward says otherwise."""

    def require_columns(self, table: Table | PublicTable, physical: Mapping[str, str], where: str) -> None:
        """Refused unless the declared columns and the unit's are all there and can hold what is declared."""

    def snapshot(self, folder: Path, stem: str) -> Path:
        """Where a snapshot of this name is kept: in the folder, or, where the engine keeps its own, its name alone."""

    def has_snapshot(self, source: Source, path: Path) -> bool: ...

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        """Where the snapshots of a source are kept, and all that is there, of whatever ledger: also what killed processes
        left behind."""

    def remove_snapshot(self, source: Source, path: Path) -> None:
        """Removes a snapshot, if it is there."""

    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        """Reads the source once and writes the snapshot: wholly or not at all, for the owner's eyes alone. A value that does
        not fit its type is NULL, as is a text of more than `max_length` characters.

        `people` are the snapshots of other tables about the same people: the one that units are reached through is among
        them, and in all of them a unit is of one type, so that rows of one can meet rows of another."""

    def check_rows(
        self,
        source: Source,
        table: Table | PublicTable,
        people: Mapping[str, HeldSnapshot],
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Sequence[RuleViolation]:
        """How many rows fall outside the declared types, bounds, keys and limits; what no row breaks is left out."""

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        """A type for each column that can have one: by the schema, or, of a CSV, the first that fits all its values."""

    def read_columns(self, source: Source, max_length: int) -> Mapping[str, ColumnSpec]:
        """What the rows of a public source say of its columns: types, bounds, keys, and which are unique."""

    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        """What the engine of a source means by each operator (conformance.py). Reads no table."""

    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        """Writes made-up rows, for audits, to a new place of the kind of a source: in the folder or on its server.
        Returns the place as a catalogue writes it."""

    def drop_fixture(self, source: Source) -> None:
        """Removes made-up rows from a server; those in a folder go with it."""

    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        """An engine over tables of one server; nothing is opened before it is asked."""


def backend_of(source: Source) -> Backend:
    try:
        backend: Backend = import_module(f"lapcat.engines.{BACKENDS[source.kind]}").BACKEND
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise BadArgument(
            "extra-missing", f"{package} is not installed", fix=f"pip install 'lapcat[{EXTRAS[package]}]'"
        ) from None
    return backend
