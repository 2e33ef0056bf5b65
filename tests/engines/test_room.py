"""An engine has room: rows that do not fit into memory go to a private folder, no statement outlives its deadline, and what
fails is tried once more before it counts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

from lapcat.core.release import ExactResult
from lapcat.engines.attempts import Attempts
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import FIRST, Attempt, OpenTable
from lapcat.engines.duckdb.connection import DuckDBStatements, connect
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.duckdb.spilling import PREFIX, Spill
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Type
from lapcat.testing.reveal import reveal
from tests.engines.holding import KEY, all_rows, declared, looked

ENDLESS = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3"
TYPES = {"v": Type.INTEGER, "s": Type.TEXT}
ROWS = 1_500_000


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of which no two have the same text: grouped, they are far more than 100 MB."""
    folder = tmp_path_factory.mktemp("many")
    with duckdb.connect() as db:
        texts = "'somebody-' || range || '-' || hash(range)"
        db.execute(
            f"COPY (SELECT range AS v, {texts} AS s FROM range({ROWS})) TO '{folder}/t.parquet' (FORMAT parquet)"
        )
    path = folder / "cache" / "t.1.parquet"
    write_snapshot(parse_source("t.parquet", folder), declared(TYPES), path, KEY)
    return path


def opened(snapshot: Path, **limits: object) -> DuckDBEngine:
    source = parse_source("t.parquet", snapshot.parent.parent)
    return DuckDBEngine({"t": OpenTable(declared(TYPES), source, snapshot)}, spill=snapshot.parent, **limits)  # type: ignore[arg-type]


def spills(folder: Path) -> list[Path]:
    return list(folder.glob(f"{PREFIX}*"))


# ------------------------------------------------------------------------------------------------ rows that do not fit


