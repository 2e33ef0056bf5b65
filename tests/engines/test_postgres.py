"""PostgreSQL as a home of tables: rights, sessions that end in time, snapshots, and a server that stops in the middle."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest

import lapcat
from lapcat.engines.backends import backend_of, parse_source
from lapcat.engines.base.engine import FIRST, Attempt, OpenTable, Settings
from lapcat.engines.base.sources import Source
from lapcat.engines.base.weights import declared_ready
from lapcat.engines.postgres import connection as postgres_connection
from lapcat.engines.postgres import engine as engine_module
from lapcat.engines.postgres.connection import in_session
from lapcat.engines.postgres.engine import PostgresEngine
from lapcat.engines.postgres.snapshots import SCHEMA, write_snapshot
from lapcat.engines.reference import contribution, rank_rows, weighted
from lapcat.engines.values import coerce, secret
from lapcat.errors import BadQuery, EngineFailed, Refused
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import Group, GroupKey, Kind, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Type
from lapcat.session.files import open_deployment, refresh
from lapcat.session.stored_snapshots import kept_snapshots, prune
from tests.docs.pages import ROOT, blocks_of
from tests.engines.holding import KEY, declared, looked, scan
from tests.engines.hostile import TYPES, hostile_rows
from tests.engines.on_postgres import PHYSICAL as PHYSICAL_TYPES
from tests.engines.on_postgres import address, held_rows, put, tell
from tests.postgres_cluster import Cluster
from tests.support import deploy, resume_all

CANARY = "kanarienvogel"
STAFF = [
    {"person_id": n % 40, "region": ("north", "south", None, CANARY)[n % 4], "salary": 1000.0 * (n % 90)}
    for n in range(200)
]
PHYSICAL = {"person_id": "integer", "region": "text", "salary": "double precision"}
CATALOGUE = """
[tables.staff]
source = "SOURCE"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 9 }
[tables.staff.columns]
person_id = { type = "integer" }
region = { type = "text", keys = ["north", "south"] }
salary = { type = "float", low = 0, high = 200000 }
"""
QUESTION = "SELECT region, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY region"


@pytest.fixture
def staff(cluster: Cluster) -> Source:
    tell(cluster, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    return put(cluster, STAFF, PHYSICAL, "staff")


@pytest.fixture
def deployed(cluster: Cluster, staff: Source, tmp_path: Path) -> Path:
    """A catalogue over the table, refreshed."""
    path = tmp_path / "lapcat.toml"
    path.write_text(CATALOGUE.replace("SOURCE", address(cluster, "staff")), encoding="utf-8")
    deployment = open_deployment(path)
    deployment.require_acceptance()
    assert refresh(deployment, "staff") == 1
    return path


# ------------------------------------------------------------------------------------------------ rights


def test_the_grants_of_the_page_are_enough_and_no_more(cluster: Cluster, tmp_path: Path) -> None:
    """What docs/howto/postgresql.md says is pasted; then a steward refreshes and a reader asks."""
    tell(cluster, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    put(cluster, STAFF, PHYSICAL, "staff")
    tell(cluster, f"DROP SCHEMA {SCHEMA}")
    for role in ("lapcat_steward", "lapcat_reader"):
        if tell(cluster, f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            tell(cluster, f"DROP OWNED BY {role}; DROP ROLE {role}")
    (grants,) = [
        block.text for block in blocks_of(ROOT / "docs/howto/postgresql.md") if "CREATE ROLE" in block.text
    ]
    tell(cluster, grants)
    path = tmp_path / "lapcat.toml"

    def as_user(user: str) -> lapcat.Session:
        url = f"{cluster.url(user=user)}#public.staff"
        path.write_text(CATALOGUE.replace("SOURCE", url), encoding="utf-8")
        return lapcat.open(path)

    as_user("lapcat_steward")
    refresh(open_deployment(path), "staff")
    reader = as_user("lapcat_reader")  # another user: nothing to accept, nothing reset
    assert len(reader.sql(QUESTION).run(epsilon=1)) == 2
    with pytest.raises(EngineFailed) as denied:
        refresh(open_deployment(path), "staff")
    assert denied.value.code in ("snapshot-schema", "server-denied")
    with psycopg.connect(cluster.url(user="lapcat_reader"), autocommit=True) as connection:
        for forbidden in (
            "SELECT * FROM public.staff",
            f"CREATE TABLE {SCHEMA}.mine (n int)",
            "CREATE TABLE public.mine (n int)",
            f'DELETE FROM {SCHEMA}."{tables_in(cluster)[0]}"',
        ):
            with pytest.raises(psycopg.Error) as refused:
                connection.execute(forbidden.encode())
            assert refused.value.sqlstate in ("42501", "25006")
    ledger_bytes = (tmp_path / "lapcat.ledger").read_bytes()
    assert b"lapcat_reader" not in ledger_bytes and b"lapcat_steward" not in ledger_bytes


def tables_in(cluster: Cluster) -> list[str]:
    rows = tell(cluster, f"SELECT tablename FROM pg_tables WHERE schemaname = '{SCHEMA}' ORDER BY 1")
    return [str(name) for (name,) in rows]


def test_a_source_s_identity_and_messages_name_no_user(cluster: Cluster) -> None:
    here = parse_source("postgresql://ana@DB.example.:5432/company#hr.staff", Path())
    there = parse_source("postgresql://bob@db.example/company?sslmode=require#hr.staff", Path())
    assert here.identity(Path()) == there.identity(Path()) == "postgresql://db.example:5432/company#hr.staff"
    assert "ana" not in repr(here) and "ana" not in here.name
    for local in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST"):
        source = parse_source(f"postgresql://{local}/company#staff", Path())
        assert source.identity(Path()) == "postgresql://localhost:5432/company#public.staff"
    for elsewhere in ("service=other", "dbname=other", "hostaddr=10.0.0.1", "options=-c%20x", "user=bob"):
        with pytest.raises(BadQuery) as unknown:
            parse_source(f"postgresql://db.example/company?{elsewhere}#staff", Path())
        assert unknown.value.code == "source-unknown"
    assert parse_source("postgresql://a/c?host=/run/pg#t", Path()).server == "postgresql:///run/pg:5432/c"
    for url in ("postgresql://ana:geheim@h/d#t", "postgresql://h/d?password=geheim#t"):
        with pytest.raises(BadQuery) as refusal:
            parse_source(url, Path())
        assert refusal.value.code == "source-password" and "geheim" not in str(refusal.value.as_json())


@pytest.mark.parametrize(
    "url", ["postgresql://ana@127.0.0.1:1/company#staff", "postgresql://ana@nowhere.invalid/c#staff"]
)
def test_a_server_that_is_not_there_is_told_in_words_that_hold_nothing(url: str) -> None:
    with pytest.raises(EngineFailed) as failure:
        backend_of(parse_source(url, Path())).describe(parse_source(url, Path()))
    shown = f"{failure.value}{failure.value.as_json()}"
    assert failure.value.code == "server-unreachable"
    assert not [word for word in ("ana", "127.0.0.1", "nowhere", "company") if word in shown]
    assert failure.value.__context__ is None and failure.value.__cause__ is None


def test_a_table_that_is_not_there_is_said_so(cluster: Cluster, staff: Source) -> None:
    missing = parse_source(address(cluster, "Staff"), Path())
    with pytest.raises(BadQuery) as refusal:
        backend_of(missing).describe(missing)
    assert refusal.value.code == "source-table"


def test_a_session_may_write_nothing_and_finds_no_function_of_others(cluster: Cluster, staff: Source) -> None:
    tell(cluster, "CREATE OR REPLACE FUNCTION public.abs(double precision) RETURNS double precision LANGUAGE sql AS 'SELECT 1.0::float8'")  # fmt: skip
    try:
        for forbidden in (
            "CREATE TABLE public.mine (n int)",
            "DELETE FROM public.staff",
            "SELECT nextval('x')",
        ):
            with pytest.raises((EngineFailed, BadQuery)):
                in_session(staff, Settings(), lambda c, sql=forbidden: c.execute(sql.encode()))  # type: ignore[misc]
        value = in_session(staff, Settings(), lambda c: c.execute(b"SELECT abs(-3.0::float8)").fetchone())
        assert value == (3.0,)
        assert tell(cluster, "SELECT count(*) FROM public.staff") == [(len(STAFF),)]
    finally:
        tell(cluster, "DROP FUNCTION public.abs(double precision)")


def test_rows_that_a_policy_would_hide_make_the_steward_s_statement_fail(
    cluster: Cluster, staff: Source
) -> None:
    tell(cluster, "DROP ROLE IF EXISTS limited")
    tell(
        cluster,
        f"CREATE ROLE limited LOGIN; GRANT SELECT ON staff TO limited; GRANT ALL ON SCHEMA {SCHEMA} TO limited",
    )
    tell(
        cluster,
        "ALTER TABLE staff ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON staff USING (person_id < 5)",
    )
    limited = parse_source(f"{cluster.url(user='limited')}#staff", Path())
    try:
        with pytest.raises(EngineFailed) as refusal:
            write_snapshot(limited, declared({"person_id": Type.INTEGER}), Path("limited.1"), KEY)
        assert refusal.value.code == "server-row-security" and "BYPASSRLS" in refusal.value.fix
    finally:
        tell(cluster, "DROP TABLE staff; DROP OWNED BY limited; DROP ROLE limited")


# ------------------------------------------------------------------------------------------------ beside other engines

BESIDE = """
[tables.cats]
source = "cats.parquet"
unit = "row"
budget = { epsilon = 9 }
[tables.cats.columns]
region = { type = "text", keys = ["north", "south"] }

