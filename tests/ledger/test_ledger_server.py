"""What only a ledger on a server meets: a session that is cut, a server that stops, settings, rights, passwords."""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ledger_kit import (
    STAFF,
    Faulty,
    Once,
    ask,
    faulty,
    finish,
    kinds,
    laplace,
    raw,
    spent,
    worker,
)
from tests.postgres_cluster import Cluster

from lapcat.core.exact import exact
from lapcat.errors import BadArgument, BudgetExceeded, Error, IntegrityFailed
from lapcat.ledger.postgres import PostgresLedger, connection, schema
from lapcat.ledger.postgres.connection import connect

ROOT = Path(__file__).parents[2]
PASSWORD = "hunter2-and-a-half"


def code_of(store: str, **options: Any) -> str:
    with pytest.raises(Error) as caught, PostgresLedger(store, **options) as ledger:
        ledger.debit(ask())
    assert caught.value.fix and PASSWORD not in str(caught.value)
    return caught.value.code


def by_hand_in(store: str) -> psycopg.Connection[Any]:
    return psycopg.connect(store, autocommit=True)


# --- sessions that end --------------------------------------------------------------------------------------------


def test_a_session_that_was_cut_between_two_debits_is_opened_again(postgres: str, cluster: Cluster) -> None:
    with PostgresLedger(postgres) as ledger:
        ledger.debit(ask("one"))
        cluster.cut()
        ledger.debit(ask("two"))
        cluster.cut()
        assert spent(ledger) == exact("0.2")
        assert ledger.verify() == 2


@pytest.mark.parametrize("when", ["INSERT INTO entries", "UPDATE head", "INSERT INTO spent"])
def test_a_session_that_is_cut_inside_a_transaction_leaves_nothing_and_can_be_repeated(
    postgres: str, cluster: Cluster, when: str
) -> None:
    armed = False

    def fault(sql: str) -> None:
        nonlocal armed
        if armed and sql.startswith(when):
            armed = False
            cluster.cut()

    with PostgresLedger(postgres, connect=faulty(fault, store=postgres)) as ledger:
        armed = True
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask())
        assert caught.value.code == "ledger-unreachable"
        assert kinds(ledger) == [] and spent(ledger) == 0
        assert not ledger.debit(ask()).free
        assert ledger.verify() == 1


def test_a_commit_whose_session_broke_before_it_is_repeated_by_whoever_asks_again(
    postgres: str, cluster: Cluster
) -> None:
    armed = False

    def fault(sql: str) -> None:
        nonlocal armed
        if armed and sql == "COMMIT":
            armed = False
            cluster.cut()

    with PostgresLedger(postgres, connect=faulty(fault, store=postgres)) as ledger:
        armed = True
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask())
        assert caught.value.code == "ledger-unreachable"
        assert kinds(ledger) == []
        assert not ledger.debit(ask()).free


def test_a_commit_whose_answer_was_lost_counts_as_done(postgres: str) -> None:
    lie = Once("COMMIT", psycopg.OperationalError("planted by a test"))
    with PostgresLedger(postgres, connect=faulty(lambda sql: None, lie, store=postgres)) as ledger:
        lie.armed = True
        debit = ledger.debit(ask())
        assert not lie.armed and not debit.free
        assert kinds(ledger) == ["debit"] and ledger.debit(ask()).id == debit.id


def test_a_commit_that_is_still_under_way_is_waited_for(postgres: str) -> None:
    """The session is taken for dead, but the server works on: its COMMIT comes when the new one has begun to look."""
    late: list[threading.Timer] = []

    class Slow(Faulty):
        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            if sql == "COMMIT" and armed and not late:
                late.append(threading.Timer(0.5, lambda: self._inner.execute("COMMIT")))
                late[0].start()
                raise psycopg.OperationalError("planted by a test")
            return super().execute(sql, parameters)

        def close(self) -> None:
            if not late:
                super().close()

    armed = False
    with PostgresLedger(postgres, connect=lambda address: Slow(connect(address), lambda sql: None)) as ledger:
        armed = True
        try:
            paid = ledger.debit(ask())
        except IntegrityFailed:
            paid = None
        late[0].join()
        assert paid is not None and kinds(ledger) == ["debit"] and ledger.debit(ask()).free


