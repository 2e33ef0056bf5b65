"""Through Spark Connect the same questions get the same integers; the server keeps its users apart, and may go away."""

from __future__ import annotations

import datetime
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.conformance import Suite
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.spark import backend as spark_backend
from lapcat.engines.spark import connect as spark_connect
from lapcat.engines.spark import engine as engine_module
from lapcat.engines.spark.backend import BACKEND
from lapcat.engines.spark.session import PINNED, SparkStatements, close, is_gone, session, version
from lapcat.engines.values import secret
from lapcat.errors import BadArgument, BadQuery, EngineFailed, Error
from lapcat.plan.expressions import Column, Compare, Literal
from lapcat.plan.nodes import Group, Kind, Statistic
from lapcat.plan.schema import Cluster, Type
from tests.debian import Missing
from tests.engines.family import seen
from tests.engines.golden_rows import golden_reference, golden_rows
from tests.engines.holding import KEY, all_rows, declared, looked, scan
from tests.engines.hostile import TYPES, hostile_rows
from tests.engines.on_spark import opened, put
from tests.engines.visits_on_spark import CANARY, CATALOGUE, deploy_visits, require_unplanned, spent
from tests.golden.corpus import UNDERSTOOD, Case, schema_of
from tests.spark_connect import NAME, ConnectServer, with_token
from tests.spark_session import require_spark
from tests.support import resume_all, seeded

QUESTION = "SELECT ward, AVG(cost) AS cost FROM visits GROUP BY ward"
ASK = ["ask", QUESTION, "--epsilon", "1", "--json"]
ENDLESS = "SELECT reflect('java.lang.Thread', 'sleep', 3600000L) FROM range(0, 1, 1, 1)"


@pytest.fixture(scope="module")
def connect() -> None:
    """What is needed to talk to a server."""
    try:
        require_spark()
        spark_connect._pyspark()
    except (Missing, BadArgument) as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def server(connect: None) -> Iterator[ConnectServer]:
    made = ConnectServer()
    with with_token():
        yield made
    made.remove()


@pytest.fixture
def cluster(server: ConnectServer) -> Cluster:
    """As the catalogue names it."""
    return Cluster(server.url)


@pytest.fixture
def own(cluster: Cluster) -> Iterator[Any]:
    """A session of lapcat's."""
    made = session(cluster)
    yield made
    close(made)


