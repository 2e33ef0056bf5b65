"""What a backend offers: an engine for questions, and the steward's operations on its sources and snapshots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from lapcat.engines.base.cache_folder import CACHE, StoredSnapshot, remove, stored_in
from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.engine import (
    NOBODY,
    Engine,
    HeldSnapshot,
    OpenTable,
    Progress,
    RuleViolation,
    Settings,
    Size,
    no_progress,
)
from lapcat.engines.base.public_columns import PublicColumns, read_columns
from lapcat.engines.base.snapshots import OpenSource, content_of, declared_columns, proposed_types
from lapcat.engines.base.sources import Source
from lapcat.engines.operators import OperatorMeaning
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.schema import PublicTable, Table, Type

T = TypeVar("T")


class Backend(ABC):
    """An engine and the steward's operations on its sources and snapshots. By default snapshots are files beside the catalogue."""

    dialect: ClassVar[Dialect]
    suffix: ClassVar[str] = ""
    """How the names of its snapshots end, if they are files."""
    is_slow: ClassVar[bool] = False
    """Whether a statement takes most of a second, whatever it reads."""

    # -------------------------------------------------------------------------------------------- the engine

    @abstractmethod
    def name(self) -> str:
        """The engine and its driver's version, for receipts; connects to nothing."""

    @abstractmethod
    def version(self, source: Source) -> str:
        """The engine of a source and the engine's version; asks the server."""

    @abstractmethod
    def open(self, tables: Mapping[str, OpenTable], settings: Settings) -> Engine:
        """An engine over tables of one server; connects on first use."""

    def open_workers(
        self, tables: Mapping[str, OpenTable], settings: Settings, count: int
    ) -> Sequence[Engine]:
        """Engines for the workers of a service, each with connections of its own: their statements run at the same time, and one
        that is stopped or closed leaves the others alone."""
        return [self.open(tables, settings) for _ in range(count)]

    @abstractmethod
    def probe(self, source: Source, progress: Progress) -> Sequence[OperatorMeaning]:
        """The result of the conformance suite for each operator (conformance.py). Reads no table."""

    # -------------------------------------------------------------------------------------------- sources

    @abstractmethod
    def read(
        self, source: Source, work: Callable[[OpenSource], T], people: Mapping[str, HeldSnapshot] = NOBODY
    ) -> T:
        """The result of `work` on an open source, which may also open the snapshots of `people`."""

    def describe(self, source: Source) -> Mapping[str, str]:
        """Names and physical types of a source's columns, never a value; a CSV is read up to its header only."""
        return self.read(source, lambda stored: stored.relation.physical)

    def declared_type(self, physical: str) -> Type:
        """The default declared type of a column of this physical type."""
        return self.dialect.declared_type(physical) or Type.TEXT

    def require_columns(self, table: Table | PublicTable, physical: Mapping[str, str], where: str) -> None:
        """Refuses if a declared column or the unit column is missing, or cannot hold its declared type."""
        declared_columns(table, physical, where, self.dialect)

    def propose_types(self, source: Source) -> Mapping[str, Type]:
        """A type for each column: from the schema, or, for a CSV, the first type that fits all values. Columns without one are
        omitted."""
        return proposed_types(self.describe(source), self.dialect)

    def read_columns(self, source: Source, max_length: int) -> PublicColumns:
        """Columns read from the rows of a public source: types, bounds, keys, uniqueness; and the rows, if they are few."""

        def read(stored: OpenSource) -> PublicColumns:
            types = proposed_types(stored.relation.physical, self.dialect)
            return read_columns(stored.short(max_length), types, self.dialect, stored.rows)

        return self.read(source, read)

    def check_rows(
        self,
        source: Source,
        table: Table | PublicTable,
        people: Mapping[str, HeldSnapshot] = NOBODY,
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Sequence[RuleViolation]:
        """Number of rows outside the declared types, bounds, keys and limits, and of units in several blocks; rules that no row
        breaks are omitted."""

        def check(stored: OpenSource) -> Sequence[RuleViolation]:
            content = content_of(stored, source, table, people, self.dialect)
            return content.findings(stored.short(max_length), stored.row)

        return self.read(source, check, people)

    # -------------------------------------------------------------------------------------------- snapshots

    def snapshot(self, folder: Path, stem: str) -> Path:
        """The path of a snapshot of this name; just the name if the engine stores snapshots itself."""
        return folder / CACHE / f"{stem}{self.suffix}"

    def has_snapshot(self, source: Source, path: Path) -> bool:
        return path.exists()

    def stored_in(self, source: Source, folder: Path) -> tuple[str, Sequence[StoredSnapshot]]:
        """Where the snapshots of a source are stored, and all of them, whichever ledger they belong to. Includes leftovers of
        killed processes."""
        return CACHE, stored_in(folder / CACHE)

    def remove_snapshot(self, source: Source, path: Path) -> None:
        """Removes a snapshot if it exists."""
        remove(path)

    @abstractmethod
    def write_snapshot(
        self,
        source: Source,
        table: Table | PublicTable,
        path: Path,
        key: bytes,
        progress: Progress = no_progress,
        people: Mapping[str, HeldSnapshot] = NOBODY,
        max_length: int = DEFAULT_LIMITS.max_length,
    ) -> Size:
        """Reads the source and writes the snapshot atomically, readable by the owner only. A value that does not fit its type
        becomes NULL, and so does a text of more than `max_length` characters.

        `people`: snapshots of other tables about the same people, including the table through which units are found. The unit
        has the same type in all of them, so that they can be joined."""

    # -------------------------------------------------------------------------------------------- fixtures

    @abstractmethod
    def write_fixture(
        self,
        columns: Mapping[str, Sequence[object]],
        types: Mapping[str, Type],
        folder: Path,
        name: str,
        like: Source,
    ) -> str:
        """Writes fixture rows for audits, in the folder or on the server of `like`. Returns the new source as a catalogue
        writes it."""

    def drop_fixture(self, source: Source) -> None:  # noqa: B027
        """Drops a fixture from a server; fixtures in a folder are removed with the folder."""