def test_a_commit_of_which_nothing_can_be_read_is_said_to_be_unknown(postgres: str) -> None:
    gone = armed = False

    def fault(sql: str) -> None:
        if gone:
            raise psycopg.OperationalError("planted by a test")

    def after(sql: str) -> None:
        nonlocal gone
        if armed and sql == "COMMIT":
            gone = True
            raise psycopg.OperationalError("planted by a test")

    with PostgresLedger(postgres, connect=faulty(fault, after, store=postgres), wait=0.5) as ledger:
        armed = True
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask())
        assert caught.value.code == "ledger-unknown" and "ask the same question again" in caught.value.fix
        gone = armed = False
        assert ledger.debit(ask()).free  # it was there, and is not charged twice
        assert spent(ledger) == exact("0.1")


def test_a_commit_that_the_server_turned_into_a_rollback_is_no_success(postgres: str) -> None:
    """After an error PostgreSQL answers COMMIT with ROLLBACK, and calls that no error."""
    session = connect(connection.address_of(postgres))
    session.execute("BEGIN")
    with pytest.raises(psycopg.Error):
        session.execute("SELECT 1 / 0")
    with pytest.raises(psycopg.Error):
        session.execute("COMMIT")
    session.close()


def test_a_debit_whose_commit_the_server_turned_into_a_rollback_is_not_acknowledged(postgres: str) -> None:
    class Aborted(Faulty):
        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            if sql == "COMMIT" and armed:
                with contextlib.suppress(psycopg.Error):
                    self._inner.execute("SELECT 1 / 0")
            return super().execute(sql, parameters)

    armed, acknowledged = False, True
    with PostgresLedger(
        postgres, connect=lambda address: Aborted(connect(address), lambda sql: None)
    ) as ledger:
        armed = True
        try:
            ledger.debit(ask())
        except IntegrityFailed:
            acknowledged = False
        armed = False
        assert not acknowledged and kinds(ledger) == []
        assert not ledger.debit(ask()).free


# --- one order of locks -------------------------------------------------------------------------------------------


def until_somebody_waits(store: str) -> None:
    """For a lock."""
    waits = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lapcat' AND wait_event_type = 'Lock'"
    )
    with by_hand_in(store) as by_hand:
        until = time.monotonic() + 60
        while not (by_hand.execute(waits).fetchone() or (0,))[0]:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_nothing_is_read_before_the_head_is_held(postgres: str) -> None:
    """Also not where somebody moves the head without the queue before it: every scope is reached through the head."""
    begun: list[str] = []
    with (
        PostgresLedger(postgres, connect=faulty(begun.append, store=postgres)) as ledger,
        by_hand_in(postgres) as by_hand,
        ThreadPoolExecutor(1) as pool,
    ):
        by_hand.execute("BEGIN")
        by_hand.execute("SELECT id FROM lapcat.head FOR UPDATE")
        begun.clear()
        waiting = pool.submit(ledger.debit, ask())
        until_somebody_waits(postgres)
        before = list(begun)
        by_hand.execute("ROLLBACK")
        assert not waiting.result(60).free
        assert len(before) == 1 and before[0].startswith("BEGIN")


def test_whoever_waited_sees_what_was_spent_meanwhile(postgres: str) -> None:
    """Two machines ask for the rest of a budget at once: one is paid, and the other is refused by the budget, no error."""
    reached, go_on = threading.Event(), threading.Event()

    def hold(sql: str) -> None:
        if sql == "COMMIT" and armed:
            reached.set()
            assert go_on.wait(60)

    armed = False
    with (
        PostgresLedger(postgres, connect=faulty(hold, store=postgres)) as holder,
        PostgresLedger(postgres, wait=60) as other,
        ThreadPoolExecutor(2) as pool,
    ):
        armed = True
        first = pool.submit(holder.debit, ask("a", "2"))
        assert reached.wait(60)
        second = pool.submit(other.debit, ask("b", "2"))
        until_somebody_waits(postgres)
        armed = False
        go_on.set()
        first.result(60)
        refused = second.exception(60)
        assert isinstance(refused, BudgetExceeded) and spent(holder) == 2


# --- a server that stops ------------------------------------------------------------------------------------------


