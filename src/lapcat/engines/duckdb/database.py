"""A locked database over snapshots, which several engines may share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lapcat.engines.duckdb.connection import connect
from lapcat.engines.duckdb.sources import real
from lapcat.engines.duckdb.spilling import Spill

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class DatabaseLimits:
    """What a database may use."""

    memory: str | None = None
    threads: int | None = None
    spill: Path | None = None
    """The folder for rows that do not fit into memory; None: the system's temporary folder."""
    sparing: bool = False
    """Whether it uses little memory, at the expense of time."""


class Database:
    """A locked connection and the folder to which it spills; closed with its last user."""

    def __init__(self, paths: Sequence[Path], limits: DatabaseLimits) -> None:
        self.spill = Spill(limits.spill)
        self.connection = connect(
            paths,
            memory=limits.memory,
            threads=limits.threads,
            spill=self.spill.path,
            sparing=limits.sparing,
        )
        self._lock = threading.Lock()
        end = weakref.finalize(self, _close, self.connection, self.spill)
        end.atexit = False  # a forked process must not close what belongs to its parent when it exits

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own: its statements run beside those of others."""
        with self._lock:
            return self.connection.cursor()


def _close(connection: duckdb.DuckDBPyConnection, spill: Spill) -> None:
    connection.close()
    spill.close()


class SharedDatabase:
    """The database that engines over the same snapshots share: opened by the first that needs it."""

    def __init__(self, snapshots: Sequence[Path], limits: DatabaseLimits) -> None:
        self.limits, self._snapshots = limits, snapshots
        self.sparing_lock = threading.Lock()
        """Held by an engine that retries with little memory: one at a time, so that many failing questions do not use even
        more memory."""
        self._lock = threading.Lock()
        self._current: weakref.ref[Database] | None = None

    def open(self) -> Database:
        with self._lock:
            database = None if self._current is None else self._current()
            if database is None:
                database = Database([real(path) for path in self._snapshots], self.limits)
                self._current = weakref.ref(database)
            return database