@pytest.fixture
def theirs(server: ConnectServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The user's own session, the only one that this process has for those who ask for the active one."""
    from pyspark.sql.connect.session import SparkSession

    made = SparkSession.builder.remote(server.url).create()
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")  # as pyspark.sql.SparkSession.builder does
    yield made
    made.stop()


@pytest.fixture
def deployed(server: ConnectServer, tmp_path: Path) -> Path:
    return deploy_visits(tmp_path, f'\n[engine.spark]\nmaster = "{server.url}"\n')


# ------------------------------------------------------------------------------------------------ the same integers


@pytest.fixture(scope="module")
def held(server: ConnectServer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """For a golden catalogue the engine over its tables, and the reference."""
    engines: dict[str, tuple[Any, Any]] = {}

    def of(name: str) -> tuple[Any, Any]:
        if name not in engines:
            rows = golden_rows(schema_of(name).catalogue, seed=7)
            engine = opened(tmp_path_factory.mktemp(name), rows, Cluster(server.url))
            engines[name] = engine, golden_reference(rows)
        return engines[name]

    return of


SHOP = [case for case in UNDERSTOOD if case.folder.parent.name == "shop"][::8]
"""A few of one catalogue, which has units reached through others, joins, and tables that are public; all of them in `slow`."""


@pytest.mark.parametrize(
    "case",
    [case if case in SHOP else pytest.param(case, marks=pytest.mark.slow) for case in UNDERSTOOD],
    ids=lambda case: case.name,
)
def test_a_golden_question_has_the_specified_integers_through_connect(held: Any, case: Case) -> None:
    engine, specified = held(case.folder.parent.name)
    for look in case.prepared.executed_plans:
        engine.ready(look)
        assert seen(engine, look) == seen(specified, look)


def test_a_snapshot_through_connect_holds_the_ranks_that_duckdbs_holds(
    cluster: Cluster, tmp_path: Path
) -> None:
    table = declared(TYPES, unit="who")
    source = put(tmp_path, "t", hostile_rows(120), TYPES, cluster)
    path = BACKEND.snapshot(tmp_path, "t.1")
    size = BACKEND.write_snapshot(source, table, path, KEY, lambda fraction: None, {})
    pq.write_table(pq.read_table(tmp_path / "t", partitioning=None), tmp_path / "t.parquet")
    other = write_snapshot(parse_source("t.parquet", tmp_path), table, tmp_path / "d.1.parquet", KEY)
    held = [
        {row["n"]: row for row in pq.read_table(file, partitioning=None).to_pylist()}
        for file in (path / "rows", tmp_path / "d.1.parquet")
    ]
    assert size == other and held[0] == held[1] and len(held[0]) == size.rows


def test_what_orders_the_rows_of_a_unit_stands_on_no_page_of_the_servers(
    server: ConnectServer, cluster: Cluster, tmp_path: Path
) -> None:
    types = {"who": Type.INTEGER, "n": Type.INTEGER}
    source = put(tmp_path, "t", [{"who": n % 3, "n": n} for n in range(9)], types, cluster)
    path = BACKEND.snapshot(tmp_path, "t.1")
    BACKEND.write_snapshot(source, declared(types, unit="who"), path, KEY, lambda fraction: None, {})
    pages = server.shown()
    assert str(path.parent) in pages and "md5" in pages  # what wrote the snapshot is among what is shown
    assert secret(KEY) not in pages + server.log()


FEW = ("LIKE", "ROUND", "whose row it is")


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["few", "all"])
def test_every_operator_means_the_same_through_connect(
    cluster: Cluster, tmp_path: Path, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same Spark with the same settings: what was found of its version holds for both ways to it."""
    if not whole:
        probes = Suite.probes
        monkeypatch.setattr(Suite, "probes", lambda self: tuple(p for p in probes(self) if p.operator in FEW))
    source = parse_source("spark:t", tmp_path, cluster)
    meanings = BACKEND.probe(source, lambda fraction: None)
    assert meanings and [each for each in meanings if each.result != "same"] == []
    assert version(cluster) == "4.3.0"


# ------------------------------------------------------------------------------------------------ settings


def test_no_setting_of_the_user_changes_a_statement_through_connect_and_none_of_theirs_is_changed(
    theirs: Any, tmp_path: Path
) -> None:
    settings = {
        "spark.sql.variable.substitute": "true",
        "spark.sql.session.timeZone": "America/Los_Angeles",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "false",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
    }
    for setting, value in settings.items():
        theirs.conf.set(setting, value)
    types = {"s": Type.TEXT, "S": Type.INTEGER, "m": Type.TIMESTAMP}
    moment = datetime.datetime(2020, 3, 8, 2, 30)
    rows = [
        {"s": "${spark.app.name}", "S": 2**62, "m": moment},
        {"s": "something else", "S": 2**62, "m": None},
    ]
    table = declared(types)
    engine = opened(tmp_path, {"t": (rows, table, types)})
    tests = [
        Compare("=", Column("s", Type.TEXT), Literal("${spark.app.name}", Type.TEXT)),
        Compare("=", Column("m", Type.TIMESTAMP), Literal(moment, Type.TIMESTAMP)),
        Compare("=", Column("S", Type.INTEGER), Literal(2**62, Type.INTEGER)),
    ]
    plan = Group(scan(table), (), tuple(Statistic(Kind.ROWS, filter=test) for test in tests))
    assert looked(engine, plan).tolist() == [[1], [1], [2]]
    asked = engine._connected()
    assert {name: asked.conf.get(name) for name in PINNED} == PINNED
    assert {name: theirs.conf.get(name) for name in settings} == settings
    assert theirs.catalog.listTables() == [], "nor is a view of lapcat's seen by them"
    engine.close()
    assert theirs.range(3).count() == 3, "their session goes on"


def test_what_the_server_does_not_let_others_set_is_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = session(Cluster(cluster.master, {"spark.sql.shuffle.partitions": "3"}))
    assert allowed.conf.get("spark.sql.shuffle.partitions") == "3"
    close(allowed)
    with pytest.raises(BadQuery, match="spark-setting") as refused:
        session(Cluster(cluster.master, {"spark.executor.memory": "8g"}))
    assert refused.value.fix and "spark.executor.memory" in refused.value.fix
    monkeypatch.setitem(PINNED, "spark.sql.warehouse.dir", "elsewhere")  # of the server, as long as it runs
    with pytest.raises(EngineFailed, match="spark-unpinned") as unpinned:
        session(cluster)
    assert unpinned.value.fix and "--conf spark.sql.warehouse.dir=elsewhere" in unpinned.value.fix


# ------------------------------------------------------------------------------------------------ which server


def test_the_environment_names_the_server_and_the_process_ends(
    server: ConnectServer, deployed: Path, tmp_path: Path
) -> None:
    """PySpark's own end of a process waits for ever where a session is left open; a command does not."""
    deployed.write_text(CATALOGUE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "from lapcat.cli import main; main()", *ASK],
        cwd=deployed.parent,
        env={
            **os.environ,
            "SPARK_REMOTE": server.url,
            "PATH": "/nowhere",  # Java is the server's business
            "JAVA_HOME": "/nowhere",
            "PYTHONPATH": str(Path(lapcat.__file__).parents[1]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0 and '"ward"' in done.stdout, done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("cluster", "code"),
    [(Cluster(), "spark-connect"), (Cluster("local[2]"), "spark-elsewhere")],
    ids=["nowhere", "elsewhere"],
)
def test_connect_without_a_server_is_refused(
    connect: None, cluster: Cluster, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    monkeypatch.setenv("SPARK_REMOTE", "local[2]")  # a server inside this process
    with pytest.raises(BadQuery) as refused:
        session(cluster)
    assert refused.value.code == code and refused.value.fix


def test_what_pyspark_needs_for_connect_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", None)
    with pytest.raises(BadArgument, match="extra-missing") as missing:
        session(Cluster("sc://localhost"))
    assert missing.value.fix == "pip install 'pyspark[connect]>=4.3'"


def test_a_server_that_is_not_there_is_said_to_be_away(
    connect: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_connect, "RETRIES", 0)
    with pytest.raises(EngineFailed, match="spark-unreachable") as away:
        session(Cluster("sc://localhost:1"))
    assert away.value.fix and away.value.__cause__ is None


def test_without_its_token_the_server_does_not_answer(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "spatz")
    with pytest.raises(EngineFailed, match="spark-unreachable"):
        session(cluster)


# ------------------------------------------------------------------------------------------------ words of Spark's


def test_what_cannot_be_read_is_said_without_a_word_of_the_servers(
    cluster: Cluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    heard = logging.getLogger("pyspark.sql.connect.logging")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.parquet").write_bytes(b"PAR1" + CANARY.encode() * 40 + b"PAR1")
    before = heard.disabled, heard.level
    heard.disabled = False  # as SPARK_CONNECT_LOG_LEVEL=debug does
    heard.setLevel("DEBUG")
    try:
        for name, code in {f"broken-{CANARY}": "source-table", "broken/": "source-broken"}.items():
            with pytest.raises(Error, match=code) as problem:
                BACKEND.describe(parse_source(f"spark:{name}", tmp_path, cluster))
            assert problem.value.__cause__ is None
        assert CANARY not in str(problem.value)
    finally:
        heard.disabled = before[0]
        heard.setLevel(before[1])
    shown = capfd.readouterr()
    assert CANARY not in shown.out + shown.err


def test_a_folder_that_the_server_cannot_write_is_named(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of another user, or on another machine: everything that it is told to write fails."""

    def denied(*_: Any) -> None:
        raise PermissionError(CANARY)

    monkeypatch.setattr(spark_backend, "_save", denied)
    source = put(tmp_path, "t", [{"n": 1}], {"n": Type.INTEGER}, cluster)
    path = BACKEND.snapshot(tmp_path, "t.1")
    with pytest.raises(EngineFailed, match="snapshot-elsewhere") as elsewhere:
        BACKEND.write_snapshot(source, declared({"n": Type.INTEGER}), path, KEY, lambda fraction: None, {})
    assert CANARY not in str(elsewhere.value) and list(path.parent.iterdir()) == []


def test_a_statement_that_the_server_cannot_plan_is_found_out_before_it_is_paid(
    deployed: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    require_unplanned(deployed, monkeypatch, capfd)


def test_a_session_that_the_server_has_dropped_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    table = declared({"n": Type.INTEGER})
    engine = opened(tmp_path, {"t": ([{"n": 1}], table, {"n": Type.INTEGER})}, cluster)
    assert looked(engine, all_rows("t")).tolist() == [[1]]
    dropped = engine._connected()
    dropped.client.release_session()  # as the server does by itself with one that nobody asks for an hour
    assert looked(engine, all_rows("t")).tolist() == [[1]]
    assert engine._connected() is not dropped
    engine.close()


# ------------------------------------------------------------------------------------------------ in the middle


def test_a_statement_that_takes_too_long_is_stopped_on_the_server(server: ConnectServer, own: Any) -> None:
    began: list[bool] = []
    watcher = threading.Thread(target=lambda: began.append(server.comes_to(jobs=1, seconds=30)))
    watcher.start()
    with pytest.raises(TimeoutError):
        SparkStatements().run(own, lambda: own.sql(ENDLESS).collect(), seconds=10)
    watcher.join(60)
    assert began == [True], "it was given up after it had begun"
    assert server.comes_to(jobs=0, seconds=30)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_the_statement_on_the_server_and_no_other(server: ConnectServer, own: Any) -> None:
    other = threading.Thread(target=lambda: SparkStatements().run(own, lambda: _until_stopped(own)))
    other.start()
    assert server.comes_to(jobs=1)

    def press() -> None:
        server.comes_to(jobs=2)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        SparkStatements().run(own, lambda: own.sql(ENDLESS).collect())
    presser.join(300)
    assert server.comes_to(jobs=1)
    assert other.is_alive(), "that of another thread goes on"
    own.interruptAll()
    other.join(300)
    assert server.comes_to(jobs=0)


def _until_stopped(spark: Any) -> None:
    with pytest.raises(Exception, match="OPERATION_CANCELED"):
        spark.sql(ENDLESS).collect()


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch, server: ConnectServer) -> list[int]:
    """The next look finds the server at work for it, and dead a moment later."""
    monkeypatch.setattr(spark_connect, "RETRIES", 2)
    times = [1]
    fetched = engine_module.fetched

    def pulled() -> None:
        server.comes_to(jobs=1)
        server.kill(NAME)

    def killed_first(frame: Any) -> Any:
        if times[0]:
            times[0] -= 1
            threading.Thread(target=pulled).start()
            frame.sparkSession.sql(ENDLESS).collect()
        return fetched(frame)

    monkeypatch.setattr(engine_module, "fetched", killed_first)
    return times


def test_a_server_that_dies_in_the_middle_costs_the_charge_once(
    server: ConnectServer, deployed: Path, own: Any, dying: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    db = seeded(deployed)
    with pytest.raises(EngineFailed, match="engine-failed") as failed:
        db.sql(QUESTION).run(epsilon=1)
    assert dying == [0] and spent(db) == "1"
    shown = capfd.readouterr()
    output = f"{failed.value} {failed.value.as_json()} {shown.out} {shown.err}"
    assert CANARY not in output and "Spark" not in str(failed.value) and failed.value.__cause__ is None
    with pytest.raises(EngineFailed, match="spark-unreachable"):
        db.sql(f"{QUESTION} LIMIT 1").run(epsilon=1)
    assert spent(db) == "1", "nothing is paid while it is away"
    server.begin()
    resume_all(deployed)
    assert len(db.sql(QUESTION).run(epsilon=1)) == 2
    assert spent(db) == "1", "the retry finishes under the same charge"
    assert lapcat.open(deployed).sql(QUESTION).run(epsilon=1).free
    # The server that is back knows nothing of what was pinned in a session of before, and must not take it for a new one.
    assert not own.client.is_closed
    with pytest.raises(Exception, match=r"SESSION_CHANGED|NO_ACTIVE_SESSION"):
        own.sql("SELECT 1").collect()
    assert is_gone(own)