def more_entries(store: str, more: int) -> None:
    """Until others have written so many."""
    with by_hand_in(store) as by_hand:
        before, until = None, time.monotonic() + 60
        while time.monotonic() < until:
            (last,) = by_hand.execute("SELECT id FROM lapcat.head").fetchone() or (0,)
            before = last if before is None else before
            if last >= before + more:
                return
            time.sleep(0.02)
    raise AssertionError("nobody writes")


def test_nothing_is_lost_or_doubled_when_the_server_is_cut_off_under_load(
    postgres: str, cluster: Cluster
) -> None:
    chance = random.Random(8812)
    PostgresLedger(postgres).close()
    running = [worker("hammer", postgres, f"c{i}") for i in range(4)]
    try:
        for _ in range(2):
            more_entries(postgres, 40)
            time.sleep(chance.random() / 5)  # in the middle of whatever they do
            cluster.stop("immediate")
            time.sleep(chance.random() / 2)
            cluster.start()
        more_entries(postgres, 40)
    finally:
        for process in running:
            process.kill()
    lines = [line.split() for process in running for line in process.communicate(timeout=30)[0].splitlines()]
    with PostgresLedger(postgres) as ledger:
        ledger.verify()
        paid = kinds(ledger).count("debit")
        debits = [question for verb, question, _ in lines if verb == "debit"]
        assert len(debits) > 30 and len(set(debits)) == len(debits) <= paid <= len(debits) + len(running)
        assert spent(ledger) == paid * exact("0.001")
        for verb, question, id in lines:
            debit = ledger.find(question, laplace("0.001"))
            assert debit is not None and debit.id == int(id), f"lost: {question}"
            if verb == "answer":
                assert debit.answer == f"answer {question}".encode(), f"lost: {question}"


def test_a_server_that_is_gone_is_said_to_be_and_is_used_again_when_it_is_back(
    postgres: str, cluster: Cluster
) -> None:
    with PostgresLedger(postgres) as ledger:
        finish(ledger, ledger.debit(ask()).id, b"17")
        cluster.stop("immediate")
        try:
            with pytest.raises(IntegrityFailed) as caught:
                ledger.debit(ask("more"))
            assert caught.value.code == "ledger-unreachable" and "psql" in caught.value.fix
            assert code_of(postgres) == "ledger-unreachable"
        finally:
            cluster.start()
        assert ledger.debit(ask()).answer == b"17"
        assert ledger.verify() == 3


@pytest.mark.parametrize("how", ["in its place", "by another server"])
def test_a_server_that_was_restored_from_an_older_copy_is_refused_by_a_process_that_saw_more(
    postgres: str, cluster: Cluster, how: str
) -> None:
    with PostgresLedger(postgres) as ledger:
        ledger.debit(ask("one"))
        ledger.debit(ask("two"))
        older = raw(postgres)
        older.execute("DELETE FROM entries WHERE id = 2")
        older.execute("DELETE FROM debits WHERE id = 2")
        older.execute("UPDATE head SET id = 1, hash = (SELECT hash FROM entries WHERE id = 1)")
        older.execute("UPDATE spent SET epsilon = epsilon / 2, rho = rho / 2")
        older.close()
        if how == "by another server":
            cluster.cut()
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("three"))
        assert caught.value.code == "ledger-replaced" and "entry 2" in caught.value.message


# --- settings, rights, versions -------------------------------------------------------------------------------------


def test_a_commit_is_on_the_disk_before_it_returns_whatever_the_user_s_defaults(postgres: str) -> None:
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("ALTER ROLE steward SET synchronous_commit = off")
    try:
        seen: list[Any] = []
        with PostgresLedger(postgres, connect=lambda to: seen.append(connect(to)) or seen[-1]) as ledger:  # type: ignore[func-returns-value]
            ledger.debit(ask())
            assert seen[0].execute("SHOW synchronous_commit").fetchone() == ("on",)
    finally:
        with by_hand_in(postgres) as by_hand:
            by_hand.execute("ALTER ROLE steward RESET synchronous_commit")


def test_a_setting_that_does_not_take_is_noticed(postgres: str) -> None:
    class Stubborn(Faulty):
        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            return super().execute(
                sql.replace("synchronous_commit = on", "synchronous_commit = off"), parameters
            )

    assert (
        code_of(postgres, connect=lambda to: Stubborn(connect(to), lambda sql: None)) == "ledger-not-durable"
    )


