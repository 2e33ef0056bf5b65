"""Files that are locked, read-only, damaged, newer, missing or swapped; disks that fail. Each has a clear error."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from ledger_kit import STAFF, Once, ask, faulty, finish, kinds, own, spent, sqlite_error, table, worker

from lapcat.core.exact import exact
from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.sqlite.connection import connect


def refused(path: str, wait: float = 10) -> IntegrityFailed:
    with pytest.raises(IntegrityFailed) as caught, SQLiteLedger(path, wait=wait) as ledger:
        ledger.debit(ask())
    assert caught.value.fix
    return caught.value


def test_a_new_ledger_is_for_its_owner_alone(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask())
        for name in (path, path + "-wal", path + "-shm"):
            assert stat.S_IMODE(os.stat(name).st_mode) == 0o600


def test_a_commit_is_synced_before_it_returns(path: str) -> None:
    seen = []
    with SQLiteLedger(path, connect=lambda name: seen.append(connect(name)) or seen[-1]) as ledger:
        ledger.debit(ask())
        (connection,) = seen
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2


def test_a_pragma_that_does_not_take_is_noticed(path: str) -> None:
    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:  # type: ignore[override]
            return super().execute("SELECT 1" if sql == "PRAGMA synchronous = 2" else sql, *parameters)  # type: ignore[arg-type]

    def normal(name: str) -> sqlite3.Connection:
        connection = sqlite3.connect(name, isolation_level=None, factory=Stubborn)
        sqlite3.Connection.execute(connection, "PRAGMA synchronous = 1")
        return connection

    with pytest.raises(IntegrityFailed) as caught:
        SQLiteLedger(path, connect=normal)
    assert caught.value.code == "ledger-not-durable"


def test_a_locked_ledger_says_so_after_the_wait_and_spends_nothing(path: str) -> None:
    with SQLiteLedger(path, wait=0.2) as ledger:
        ledger.debit(ask())
        holder = worker("hold", path, "60")
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("other"))
        assert caught.value.code == "ledger-locked" and "0.2 s" in caught.value.message
        assert spent(ledger) == exact("0.1")  # who only reads need not wait
        holder.kill()
        holder.communicate()
        ledger.debit(ask("other"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    made = Path(tempfile.mkdtemp(prefix="lapcat-test-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def _as_somebody_without_rights(path: str) -> str:
    """The code of the error that a user gets who may read the ledger but not write it (root may write anything)."""
    reader, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            code = refused(path).code
        except BaseException as error:
            code = repr(error)
        os.write(tell, code.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(tell)
    with os.fdopen(reader) as answers:
        return answers.read()


def test_a_read_only_ledger_is_refused_clearly(folder: Path) -> None:
    path = str(folder / "lapcat.ledger")
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask("earlier"))
    os.chmod(path, 0o444)
    folder.chmod(0o777)
    assert _as_somebody_without_rights(path) == "ledger-read-only"
    folder.chmod(0o555)
    assert _as_somebody_without_rights(path) == "ledger-read-only"
    os.chmod(path, 0o666)
    assert _as_somebody_without_rights(path) == "ledger-read-only"  # no log can be written beside it
    assert _as_somebody_without_rights(str(folder / "new.ledger")) == "ledger-read-only"


def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, although it is long enough to have a header of a hundred bytes " * 3)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE cats (weight REAL)")
    for file in (text, foreign, tmp_path):
        before = file.read_bytes() if file.is_file() else None
        assert refused(str(file)).code == "ledger-damaged"
        assert before is None or file.read_bytes() == before


def test_a_truncated_ledger_is_refused(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        for i in range(20):
            finish(ledger, ledger.debit(ask(f"q{i}")).id, os.urandom(2000))
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    error = refused(path)
    assert error.code == "ledger-damaged"


def test_a_ledger_of_a_newer_lapcat_is_refused(path: str) -> None:
    SQLiteLedger(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    error = refused(path)
    assert error.code == "ledger-newer" and error.fix == "pip install --upgrade lapcat"


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    error = refused(str(tmp_path / "nowhere" / "lapcat.ledger"))
    assert error.code == "ledger-no-folder"
    assert error.fix == f"mkdir -p {tmp_path}/nowhere"


def test_an_empty_file_becomes_a_ledger(path: str) -> None:
    open(path, "w").close()  # what a process leaves that was killed while it created one
    with SQLiteLedger(path) as ledger:
        assert ledger.debit(ask()).id == 1


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_that_was_swapped_under_an_open_ledger_is_refused(path: str, how: str) -> None:
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask())
        shutil.copy(path, path + ".backup")
        if how == "deleted":
            os.rename(path, path + ".old")
        else:
            os.replace(path + ".backup", path)
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("more"))
        assert caught.value.code == "ledger-replaced"


def test_a_deleted_ledger_is_not_made_anew_by_a_process_that_had_it_open(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask())
        if os.fork() == 0:  # a fork closes the file, so that the next debit has to open it again
            os._exit(0)
        os.wait()
        os.rename(path, path + ".old")
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("more"))
        assert caught.value.code == "ledger-replaced"
        assert not os.path.exists(path)


def test_a_closed_ledger_says_so(path: str) -> None:
    ledger = SQLiteLedger(path)
    ledger.close()
    with pytest.raises(IntegrityFailed) as caught:
        ledger.spent(STAFF)
    assert caught.value.code == "ledger-closed"


ACTS = ("debit", "looked", "answered", "failed", "share", "resume", "accept", "refreshed")


def act(ledger: SQLiteLedger, what: str) -> object:
    """One write of each kind."""
    match what:
        case "debit":
            return ledger.debit(ask("new", "0.3"))
        case "share":
            return ledger.debit(ask("answered", "0.1", table(), own("bob", "1"), analyst="bob"))
        case "looked":
            return ledger.executing(4)
        case "answered":
            return ledger.answered(5, b"an answer")
        case "failed":
            return ledger.failed(5)
        case "resume":
            return ledger.resume(STAFF, "why")
        case "accept":
            return ledger.accept({}, "why")
    return ledger.refreshed("staff.parquet", {})


def prepared(ledger: SQLiteLedger) -> list[str]:
    finish(ledger, ledger.debit(ask("answered")).id)  # 1 2 3
    ledger.debit(ask("debited"))  # 4
    ledger.executing(ledger.debit(ask("looked")).id)  # 5 6
    return kinds(ledger)


KIND = {"refreshed": "refresh"}


@pytest.mark.parametrize("what", ACTS)
def test_a_commit_that_failed_but_happened_counts_as_done(path: str, what: str) -> None:
    lie = Once("COMMIT", sqlite_error(sqlite3.SQLITE_IOERR))
    with SQLiteLedger(path, connect=faulty(lambda sql: None, lie)) as ledger:
        before = prepared(ledger)
        lie.armed = True
        result = act(ledger, what)
        assert not lie.armed
        assert kinds(ledger) == [*before, KIND.get(what, what)]
        if what == "answered":
            assert result == b"an answer"
        ledger.verify()


@pytest.mark.parametrize("what", ACTS)
@pytest.mark.parametrize(
    ("start", "code", "expected"),
    [
        ("COMMIT", sqlite3.SQLITE_IOERR, "ledger-disk-failed"),
        ("COMMIT", sqlite3.SQLITE_FULL, "ledger-disk-full"),
        ("INSERT INTO entries", sqlite3.SQLITE_IOERR | 12 << 8, "ledger-disk-failed"),
        ("UPDATE head", sqlite3.SQLITE_FULL, "ledger-disk-full"),
        ("BEGIN IMMEDIATE", sqlite3.SQLITE_LOCKED, "ledger-locked"),
        ("BEGIN IMMEDIATE", sqlite3.SQLITE_READONLY, "ledger-read-only"),
    ],
)
def test_a_write_that_failed_leaves_nothing_and_can_be_repeated(
    path: str, what: str, start: str, code: int, expected: str
) -> None:
    fault = Once(start, sqlite_error(code))
    with SQLiteLedger(path, connect=faulty(fault)) as ledger:
        before = prepared(ledger)
        fault.armed = True
        with pytest.raises(IntegrityFailed) as caught:
            act(ledger, what)
        assert caught.value.code == expected
        assert kinds(ledger) == before
        act(ledger, what)
        assert kinds(ledger) == [*before, KIND.get(what, what)]
        ledger.verify()


def test_a_commit_of_which_nothing_can_be_read_is_said_to_be_unknown(path: str) -> None:
    broken = False

    def fault(sql: str) -> None:
        if broken:
            raise sqlite_error(sqlite3.SQLITE_IOERR)

    def after(sql: str) -> None:
        nonlocal broken
        if sql == "COMMIT" and armed:
            broken = True
            raise sqlite_error(sqlite3.SQLITE_IOERR)

    armed = False
    with SQLiteLedger(path, connect=faulty(fault, after)) as ledger:
        armed = True
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask())
        assert caught.value.code == "ledger-unknown" and "ask the same question again" in caught.value.fix
        armed = broken = False
        assert ledger.debit(ask()).free  # it was there, and is not charged twice
        assert spent(ledger) == exact("0.1")


def test_a_writer_that_comes_while_a_log_is_begun_anew_is_waited_for(path: str) -> None:
    came: list[threading.Timer] = []

    def somebody_writes(sql: str) -> None:
        if "wal_checkpoint" in sql and not came:
            other.execute("BEGIN IMMEDIATE")
            came.append(threading.Timer(0.3, lambda: other.execute("ROLLBACK")))
            came[0].start()

    with SQLiteLedger(path) as first, closing(connect(path)) as other:
        first.debit(ask())
        with SQLiteLedger(path, connect=faulty(lambda sql: None, somebody_writes), wait=300) as second:
            assert came and spent(second) == exact("0.1")
        came[0].join()


def test_ctrl_c_in_the_middle_leaves_nothing_half_written(path: str) -> None:
    fault = Once("UPDATE head", KeyboardInterrupt())  # type: ignore[arg-type]
    with SQLiteLedger(path, connect=faulty(fault)) as ledger:
        fault.armed = True
        with pytest.raises(KeyboardInterrupt):
            ledger.debit(ask())
        assert kinds(ledger) == []
        assert not ledger.debit(ask()).free


def test_importing_the_ledger_is_light() -> None:
    code = "import sys, lapcat.ledger; print(*sorted({'duckdb', 'z3', 'sqlglot', 'rich', 'pandas'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "\n"
    )
