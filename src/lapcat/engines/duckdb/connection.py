"""Locked DuckDB connections: they can open only the files they were given, and their settings cannot be changed.

Analyst text never reaches DuckDB. Should generated SQL ever misbehave, it still cannot reach another file, the network, an
extension, a Python variable or a setting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lapcat.errors import BadQuery

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

SETTINGS = {
    "python_enable_replacements": "false",  # a table name never means a Python variable
    "pandas_analyze_sample": "0",  # an object column is text; its first rows are not sampled
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "error_on_division_by_zero": "false",
    "TimeZone": "'UTC'",
}
DISABLED = ("join_order", "top_n_window_elimination")
"""Optimiser rules that are switched off. Joins in the plan's order have bounded results (plan/produced.py). A window that keeps the
first rows of each unit can spill to disk; the aggregate that the second rule makes of it cannot."""
DISABLED_SPARING = (*DISABLED, "build_side_probe_side")
"""Always hashes the right side of a join, which is the one with one row per unit if there is one (base/rows.py). All rows of a unit
have the same hash, and DuckDB holds rows of one hash in memory."""


def connect(
    paths: Sequence[Path],
    *,
    attach: Mapping[str, Path] | None = None,
    memory: str | None = None,
    threads: int | None = None,
    spill: Path | None = None,
    sparing: bool = False,
) -> duckdb.DuckDBPyConnection:
    """An in-memory database that can open `paths`, sees the databases in `attach` read-only, and is locked for good.

    Rows that do not fit into memory spill to the folder `spill`, the only place it can write to; without one the statement
    fails. `sparing`: use less memory, possibly more time.
    """
    import duckdb

    connection = duckdb.connect(":memory:")
    known = {name for (name,) in connection.execute("SELECT name FROM duckdb_settings()").fetchall()}
    for setting, value in SETTINGS.items():
        if setting in known:  # older versions have fewer
            connection.execute(f"SET GLOBAL {setting} = {value}")
    _hide_progress(connection)
    connection.execute(f"SET GLOBAL temp_directory = {quoted('' if spill is None else str(spill))}")
    _limit(connection, "memory_limit", memory)
    _limit(connection, "threads", threads)
    disabled = DISABLED_SPARING if sparing else DISABLED
    connection.execute(f"SET GLOBAL disabled_optimizers = {quoted(','.join(disabled))}")
    connection.execute(f"SET GLOBAL preserve_insertion_order = {str(not sparing).lower()}")
    for alias, path in (attach or {}).items():
        connection.execute(f"ATTACH {quoted(str(path))} AS {alias} (TYPE duckdb, READ_ONLY)")
    allowed = ", ".join(quoted(str(path)) for path in paths)
    connection.execute(f"SET GLOBAL allowed_paths = [{allowed}]")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL lock_configuration = true")
    return connection


def _hide_progress(connection: duckdb.DuckDBPyConnection) -> None:
    """Progress can be queried but is never printed: it reveals the number of rows.

    In a Jupyter kernel without ipywidgets DuckDB has no progress and refuses every change to these settings.
    """
    import duckdb

    try:
        connection.execute("SET enable_progress_bar_print = false; SET enable_progress_bar = true")
    except duckdb.InvalidInputException:
        is_on = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]
        if is_on:
            raise


def _limit(connection: duckdb.DuckDBPyConnection, setting: str, value: str | int | None) -> None:
    import duckdb

    if value is not None:
        try:
            connection.execute(f"SET GLOBAL {setting} = {quoted(str(value))}")
        except duckdb.Error:
            raise BadQuery(
                "engine-limit",
                f"DuckDB does not accept {setting} = {value!r}",
                fix='memory = "4GB" and threads = 2 under [engine]',
            ) from None


def quoted(text: str) -> str:
    """A SQL string literal, for paths and settings, which SQLGlot does not print."""
    return "'" + text.replace("'", "''") + "'"


class DuckDBStatements:
    """Runs statements so that Ctrl-C or a timeout interrupts them.

    Python delivers Ctrl-C only to the main thread, between bytecodes; a statement that the main thread waits for therefore
    runs in another thread.
    """

    def __init__(self) -> None:
        self._worker: ThreadPoolExecutor | None = None

    def run(
        self,
        cursor: duckdb.DuckDBPyConnection,
        work: Callable[[], T],
        watch: Callable[[], None] | None = None,
        seconds: float | None = None,
    ) -> T:
        """The result of `work`, which uses the cursor. `watch` is called a few times a second meanwhile. Raises TimeoutError
        after `seconds`."""
        if watch is None and threading.current_thread() is not threading.main_thread():
            return _timed(cursor, work, seconds)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "lapcat-duckdb")
        running: Future[T] = self._worker.submit(lambda: _timed(cursor, work, seconds))
        try:
            # A wait without a timeout may miss Ctrl-C if the system delivers the signal to another thread.
            while not wait([running], timeout=0.2).done:
                if watch is not None:
                    watch()
            return running.result()
        except BaseException:
            while not running.done():  # repeated in case the statement had not started
                cursor.interrupt()
                wait([running], timeout=0.05)
            raise

    def close(self) -> None:
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = None


def _timed(cursor: duckdb.DuckDBPyConnection, work: Callable[[], T], seconds: float | None) -> T:
    """The result of `work`; on a timeout interrupts the statement and raises TimeoutError."""
    if seconds is None:
        return work()
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        if not done.wait(seconds):
            late.set()
            while not done.wait(0.05):  # repeated in case the statement had not started
                cursor.interrupt()

    watcher = threading.Thread(target=watch, name="lapcat-deadline", daemon=True)
    watcher.start()
    try:
        result = work()
    except Exception:
        if not late.is_set():
            raise
        raise TimeoutError from None
    finally:
        done.set()
        watcher.join()
    return result