@pytest.fixture
def without_fsync(postgres: str) -> Iterator[str]:
    def set_fsync(value: str) -> None:
        with by_hand_in(postgres) as by_hand:
            by_hand.execute(f"ALTER SYSTEM SET fsync = {value}")
            by_hand.execute("SELECT pg_reload_conf()")
        for _ in range(100):  # the server reads it in its own time
            with by_hand_in(postgres) as by_hand:
                if by_hand.execute("SHOW fsync").fetchone() == (value,):
                    return
            time.sleep(0.05)
        raise AssertionError("fsync was not set")

    set_fsync("off")
    yield postgres
    set_fsync("on")


def test_a_server_that_does_not_sync_is_refused(without_fsync: str) -> None:
    assert code_of(without_fsync) == "ledger-not-durable"


def test_a_database_that_is_not_in_utf_8_is_refused(postgres: str, cluster: Cluster) -> None:
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            assert code_of(cluster.url("latin")) == "ledger-encoding"
        finally:
            by_hand.execute("DROP DATABASE latin")


def test_a_locked_ledger_says_so_after_the_wait_and_spends_nothing(postgres: str) -> None:
    with PostgresLedger(postgres, wait=0.2) as ledger:
        ledger.debit(ask())
        holder = worker("hold", postgres, "60")
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask("other"))
        assert caught.value.code == "ledger-locked" and "0.2 s" in caught.value.message
        assert spent(ledger) == exact("0.1")  # who only reads need not wait
        holder.kill()
        holder.communicate()
        ledger.debit(ask("other"))


def test_a_client_that_hangs_in_the_middle_lets_go_of_the_budget(postgres: str) -> None:
    """The server ends its session; the client, when it wakes, has written nothing."""
    begun = threading.Event()

    class Hanging(Faulty):
        def execute(self, sql: str, parameters: Any = (), /) -> Any:
            if sql == "COMMIT" and begun.is_set():
                time.sleep(1)
            if "FOR UPDATE" in sql:
                assert "session_timeout = '60s'" in sql
                begun.set()
            return super().execute(sql.replace("'60s'", "'300ms'"), parameters)

    with (
        PostgresLedger(postgres, connect=lambda to: Hanging(connect(to), lambda sql: None)) as hanging,
        PostgresLedger(postgres) as other,
    ):
        outcome: list[str] = []

        def debit() -> None:
            with pytest.raises(IntegrityFailed) as caught:
                hanging.debit(ask("hanging"))
            outcome.append(caught.value.code)

        thread = threading.Thread(target=debit)
        thread.start()
        assert begun.wait(30)
        other.debit(ask("other"))
        thread.join()
        assert outcome == ["ledger-unreachable"]
        assert spent(other) == exact("0.1") and other.verify() == 1


def test_somebody_without_rights_is_refused_and_told_who_can_help(postgres: str, cluster: Cluster) -> None:
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("CREATE ROLE reader LOGIN")
    try:
        assert code_of(cluster.url(user="reader")) == "ledger-read-only"  # nobody has made a ledger yet
        PostgresLedger(postgres).close()
        with pytest.raises(IntegrityFailed) as caught:
            PostgresLedger(cluster.url(user="reader"))
        assert caught.value.code == "ledger-read-only"
        grant = shlex.split(caught.value.fix)[-1]  # psql 'dbname=… host=…' -c 'GRANT …'
        with by_hand_in(postgres) as by_hand:
            by_hand.execute(grant)
        with PostgresLedger(cluster.url(user="reader")) as ledger:
            ledger.debit(ask())
            with pytest.raises(psycopg.Error), by_hand_in(cluster.url(user="reader")) as by_hand:
                by_hand.execute("UPDATE lapcat.entries SET body = '{}'")
            assert ledger.verify() == 1
    finally:
        with by_hand_in(postgres) as by_hand:
            by_hand.execute("DROP OWNED BY reader; DROP ROLE reader")