def test_a_statement_that_needs_more_than_its_memory_finishes_on_disk_and_leaves_nothing(
    snapshot: Path,
) -> None:
    engine = opened(snapshot, memory="100MB", threads=1)
    engine.ready(all_rows("t"))
    (folder,) = spills(snapshot.parent)
    cursor, peak, done = engine._cursor(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            peak[0] = max(peak[0], sum(path.stat().st_size for path in (folder / "rows").glob("*.tmp")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    grouped = f"SELECT count(*) FROM (SELECT s, count(*) FROM read_parquet('{snapshot}') GROUP BY s)"
    try:
        assert cursor.execute(grouped).fetchall() == [(ROWS,)]
    finally:
        done.set()
        watcher.join()
    assert peak[0] > 10_000_000, "it was to need the disk"
    assert not list((folder / "rows").glob("*.tmp"))
    cursor.close()
    engine.close()
    assert spills(snapshot.parent) == []


def test_without_a_folder_the_same_statement_fails(snapshot: Path) -> None:
    """So the test above shows what it says."""
    connection = connect([snapshot], memory="100MB", threads=1)
    with pytest.raises(duckdb.OutOfMemoryException):
        connection.execute(
            f"SELECT count(*) FROM (SELECT s, count(*) FROM read_parquet('{snapshot}') GROUP BY s)"
        )


@pytest.fixture(scope="module")
def long_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """160 MB of texts, one in 26 of which begins with an a."""
    folder = tmp_path_factory.mktemp("long")
    with duckdb.connect() as db:
        texts = "repeat(chr(97 + (range % 26)::INTEGER), 4000) || range"
        db.execute(
            f"COPY (SELECT range AS v, {texts} AS s FROM range(40000)) TO '{folder}/t.parquet' (FORMAT parquet)"
        )
    path = folder / "cache" / "t.1.parquet"
    write_snapshot(parse_source("t.parquet", folder), declared(TYPES), path, KEY)
    return path


def test_long_texts_are_read_in_a_small_part_of_the_memory_that_they_fill(long_texts: Path) -> None:
    """A reader cannot spill the page that it reads: one of 100 MB, which DuckDB writes if it may, decides by a few rows more
    whether a question of many joins fails."""
    connection = connect([long_texts], memory="32MB", threads=1)
    try:
        rows = connection.execute(
            f"SELECT count(*) FROM read_parquet('{long_texts}') WHERE s LIKE 'a%'"
        ).fetchall()
    except duckdb.OutOfMemoryException:
        rows = []
    assert rows == [(1539,)], "the reader needs more than 32 MB"


def test_what_a_killed_process_left_behind_is_removed_by_the_next_one(tmp_path: Path) -> None:
    text = (
        "import sys, time; from pathlib import Path; from lapcat.engines.duckdb.spilling import Spill\n"
        "spill = Spill(Path(sys.argv[1])); (spill.path / 'rows.tmp').write_text('secret'); print(spill.path, flush=True)\n"
        "time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", text, tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    mine = Spill(tmp_path)
    assert left.exists(), "its process lives"
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    process.stdout.close()
    assert left.exists()
    other = Spill(tmp_path)
    assert not left.parent.exists() and mine.path.exists()
    mine.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_a_copy_of_the_process_leaves_the_folder_alone(tmp_path: Path) -> None:
    text = (
        "import os, sys; from pathlib import Path; from lapcat.engines.duckdb.spilling import Spill\n"
        "spill = Spill(Path(sys.argv[1])); child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "os.waitpid(child, 0); print(spill.path.exists())"
    )
    done = subprocess.run([sys.executable, "-c", text, tmp_path], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n" and list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_files_is_passed_over_for_the_systems_own() -> None:
    spill = Spill(Path("/proc/lapcat.cache"))
    assert spill.path.stat().st_mode & 0o777 == 0o700 and spill.path.stat().st_uid == os.getuid()
    spill.close()
    assert not spill.path.parent.exists()


# ------------------------------------------------------------------------------------------------ deadlines


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_deadline_stops_a_statement(in_main_thread: bool) -> None:
    connection, raised = connect([]), []

    def run() -> None:
        try:
            DuckDBStatements().run(connection, lambda: connection.execute(ENDLESS).fetchall(), seconds=0.5)
        except TimeoutError as problem:
            raised.append(problem)

    start = time.monotonic()
    if in_main_thread:
        run()
    else:
        other = threading.Thread(target=run)
        other.start()
        other.join(60)
    assert 0.4 < time.monotonic() - start < 20 and len(raised) == 1
    assert raised[0].__cause__ is None
    assert connection.execute("SELECT 1").fetchall() == [(1,)], "and nothing but the statement"


def test_a_deadline_of_one_statement_does_not_stop_another() -> None:
    connection = connect([])
    first, second = connection.cursor(), connection.cursor()
    answers: list[object] = []
    slow = "SELECT count(*) FROM range(6000) a, range(10000) b WHERE a.range * b.range % 7 = 3"
    other = threading.Thread(target=lambda: answers.append(second.execute(slow).fetchall()))
    other.start()
    with pytest.raises(TimeoutError):
        DuckDBStatements().run(first, lambda: first.execute(ENDLESS).fetchall(), seconds=0.2)
    other.join(120)
    assert len(answers) == 1


# ------------------------------------------------------------------------------------------------ the second try


class Flaky:
    """An engine whose looks fail as often as is said, after so many seconds."""

    def __init__(self, failures: int, seconds: float = 0.0) -> None:
        self.failures, self.seconds = failures, seconds
        self.tried: list[Attempt] = []

    def ready(self, plan: Group) -> None: ...

    def close(self) -> None: ...

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        self.tried.append(attempt)
        time.sleep(self.seconds)
        if len(self.tried) <= self.failures:
            raise RuntimeError("out of memory: row 4711")
        return ExactResult(np.array([[5]], np.int64))


def test_a_look_that_fails_is_tried_once_more_sparingly_and_within_the_same_deadline() -> None:
    engine = Flaky(1, seconds=0.2)
    private = Attempts(engine, 10).execute(all_rows("t"))
    assert reveal(private).tolist() == [[5]]
    first, second = engine.tried
    assert not first.sparing and second.sparing
    assert second.seconds <= first.seconds - 0.2


def test_a_look_that_fails_twice_has_failed() -> None:
    engine = Flaky(2)
    with pytest.raises(RuntimeError):
        Attempts(engine, 10).execute(all_rows("t"))
    assert len(engine.tried) == 2


def test_when_the_time_is_over_nothing_is_tried_again() -> None:
    engine = Flaky(1, seconds=0.3)
    with pytest.raises(TimeoutError):
        Attempts(engine, 0.2).execute(all_rows("t"))
    assert len(engine.tried) == 1


@pytest.fixture
def engine(snapshot: Path) -> Iterator[DuckDBEngine]:
    engine = opened(snapshot)
    yield engine
    engine.close()


def test_the_second_try_of_duckdb_has_one_thread_and_finds_the_same(
    engine: DuckDBEngine, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = all_rows("t")
    expected = looked(engine, plan).tolist()
    made: list[tuple[object, object, object]] = []

    def noted(*paths: object, **settings: object) -> object:
        made.append((settings["threads"], settings["sparing"], settings["memory"]))
        return connect(*paths, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr("lapcat.engines.duckdb.database.connect", noted)
    assert reveal(engine.execute(plan, Attempt(60, sparing=True))).tolist() == expected == [[ROWS]]
    assert made == [(1, True, None)] and len(spills(snapshot.parent)) == 1, "its own folder is gone"


def test_the_second_try_also_ends_in_time(engine: DuckDBEngine) -> None:
    engine._shared.sparing_lock.acquire()  # another question is being tried again
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        engine.execute(all_rows("t"), Attempt(0.3, sparing=True))
    assert time.monotonic() - start < 20