[tables.visits]
source = "visits.parquet"
unit = { column = "badge", through = "badges.badge" }
rows_per_unit = 3
budget = { epsilon = 9 }
[tables.visits.columns]
badge = { type = "integer" }

[tables.badges]
source = "BADGES"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 9 }
[tables.badges.columns]
badge = { type = "integer", unique = true }
person_id = { type = "integer" }

[tables.regions]
public = true
source = "regions.csv"
[tables.regions.columns]
region = { type = "text", unique = true }
country = { type = "text" }
"""


def test_a_question_reads_tables_of_one_engine(cluster: Cluster, staff: Source, tmp_path: Path) -> None:
    badges: list[dict[str, object]] = [{"badge": n, "person_id": n % 7} for n in range(30)]
    put(cluster, badges, {"badge": "integer", "person_id": "integer"}, "badges")
    text = (CATALOGUE + BESIDE).replace("SOURCE", address(cluster, "staff"))
    path = deploy(
        tmp_path,
        text.replace("BADGES", address(cluster, "badges")),
        {
            "cats.parquet": {"region": ["north", "south"]},
            "visits.parquet": {"badge": [1, 2, 3]},
            "regions.csv": {"region": ["north", "south"], "country": ["x", "y"]},
        },
        refreshed=["staff", "badges", "cats", "regions"],
    )
    db = lapcat.open(path)
    for table in ("staff", "cats"):
        assert len(db.sql(f"SELECT COUNT(*) AS n FROM {table}").run(epsilon=1)) == 1
    across = (
        "SELECT COUNT(*) AS n FROM staff JOIN regions ON staff.region = regions.region WHERE country = 'x'"
    )
    before = db.budget().as_json()
    with pytest.raises(BadQuery) as refusal:
        db.sql(across).run(epsilon=1)
    assert refusal.value.code == "engines-differ" and refusal.value.fix
    assert db.budget().as_json() == before
    with pytest.raises(BadQuery) as way:
        refresh(open_deployment(path), "visits")
    assert way.value.code == "engines-differ"


# ------------------------------------------------------------------------------------------------ time


@contextmanager
def locked(cluster: Cluster, table: str) -> Iterator[None]:
    """Nobody else can read the table meanwhile."""
    with psycopg.connect(cluster.url()) as holder:
        holder.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        yield


def waiting(cluster: Cluster) -> int:
    """The process that works for lapcat and waits for a lock, as soon as there is one."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        rows = tell(
            cluster,
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'lapcat' AND wait_event_type = 'Lock'",
        )
        if rows:
            return int(rows[0][0])
        time.sleep(0.02)
    raise AssertionError("nobody waits")