@pytest.mark.parametrize(
    ("start", "error", "expected"),
    [
        (
            "BEGIN",
            psycopg.errors.ReadOnlySqlTransaction,
            "ledger-read-only",
        ),  # as a copy of the server says it
        ("BEGIN", psycopg.errors.LockNotAvailable, "ledger-locked"),
        ("INSERT INTO entries", psycopg.errors.DiskFull, "ledger-disk-full"),
        ("UPDATE head", psycopg.errors.IoError, "ledger-disk-failed"),
        ("INSERT INTO debits", psycopg.errors.DataCorrupted, "ledger-damaged"),
        ("COMMIT", psycopg.errors.AdminShutdown, "ledger-unreachable"),
        ("COMMIT", psycopg.errors.DiskFull, "ledger-disk-full"),
    ],
)
def test_a_write_that_failed_leaves_nothing_and_can_be_repeated(
    postgres: str, start: str, error: type[psycopg.Error], expected: str
) -> None:
    fault = Once(start, error(PASSWORD))
    with PostgresLedger(postgres, connect=faulty(fault, store=postgres)) as ledger:
        fault.armed = True
        with pytest.raises(IntegrityFailed) as caught:
            ledger.debit(ask())
        assert caught.value.code == expected and caught.value.fix and PASSWORD not in str(caught.value)
        assert kinds(ledger) == []
        assert not ledger.debit(ask()).free and ledger.verify() == 1


def test_a_schema_that_is_no_ledger_is_refused_and_left_alone(postgres: str) -> None:
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("CREATE SCHEMA lapcat; CREATE TABLE lapcat.cats (weight real)")
    assert code_of(postgres) == "ledger-damaged"
    with by_hand_in(postgres) as by_hand:
        assert by_hand.execute("SELECT count(*) FROM pg_class WHERE relname = 'cats'").fetchone() == (1,)


def test_a_ledger_of_a_newer_lapcat_is_refused(postgres: str) -> None:
    PostgresLedger(postgres).close()
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("UPDATE lapcat.about SET schema_version = 99")
    assert code_of(postgres) == "ledger-newer"


def test_an_older_ledger_is_taken_over_by_the_first_client_and_every_entry_stays(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PostgresLedger(postgres) as ledger:
        finish(ledger, ledger.debit(ask()).id, b"17")
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("UPDATE lapcat.about SET schema_version = 98")
    monkeypatch.setitem(schema.MIGRATIONS, 98, ("CREATE TABLE lapcat.novelty (id bigint)",))
    monkeypatch.setattr("lapcat.ledger.postgres.opening.SCHEMA_VERSION", 99)
    with PostgresLedger(postgres) as ledger, PostgresLedger(postgres):
        assert ledger.debit(ask()).answer == b"17" and ledger.verify() == 3
    with by_hand_in(postgres) as by_hand:
        assert by_hand.execute("SELECT schema_version FROM lapcat.about").fetchall() == [(99,)]
        assert by_hand.execute("SELECT count(*) FROM lapcat.novelty").fetchone() == (0,)


def test_a_ledger_of_schema_3_is_taken_over_and_written_on(postgres: str) -> None:
    """There an entry had to follow the head, and so each needed a statement of its own."""
    with PostgresLedger(postgres) as ledger:
        ledger.debit(ask("before"))
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("UPDATE lapcat.about SET schema_version = 3")
        by_hand.execute(
            """CREATE OR REPLACE FUNCTION lapcat.appended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NOT EXISTS (SELECT FROM lapcat.head WHERE id = NEW.id - 1 AND hash = NEW.previous) THEN
                    RAISE EXCEPTION 'entries are appended' USING ERRCODE = 'integrity_constraint_violation';
                END IF;
                RETURN NEW;
            END $$"""
        )
    with PostgresLedger(postgres) as ledger:
        finish(ledger, ledger.debit(ask("after")).id)
        assert ledger.debit(ask("before")).free and ledger.verify() == 4
    with by_hand_in(postgres) as by_hand:
        versions = by_hand.execute("SELECT schema_version FROM lapcat.about").fetchall()
        assert versions == [(schema.SCHEMA_VERSION,)]


def test_a_guard_that_was_taken_away_is_named(postgres: str) -> None:
    with PostgresLedger(postgres) as ledger:
        ledger.debit(ask())
        with by_hand_in(postgres) as by_hand:
            by_hand.execute("ALTER TABLE lapcat.entries DISABLE TRIGGER entries_are_never_changed")
        with pytest.raises(IntegrityFailed, match="entries_are_never_changed"):
            ledger.verify()


def test_a_policy_that_hides_what_was_spent_is_an_error(postgres: str, cluster: Cluster) -> None:
    PostgresLedger(postgres).close()
    with by_hand_in(postgres) as by_hand:
        by_hand.execute("CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA lapcat TO clerk")
        by_hand.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lapcat TO clerk")
    try:
        with PostgresLedger(cluster.url(user="clerk")) as ledger:
            ledger.debit(ask())  # who may write the tables needs no more
        with by_hand_in(postgres) as by_hand:
            by_hand.execute("ALTER TABLE lapcat.spent ENABLE ROW LEVEL SECURITY")
        with pytest.raises(IntegrityFailed) as caught:
            PostgresLedger(cluster.url(user="clerk"))
        assert caught.value.code == "ledger-read-only"
    finally:
        with by_hand_in(postgres) as by_hand:
            by_hand.execute("DROP OWNED BY clerk; DROP ROLE clerk")


# --- passwords and names --------------------------------------------------------------------------------------------


def guard(store: str) -> None:
    with by_hand_in(store) as by_hand:
        by_hand.execute("DROP ROLE IF EXISTS guarded")
        by_hand.execute(f"CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '{PASSWORD}'")


def test_a_password_in_the_address_opens_and_is_never_shown(postgres: str, cluster: Cluster) -> None:
    guard(postgres)
    address = cluster.url(user=f"guarded:{PASSWORD}")
    with PostgresLedger(address) as ledger:
        ledger.debit(ask())
        assert PASSWORD not in repr(ledger) + ledger.place + "".join(entry.text for entry in ledger.entries())
    with pytest.raises(IntegrityFailed) as caught:
        PostgresLedger(address.replace(PASSWORD, f"not-{PASSWORD}"))
    assert caught.value.code == "ledger-unreachable"
    error: BaseException | None = caught.value
    while error is not None:  # nor in anything that hangs on the error
        assert PASSWORD not in f"{error!s} {error!r}"
        error = error.__cause__ or error.__context__


def test_a_password_from_the_environment_opens(
    postgres: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard(postgres)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with PostgresLedger(cluster.url(user="guarded")) as ledger:
        ledger.debit(ask())


def test_an_address_that_cannot_be_read_is_refused_without_showing_it() -> None:
    with pytest.raises(BadArgument) as caught:
        PostgresLedger(f"postgresql://ana:{PASSWORD}@[half/books")
    assert caught.value.code == "ledger-address" and caught.value.__context__ is None
    assert PASSWORD not in str(caught.value) and "half" not in str(caught.value)


@pytest.mark.parametrize("name", ["a\0b", "caf\udce9"])
def test_a_name_that_postgresql_cannot_store_is_refused_and_hurts_nobody_else(
    postgres: str, name: str
) -> None:
    with PostgresLedger(postgres) as ledger:
        with pytest.raises(BadArgument) as caught:
            ledger.refreshed(name, {})
        assert caught.value.code == "ledger-text"
        ledger.debit(ask())
        assert kinds(ledger) == ["debit"] and ledger.verify() == 1


def test_names_in_any_script_are_kept_apart(postgres: str) -> None:
    with PostgresLedger(postgres) as ledger:
        for version, name in enumerate(["café", "cafe\u0301", "CAFÉ", "猫", "%?'\"\\"]):
            for _ in range(version + 1):
                ledger.refreshed(name, {})
        assert [ledger.version(name) for name in ["café", "cafe\u0301", "CAFÉ", "猫", "%?'\"\\"]] == [
            1,
            2,
            3,
            4,
            5,
        ]
        assert ledger.verify() == 15


def test_several_ledgers_of_one_process_spend_one_budget(postgres: str) -> None:
    with PostgresLedger(postgres) as first, PostgresLedger(postgres) as other:
        assert first.secret() == other.secret()
        first.debit(ask("one", "0.5"))
        assert other.debit(ask("one", "0.5")).free and spent(other, STAFF) == exact("0.5")


def test_importing_the_ledger_needs_no_driver() -> None:
    code = "import sys, lapcat.ledger, lapcat.session; print('psycopg' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "False\n"


def test_the_tests_own_server_is_gone_however_they_end() -> None:
    script = "from tests.postgres_cluster import Cluster; print(Cluster().folder, flush=True); input()"
    running = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert running.stdout is not None
    folder = Path(running.stdout.readline().strip())
    assert (folder / "data" / "postmaster.pid").exists()
    running.kill()
    running.communicate()
    until = time.monotonic() + 30
    while folder.exists():
        assert time.monotonic() < until, "the server outlives the tests"
        time.sleep(0.05)