def test_the_server_stops_a_statement_that_takes_too_long(cluster: Cluster, staff: Source) -> None:
    with locked(cluster, "staff"), pytest.raises(EngineFailed) as slow:
        in_session(staff, Settings(), lambda c: c.execute(b"SELECT count(*) FROM public.staff"), seconds=1)
    assert slow.value.code == "server-slow"


def at_work(cluster: Cluster) -> int:
    """How many statements of lapcat's run on the server."""
    rows = tell(
        cluster,
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lapcat' AND query LIKE '%pg_sleep%'",
    )
    return int(rows[0][0])


def until(cluster: Cluster, statements: int) -> None:
    end = time.monotonic() + 300
    while at_work(cluster) != statements:
        assert time.monotonic() < end, "a statement went on after it was given up, or never began"
        time.sleep(0.02)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_the_statement_on_the_server(cluster: Cluster, staff: Source) -> None:
    def press() -> None:
        until(cluster, 1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        in_session(staff, Settings(), lambda c: c.execute(b"SELECT pg_sleep(3600)"), seconds=None)
    presser.join(300)
    until(cluster, 0)


def test_the_client_s_deadline_stops_the_statement_on_the_server(
    cluster: Cluster, staff: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the server's own limit does not."""
    monkeypatch.setattr(postgres_connection, "GRACE", 1)

    def endless(connection: Any) -> None:
        connection.execute(b"SET statement_timeout = 0")
        connection.execute(b"SELECT pg_sleep(3600)")

    with pytest.raises(EngineFailed) as slow:
        in_session(staff, Settings(), endless, seconds=1)
    assert slow.value.code in ("server-slow", "server-unreachable")
    until(cluster, 0)


def test_a_server_that_does_not_react_is_not_waited_for(
    cluster: Cluster, staff: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_connection, "GRACE", 1)
    if os.geteuid() != 0:
        pytest.skip("impossible here: only root may stop a process of the server")
    stopped: list[int] = []

    def freeze() -> None:
        stopped.append(waiting(cluster))
        os.kill(stopped[0], signal.SIGSTOP)

    freezer = threading.Thread(target=freeze)
    with locked(cluster, "staff"):
        freezer.start()
        try:
            with pytest.raises(EngineFailed) as failure:
                in_session(
                    staff, Settings(), lambda c: c.execute(b"SELECT count(*) FROM public.staff"), seconds=5
                )
            assert failure.value.code == "server-unreachable"
        finally:
            freezer.join(300)
            for process in stopped:
                os.kill(process, signal.SIGCONT)


def test_a_server_that_is_down_is_found_out_before_anything_is_paid(cluster: Cluster, deployed: Path) -> None:
    db = lapcat.open(deployed)
    question = db.sql(QUESTION)
    kinds = [entry.kind for entry in db._deployment.ledger.entries()]
    cluster.stop()
    try:
        with pytest.raises(EngineFailed) as away:
            question.run(epsilon=1)
    finally:
        cluster.start()
    assert away.value.code == "server-unreachable"
    assert [entry.kind for entry in db._deployment.ledger.entries()] == kinds, "no debit, no failure"
    assert db.budget().paused == {}
    assert len(question.run(epsilon=1)) == 2


def test_a_second_try_has_no_parallel_workers(
    cluster: Cluster, staff: Source, deployed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, ...]] = []
    honest = engine_module._fetched

    def fetched(connection: Any, statement: Any) -> Any:
        names = ("max_parallel_workers_per_gather", "statement_timeout")
        seen.append(tuple(connection.execute(f"SHOW {name}".encode()).fetchone()[0] for name in names))
        if len(seen) == 1:
            raise psycopg.errors.OutOfMemory
        return honest(connection, statement)

    monkeypatch.setattr(engine_module, "_fetched", fetched)
    assert len(lapcat.open(deployed).sql(QUESTION).run(epsilon=1, timeout=600)) == 2
    assert len(seen) == 2 and seen[1][0] == "0" and seen[0][0] != "0"


def test_a_server_that_stops_in_the_middle_costs_no_second_charge(
    cluster: Cluster, deployed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The debit stands, the same question finishes under it, and the message holds nothing of the rows."""
    db = lapcat.open(deployed)
    question = db.sql(QUESTION)
    table = f'{SCHEMA}."{tables_in(cluster)[0]}"'
    honest = PostgresEngine.execute

    def stopped(engine: PostgresEngine, plan: Group, attempt: Attempt = FIRST) -> Any:
        if attempt.sparing:  # there is no server any more
            return honest(engine, plan, attempt)

        def pull() -> None:
            waiting(cluster)
            cluster.stop("immediate")

        puller = threading.Thread(target=pull)
        try:
            with locked(cluster, table):
                puller.start()
                return honest(engine, plan)
        finally:
            puller.join(300)

    monkeypatch.setattr(PostgresEngine, "execute", stopped)
    try:
        with pytest.raises((EngineFailed, psycopg.OperationalError)) as failure:
            question.run(epsilon=1)
    finally:
        monkeypatch.undo()
        cluster.start()
    assert isinstance(failure.value, EngineFailed) and failure.value.code == "engine-failed"
    shown = f"{failure.value}{failure.value.as_json()}"
    assert CANARY not in shown and "north" not in shown and str(cluster.folder) not in shown
    assert failure.value.__context__ is None
    spent = db.budget().as_json()["tables"]["staff"]["spent"]
    assert Fraction(spent["epsilon"]) == 1
    resume_all(deployed)
    answer = question.run(epsilon=1)
    assert len(answer) == 2
    assert db.budget().as_json()["tables"]["staff"]["spent"] == spent
    assert str(cluster.folder) not in str(answer.receipt.as_json()).replace(
        f"postgresql://{cluster.folder}", ""
    )


# ------------------------------------------------------------------------------------------------ snapshots


def test_a_refused_refresh_leaves_nothing_behind(cluster: Cluster, staff: Source) -> None:
    table = declared({"person_id": Type.INTEGER, "region": Type.TEXT})
    unique = {**table.columns, "region": ColumnSpec("region", Type.TEXT, unique=True)}
    broken = type(table)(
        "t", "t", table.unit, table.relation, table.limit, unique, table.units, table.rows_per_unit
    )
    with pytest.raises(Refused) as refusal:
        write_snapshot(staff, broken, Path("broken.1"), KEY)
    assert refusal.value.code == "key-not-unique"
    assert tables_in(cluster) == []


def test_refresh_removes_the_snapshots_before_the_last_but_one(cluster: Cluster, deployed: Path) -> None:
    """Questions that were being asked when a version was declared still find theirs."""
    deployment = open_deployment(deployed)
    first = set(tables_in(cluster))
    assert len(first) == 1 and refresh(deployment, "staff") == 2
    assert first < set(tables_in(cluster)) and len(tables_in(cluster)) == 2
    for version in (3, 4):
        assert refresh(deployment, "staff") == version
        assert len(tables_in(cluster)) == 2 and not first & set(tables_in(cluster))
    assert len(lapcat.open(deployed).sql(QUESTION).run(epsilon=1)) == 2


def test_another_ledger_over_the_same_table_has_snapshots_of_its_own(
    cluster: Cluster, deployed: Path, tmp_path: Path
) -> None:
    """What is version 1 to one ledger may be other rows to another."""
    own = set(tables_in(cluster))
    for version in (1, 2, 3):
        tell(cluster, "DELETE FROM staff")
        deploy(tmp_path / "other", deployed.read_text("utf-8"), {}, refreshed=["staff"])
        assert len(set(tables_in(cluster)) - own) == min(version, 2)
    assert own < set(tables_in(cluster))
    assert lapcat.open(deployed).sql(QUESTION).run(epsilon=9)["n"][0] > 10  # of 30; and none in the other


def test_pruning_leaves_the_declared_version_and_what_this_ledger_does_not_know(
    cluster: Cluster, deployed: Path, tmp_path: Path
) -> None:
    """On a server a snapshot that this ledger does not know may belong to a catalogue elsewhere."""
    deployment = open_deployment(deployed)
    assert refresh(deployment, "staff") == 2
    deploy(tmp_path / "other", deployed.read_text("utf-8"), {}, refreshed=["staff"])
    states = {kept.name: str(kept.state) for kept in kept_snapshots(deployment)}
    assert sorted(states.values()) == ["current", "not of this ledger", "old"]
    assert [str(kept.state) for kept in prune(deployment)] == ["old"]
    assert sorted(tables_in(cluster)) == sorted(name for name in states if states[name] != "old")
    (unknown,) = (name for name in states if states[name] == "not of this ledger")
    assert [kept.name for kept in prune(deployment, [unknown])] == [unknown]
    assert len(tables_in(cluster)) == 1 and len(lapcat.open(deployed).sql(QUESTION).run(epsilon=1)) == 2


def test_a_snapshot_is_logged_and_nobody_else_s_and_replaced_wholly(cluster: Cluster, staff: Source) -> None:
    table = declared({"person_id": Type.INTEGER, "salary": Type.FLOAT}, unit="person_id")
    for _ in range(2):
        size = write_snapshot(staff, table, Path("staff.1"), KEY)
        assert (size.rows, size.units) == (200, 40)
    rows = tell(cluster, "SELECT relpersistence, relacl::text FROM pg_class WHERE relname = 'staff.1'")
    assert len(rows) == 1 and rows[0][0] == "p"
    assert "=r/" not in re.sub(r"steward=", "", str(rows[0][1]))


def test_ranks_and_weights_are_those_of_the_specification(cluster: Cluster) -> None:
    rows = held_rows(hostile_rows(150))
    bounded = {name: ColumnSpec(name, kind) for name, kind in TYPES.items()}
    bounded["x"] = ColumnSpec("x", Type.FLOAT, Bounds(Fraction(-5), Fraction(110)))
    table = replace(declared(TYPES, unit="who"), columns=bounded)
    source = put(cluster, rows, {name: PHYSICAL_TYPES[kind] for name, kind in TYPES.items()}, "ranked")
    write_snapshot(source, table, Path("ranked.1"), KEY)
    answer = tell(
        cluster,
        "SELECT n, _lapcat_unit, _lapcat_rank, _lapcat_rows, _lapcat_weight, _lapcat_weighed_x "
        f'FROM {SCHEMA}."ranked.1" ORDER BY n',
    )
    ready = declared_ready([*bounded.values()], table.rows_per_unit)
    assert ready is not None
    held, sizes = ready.sums["x"], Counter(row["who"] for row in rows)
    expected = []
    for row, rank in zip(rows, rank_rows(rows, "who", TYPES, KEY), strict=True):
        if row["who"] is not None:
            weight = (table.rows_per_unit, sizes[row["who"]])
            adds = None if coerce(row["x"], Type.FLOAT) is None else weighted(contribution(held, row), weight)
            expected.append(
                (row["n"], row["who"], rank, weight[1], weighted(ready.unit_weight, weight), adds)
            )
    assert answer == sorted(expected)


def test_the_key_that_orders_rows_stands_in_no_statement(
    cluster: Cluster, staff: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a server logs of statements (log_statement, pg_stat_statements) and of their parameters would hold it."""
    sent: list[str] = []
    honest = psycopg.Connection.execute

    def heard(self: Any, query: Any, params: Any = None, **options: Any) -> Any:
        sent.append(f"{query!r} {params!r}")
        return honest(self, query, params, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", heard)
    table = declared({"person_id": Type.INTEGER, "salary": Type.FLOAT}, unit="person_id")
    write_snapshot(staff, table, Path("staff.1"), KEY)
    assert any("CREATE TABLE" in each and "md5" in each.lower() for each in sent)
    assert not [each for each in sent if secret(KEY) in each or KEY.hex() in each]
    assert tables_in(cluster) == ["staff.1"], "what held it is gone"


def test_a_snapshot_of_another_declaration_is_not_read(cluster: Cluster, staff: Source) -> None:
    written = declared({"person_id": Type.INTEGER}, unit="person_id")
    asked = declared({"person_id": Type.INTEGER, "region": Type.TEXT}, unit="person_id")
    write_snapshot(staff, written, Path("staff.1"), KEY)
    plan = Group(scan(asked), (), (Statistic(Kind.ROWS),))
    for name, code in (("staff.1", "snapshot-stale"), ("staff.2", "snapshot-missing")):
        engine = PostgresEngine({"t": OpenTable(asked, staff, Path(name))}, Settings())
        with pytest.raises((BadQuery, EngineFailed)) as refusal:
            engine.ready(plan)
        assert refusal.value.code == code


def test_different_spellings_of_a_number_are_one_unit(cluster: Cluster) -> None:
    rows: list[dict[str, object]] = [
        {"who": text, "n": n} for n, text in enumerate(("1", "1.0", "1.00", "2"))
    ]
    source = put(cluster, rows, {"who": "numeric", "n": "bigint"}, "spelled")
    table = declared({"n": Type.INTEGER}, unit="who")
    assert write_snapshot(source, table, Path("spelled.1"), KEY).units == 2


def test_many_columns_and_long_names_are_told_apart(cluster: Cluster) -> None:
    """A function takes a hundred arguments at most, and a name has 63 bytes: more are cut off without a word."""
    names = [f"{'é' * 28}{n:03}" for n in range(150)]
    rows = [{name: row * (1 + n) for n, name in enumerate(names)} for row in range(6)]
    source = put(cluster, rows, dict.fromkeys(names, "bigint"), "broad")
    table = declared(dict.fromkeys(names, Type.INTEGER), unit=names[0])
    write_snapshot(source, table, Path("broad.1"), KEY)
    engine = PostgresEngine({"t": OpenTable(table, source, Path("broad.1"))}, Settings())
    keys = tuple(GroupKey(f"k{n}", Column(names[n], Type.INTEGER), (5 * (1 + n),)) for n in (1, 2))
    assert looked(engine, Group(scan(table), keys, (Statistic(Kind.ROWS),))).tolist() == [[1]]


# ------------------------------------------------------------------------------------------------ physical types

VALUES: dict[str, list[str]] = {
    "smallint": ["-32768", "32767", "0", "1"],
    "integer": ["-2147483648", "7"],
    "bigint": ["-9223372036854775808", "9223372036854775807", "1"],
    "numeric": ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "9223372036854775807", "9223372036854775808",
                "0.5", "1.0", "0", "-0.001", "99999999999999999999999999999999999999999999"],
    "real": ["NaN", "Infinity", "-Infinity", "1e38", "1e-45", "0.1", "1", "-0"],
    "double precision": ["NaN", "Infinity", "-Infinity", "1e308", "5e-324", "9223372036854775807", "9.2e18", "-0", "1"],
    "text": ["", "x", " 12 ", "1e999", "-1e-999", "2020-02-30", "0000-01-01", "true", "ÿ"],
    "character varying(9)": ["12", "ab"],
    "character(5)": ["12", "ab   "],
    "name": ["abc"],
    "uuid": ["00000000-0000-0000-0000-00000000000a"],
    "json": ['{"a": 1}', "null", "12"],
    "jsonb": ['{"a": 1}', "12"],
    "boolean": ["true", "false"],
    "date": ["infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "0001-01-01", "9999-12-31", "10000-01-01"],
    "timestamp": ["infinity", "-infinity", "4713-01-01 00:00:00 BC", "294276-12-31 23:59:59.999999", "0001-01-01 00:00:00"],
    "timestamptz": ["infinity", "-infinity", "4713-01-02 00:00:00+14 BC", "294276-12-31 00:00:00-12", "2020-01-01 00:00:00+05"],
    "money": ["12.5"], "interval": ["1 day"], "bytea": ["\\x00"], "integer[]": ["{1,2}"], "time": ["12:00"], "inet": ["::1"],
}  # fmt: skip
NEVER = ("money", "interval", "bytea", "integer[]", "time", "inet")


def test_no_physical_value_makes_a_refresh_fail(cluster: Cluster) -> None:
    tell(cluster, "DROP TYPE IF EXISTS mood CASCADE; DROP DOMAIN IF EXISTS small CASCADE")
    tell(cluster, "CREATE TYPE mood AS ENUM ('sad', '12'); CREATE DOMAIN small AS integer CHECK (VALUE < 10)")
    asked = 0
    for physical, texts in {**VALUES, "mood": ["sad", "12"], "small": ["1", "-5"]}.items():
        rows: list[dict[str, object]] = [{"v": text} for text in [*texts, None]]
        source = put(cluster, rows, {"v": physical}, "h")
        for kind in Type:
            table = declared({"v": kind})
            try:
                write_snapshot(source, table, Path("h.1"), KEY)
            except BadQuery as refusal:  # a schema that can never fit is refused before a row is read
                assert refusal.code == "column-type"
                continue
            assert physical not in NEVER
            asked += 1
            engine = PostgresEngine({"t": OpenTable(table, source, Path("h.1"))}, Settings())
            plan = Group(scan(table), (), (Statistic(Kind.PRESENT, Column("v", kind)),))
            assert 0 <= looked(engine, plan)[0, 0] <= len(texts)
    assert asked > 55


@pytest.mark.parametrize(
    "physical", ["smallint", "bigint", "numeric", "real", "double precision", "boolean", "date"]
)
@pytest.mark.parametrize("kind", list(Type))
def test_a_physical_value_is_read_as_its_declared_type(cluster: Cluster, physical: str, kind: Type) -> None:
    """What psycopg makes of a value in Python, and what engines/values.py makes of that."""
    small = [
        text
        for text in VALUES[physical]
        if "BC" not in text and "10000" not in text and "5874897" not in text
    ]
    rows: list[dict[str, object]] = [{"v": text} for text in small if "infinity" not in text]
    source = put(cluster, rows, {"v": physical}, "h")
    table = declared({"v": kind})
    try:
        write_snapshot(source, table, Path("h.1"), KEY)
    except BadQuery:
        return
    exact = "v::double precision" if physical == "real" else "v"  # psycopg reads a real by its shortest text
    raw = [value for (value,) in tell(cluster, f"SELECT {exact} FROM h")]
    written = [value for (value,) in tell(cluster, f'SELECT v FROM {SCHEMA}."h.1"')]
    if physical == "numeric" and kind is Type.TEXT:  # zeros at the end say nothing
        texts = [format(value, "f") for value in raw]
        raw = [Decimal(text.rstrip("0").rstrip(".") if "." in text else text) for text in texts]
    assert sorted(map(repr, written)) == sorted(repr(coerce(value, kind)) for value in raw)


def test_texts_are_compared_by_code_point_whatever_the_collation_is(cluster: Cluster) -> None:
    rows: list[dict[str, object]] = [{"v": text} for text in ("a", "B", "b", "Z", "é", "e\u0301", "ß", "👩")]
    tell(cluster, "DROP COLLATION IF EXISTS loose CASCADE")
    tell(
        cluster, "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    )
    source = put(cluster, rows, {"v": "text COLLATE loose"}, "c")
    table = declared({"v": Type.TEXT}, unit="v")
    assert write_snapshot(source, table, Path("c.1"), KEY).units == len(rows)
    engine = PostgresEngine({"t": OpenTable(table, source, Path("c.1"))}, Settings())
    keys = (GroupKey("k", Column("v", Type.TEXT), ("b", "é"), other=True),)
    assert looked(engine, Group(scan(table), keys, (Statistic(Kind.ROWS),))).tolist() == [[1, 1, 6]]
