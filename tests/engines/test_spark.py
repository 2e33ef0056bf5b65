"""What Spark alone can do wrong: other people's settings, tables that change, contexts that stop, messages that quote rows."""

from __future__ import annotations

import datetime
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import OpenTable
from lapcat.engines.base.words import column, named, select, table
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.engines.spark import engine as engine_module
from lapcat.engines.spark.backend import BACKEND
from lapcat.engines.spark.dialect import SPARK
from lapcat.engines.spark.engine import SparkEngine
from lapcat.engines.spark.session import SparkStatements, session
from lapcat.engines.values import secret
from lapcat.errors import BadQuery, EngineFailed, Error, Refused
from lapcat.plan.expressions import Column, Compare, Literal
from lapcat.plan.nodes import Filter, Grid, Group, Kind, Statistic
from lapcat.plan.schema import Bounds, ColumnSpec, Type
from tests.engines.holding import KEY, all_rows, declared, looked, reference, scan
from tests.engines.hostile import TYPES, hostile_rows
from tests.engines.on_spark import opened, put
from tests.engines.visits_on_spark import CANARY, CATALOGUE, deploy_visits, require_unplanned, spent
from tests.spark_session import Spark
from tests.support import resume_all, seeded


def quiet_progress(fraction: float) -> None:
    pass


@pytest.fixture
def deployed(spark: Spark, tmp_path: Path) -> Path:
    return deploy_visits(tmp_path)


# ------------------------------------------------------------------------------------------------ settings


def test_no_setting_of_the_user_changes_a_statement_and_none_of_theirs_is_changed(
    spark: Spark, tmp_path: Path
) -> None:
    """Spark puts the value of a setting into every text that holds ${…}, unless it is told not to."""
    theirs = {
        "spark.sql.variable.substitute": "true",
        "spark.sql.session.timeZone": "America/Los_Angeles",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.caseSensitive": "false",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",
    }
    for setting, value in theirs.items():
        spark.session.conf.set(setting, value)
    types = {"s": Type.TEXT, "S": Type.INTEGER, "m": Type.TIMESTAMP, "d": Type.DATE}
    moment = datetime.datetime(2020, 3, 8, 2, 30)
    row = {"s": "${spark.app.name}", "S": 2**62, "m": moment, "d": moment.date()}
    other = {"s": "something else", "S": 2**62, "m": None, "d": None}
    table = declared(types)
    engine = opened(tmp_path, {"t": ([row, other], table, types)})
    tests = [
        Compare("=", Column("s", Type.TEXT), Literal("${spark.app.name}", Type.TEXT)),
        Compare("=", Column("m", Type.TIMESTAMP), Literal(moment, Type.TIMESTAMP)),
        Compare("=", Column("S", Type.INTEGER), Literal(2**62, Type.INTEGER)),
    ]
    plan = Group(scan(table), (), tuple(Statistic(Kind.ROWS, filter=test) for test in tests))
    try:
        assert looked(engine, plan).tolist() == [[1], [1], [2]]
        assert {name: spark.session.conf.get(name) for name in theirs} == theirs
    finally:
        for setting in theirs:
            spark.session.conf.unset(setting)


# ------------------------------------------------------------------------------------------------ sources


def test_a_table_of_the_catalogue_is_read_from_its_snapshot_alone(spark: Spark, tmp_path: Path) -> None:
    spark.session.sql("CREATE DATABASE IF NOT EXISTS warehouse")
    spark.session.range(50).selectExpr("id % 7 AS who", "id AS n").write.mode("overwrite").saveAsTable(
        "warehouse.cats"
    )
    source = parse_source("spark:warehouse.cats", tmp_path)
    assert BACKEND.describe(source) == {"who": "bigint", "n": "bigint"}
    assert BACKEND.propose_types(source) == {"who": Type.INTEGER, "n": Type.INTEGER}
    table = declared({"n": Type.INTEGER})
    path = BACKEND.snapshot(tmp_path, "cats.1")
    size = BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {})
    assert (size.rows, size.units) == (50, 50)
    spark.session.sql("INSERT INTO warehouse.cats VALUES (1, 999)")
    engine = SparkEngine({"t": OpenTable(table, source, path)})
    assert looked(engine, Group(scan(table), (), (Statistic(Kind.ROWS),))).tolist() == [[50]]
    with pytest.raises(BadQuery, match="source-table"):
        BACKEND.describe(parse_source("spark:warehouse.dogs", tmp_path))


def test_the_name_of_a_folder_is_no_column(spark: Spark, tmp_path: Path) -> None:
    put(tmp_path, "cats/year=2020", [{"n": 1}, {"n": 2}], {"n": Type.INTEGER})
    source = parse_source("spark:cats/", tmp_path)
    assert BACKEND.describe(source) == {"n": "bigint"}
    path = BACKEND.snapshot(tmp_path, "cats.1")
    table = declared({"n": Type.INTEGER})
    assert BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {}).rows == 2


def test_a_path_may_hold_every_character_and_is_no_pattern(spark: Spark, tmp_path: Path) -> None:
    """A folder beside it that the path would match, if it were a pattern, is neither read nor written, and no other is made."""
    odd = "Zoë (b), +50%20 #1 [ab] {c,d} * ? \\ 'x' \"y\" $z & = ~"
    beside = odd.replace("[ab] {c,d} * ? \\", "a c x y ")
    table = declared({"n": Type.INTEGER})
    opened_there: dict[int, OpenTable] = {}
    for rows, name in {3: beside, 2: odd}.items():
        source = put(tmp_path / name, "t", [{"n": n} for n in range(rows)], {"n": Type.INTEGER})
        path = BACKEND.snapshot(tmp_path / name, "t.1")
        assert BACKEND.describe(source) == {"n": "bigint"}
        assert BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {}).rows == rows
        opened_there[rows] = OpenTable(table, source, path)
    for rows, there in opened_there.items():
        counted = looked(SparkEngine({"t": there}), Group(scan(table), (), (Statistic(Kind.ROWS),)))
        assert counted.tolist() == [[rows]]
    assert {folder.name for folder in tmp_path.iterdir()} == {odd, beside}


def test_what_cannot_be_read_is_said_without_a_word_of_sparks(
    spark: Spark, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.parquet").write_bytes(b"PAR1" + CANARY.encode() * 40 + b"PAR1")
    (tmp_path / "empty").mkdir()
    for name, code in {
        "broken": "source-broken",
        "empty": "source-unreadable",
        "gone": "source-unreadable",
    }.items():
        with pytest.raises(Error, match=code) as problem:
            BACKEND.describe(parse_source(f"spark:{name}/", tmp_path))
        assert CANARY not in str(problem.value) and problem.value.__cause__ is None
    shown = capfd.readouterr()
    assert CANARY not in shown.out + shown.err


def test_rows_outside_are_counted_for_the_steward(spark: Spark, tmp_path: Path) -> None:
    rows = [{"who": who, "x": x} for who, x in [(1, 5.0), (1, 50.0), (1, -5.0), (None, 5.0), (2, None)]]
    source = put(tmp_path, "t", rows, {"who": Type.INTEGER, "x": Type.FLOAT})
    base = declared({"who": Type.INTEGER, "x": Type.FLOAT}, unit="who")
    columns = {**base.columns, "x": ColumnSpec("x", Type.FLOAT, bounds=Bounds(0, 10))}

    findings = BACKEND.check_rows(source, replace(base, columns=columns, rows_per_unit=2), {})
    assert {(f.column, f.many) for f in findings} >= {("who", 1), ("x", 1)}


def test_a_statement_that_spark_cannot_plan_is_found_out_before_it_is_paid(
    deployed: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    require_unplanned(deployed, monkeypatch, capfd)


def test_what_spark_says_of_the_users_own_statements_they_still_hear(spark: Spark) -> None:
    """PySpark's errors are logged as they are made: a logger that cannot take them turns each into another error."""
    from pyspark.errors import AnalysisException

    session()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.session.sql("SELECT 1 FROM nowhere")


# ------------------------------------------------------------------------------------------------ snapshots


def test_a_snapshot_holds_the_ranks_and_weights_that_duckdbs_holds(spark: Spark, tmp_path: Path) -> None:
    """Integer for integer: which rows of a person come first must not depend on the engine."""

    base = declared(TYPES, unit="who")
    bounded = {
        "i": ColumnSpec("i", Type.INTEGER, bounds=Bounds(-100, 100)),
        "x": ColumnSpec("x", Type.FLOAT, bounds=Bounds(-3, 110)),
    }
    table = replace(base, columns={**base.columns, **bounded})
    rows = hostile_rows(240)
    source = put(tmp_path, "t", rows, TYPES)
    path = BACKEND.snapshot(tmp_path, "t.1")
    size = BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {})
    whole = tmp_path / "t.parquet"
    pq.write_table(pq.read_table(tmp_path / "t", partitioning=None), whole)
    other = write_snapshot(parse_source("t.parquet", tmp_path), table, tmp_path / "d.1.parquet", KEY)
    assert size == other

    def held(file: Path) -> dict[int, dict[str, Any]]:
        return {row["n"]: row for row in pq.read_table(file, partitioning=None).to_pylist()}

    ours, theirs = held(path / "rows"), held(tmp_path / "d.1.parquet")
    assert ours == theirs and len(ours) == size.rows
    assert {name for row in ours.values() for name in row} >= {
        *(
            "_lapcat_unit",
            "_lapcat_rank",
            "_lapcat_rows",
            "_lapcat_weight",
            "_lapcat_weighed_i",
            "_lapcat_weighed_x",
        ),
    }


def test_what_orders_the_rows_of_a_unit_stands_on_no_page_of_sparks(spark: Spark, tmp_path: Path) -> None:
    rows = [{"who": n % 3, "n": n} for n in range(9)]
    types = {"who": Type.INTEGER, "n": Type.INTEGER}
    source, path = put(tmp_path, "t", rows, types), BACKEND.snapshot(tmp_path, "t.1")
    executions = spark.session._jsparkSession.sharedState().statusStore()
    before = executions.executionsCount()
    BACKEND.write_snapshot(source, declared(types, unit="who"), path, KEY, quiet_progress, {})
    listed = executions.executionsList()
    shown = [listed.apply(place) for place in range(before, listed.size())]
    pages = " ".join(
        f"{execution.description()} {execution.details()} {execution.physicalPlanDescription()}"
        for execution in shown
    )
    assert "md5" in pages and "lapcat_rank" in pages  # the plan that orders them is among what is shown
    assert secret(KEY) not in pages


def test_the_text_of_a_double_says_its_bits(spark: Spark, tmp_path: Path) -> None:
    powers = [math.ldexp(1.0, power) for power in range(-1074, 1024)]
    rng = np.random.default_rng(5)
    drawn = np.concatenate([rng.integers(0, 2**64, 5000, np.uint64).view(float), rng.normal(0, 1e5, 5000)])
    ends = [0.0, math.inf, *powers, *(math.nextafter(x, to) for x in powers for to in (0.0, math.inf))]
    values = np.concatenate([ends, np.negative(ends), drawn[~np.isnan(drawn)]]) + 0.0  # -0.0 is 0.0
    pq.write_table(pa.table({"x": values, "n": np.arange(len(values))}), tmp_path / "doubles.parquet")
    spark.session.read.parquet(str(tmp_path / "doubles.parquet")).createOrReplaceTempView("doubles")
    text = named(SPARK.float_text(column("x")), "said")
    rows = spark.session.sql(SPARK.printed(select(column("n"), text, source=table("doubles")))).collect()
    assert {row.n: int(row.said) for row in rows} == dict(enumerate(values.view(np.int64).tolist()))


def test_a_snapshot_is_written_wholly_or_not_at_all(spark: Spark, tmp_path: Path) -> None:

    source = put(tmp_path, "t", [{"n": 1}, {"n": 1}], {"n": Type.INTEGER})
    table = declared({"n": Type.INTEGER})
    unique = replace(table, columns={"n": ColumnSpec("n", Type.INTEGER, unique=True)})
    path = BACKEND.snapshot(tmp_path, "t.1")
    with pytest.raises(Refused, match="key-not-unique"):
        BACKEND.write_snapshot(source, unique, path, KEY, quiet_progress, {})
    assert not BACKEND.has_snapshot(source, path) and list(path.parent.iterdir()) == []
    assert path.parent.stat().st_mode & 0o077 == 0
    BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {})
    assert BACKEND.has_snapshot(source, path)
    BACKEND.remove_snapshot(source, path)
    assert not BACKEND.has_snapshot(source, path)


def test_a_snapshot_of_another_declaration_is_not_read(spark: Spark, tmp_path: Path) -> None:
    source = put(tmp_path, "t", [{"n": 1, "s": "1"}], {"n": Type.INTEGER, "s": Type.TEXT})
    path = BACKEND.snapshot(tmp_path, "t.1")
    BACKEND.write_snapshot(source, declared({"n": Type.INTEGER}), path, KEY, quiet_progress, {})
    other = declared({"s": Type.TEXT})
    with pytest.raises(BadQuery, match="snapshot-stale"):
        SparkEngine({"t": OpenTable(other, source, path)}).execute(all_rows("t"))
    with pytest.raises(EngineFailed, match="snapshot-missing"):
        SparkEngine({"t": OpenTable(other, source, path / "gone")}).execute(all_rows("t"))


def test_a_table_that_could_not_be_opened_is_tried_again(spark: Spark, tmp_path: Path) -> None:
    table = declared({"n": Type.INTEGER})
    source = put(tmp_path, "t", [{"n": 1}], {"n": Type.INTEGER})
    path = BACKEND.snapshot(tmp_path, "t.1")
    engine = SparkEngine({"t": OpenTable(table, source, path)})
    with pytest.raises(EngineFailed, match="snapshot-missing"):
        engine.ready(all_rows("t"))
    BACKEND.write_snapshot(source, table, path, KEY, quiet_progress, {})
    assert looked(engine, all_rows("t")).tolist() == [[1]]


def test_refresh_removes_the_snapshots_before_the_last_but_one(spark: Spark, deployed: Path) -> None:
    from lapcat.session.files import open_deployment, refresh

    deployment = open_deployment(deployed)
    for version in (2, 3):
        assert refresh(deployment, "visits") == version
    kept = sorted(path.name.split(".")[-2] for path in (deployed.parent / "lapcat.cache").glob("*.spark"))
    assert kept == ["2", "3"]


# ------------------------------------------------------------------------------------------------ which Spark


def with_spark(deployed: Path, settings: str) -> Path:
    deployed.write_text(f"{CATALOGUE}\n[engine.spark]\n{settings}\n", encoding="utf-8")
    return deployed


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ('master = "spark://elsewhere.example:7077"', "spark-elsewhere"),
        ('conf = { "spark.sql.ansi.enabled" = "true" }', "spark-setting"),
        ('conf = { "spark.eventLog.enabled" = "true" }', "spark-setting"),
        ('conf = { "spark.master" = "local" }', "spark-setting"),
        ('conf = { "spark.remote" = "sc://connect.example" }', "spark-setting"),
    ],
    ids=["elsewhere", "meaning", "log", "master", "remote"],
)
def test_a_cluster_that_would_not_be_asked_as_declared_is_refused(
    spark: Spark, deployed: Path, settings: str, code: str
) -> None:
    db = lapcat.open(with_spark(deployed, settings))
    with pytest.raises(BadQuery) as refusal:
        db.sql("SELECT COUNT(*) AS n FROM visits").run(epsilon=1)
    assert refusal.value.code == code and refusal.value.fix and spent(db) == "0"


def test_the_session_that_is_there_is_taken_if_it_is_the_declared_one(spark: Spark, deployed: Path) -> None:
    path = with_spark(deployed, 'master = "local[2]"\nconf = { "spark.executor.memory" = "1g" }')
    assert len(lapcat.open(path).sql("SELECT COUNT(*) AS n FROM visits").run(epsilon=1)) == 1


def test_a_spark_that_does_not_start_is_found_out_before_anything_is_paid(
    spark: Spark, deployed: Path
) -> None:
    path = with_spark(deployed, 'master = "local[0]"')  # no Spark starts with no thread
    text = (
        "import sys, lapcat\n"
        "try: lapcat.open(sys.argv[1]).sql('SELECT COUNT(*) AS n FROM visits').run(epsilon=1)\n"
        "except lapcat.EngineFailed as problem: print(problem.code)"
    )
    done = subprocess.run([sys.executable, "-c", text, path], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1:] == ["spark-unreachable"]
    db = lapcat.open(path)
    kinds = {entry.kind for entry in db._deployment.ledger.entries()}
    assert spent(db) == "0" and not kinds & {"debit", "failed"}


# ------------------------------------------------------------------------------------------------ in the middle


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch, spark: Spark) -> Iterator[list[int]]:
    """The next statement finds the context gone between being planned and being run, and fails when it is tried again."""
    times = [2]
    fetched, session = engine_module.fetched, engine_module.session

    def stopped_first(frame: Any) -> Any:
        if times[0] == 2:
            times[0] -= 1
            spark.stop()
        return fetched(frame)

    def no_other(cluster: Any) -> Any:
        if times[0] == 1:
            times[0] -= 1
            raise RuntimeError(CANARY)
        return session(cluster)

    monkeypatch.setattr(engine_module, "fetched", stopped_first)
    monkeypatch.setattr(engine_module, "session", no_other)
    yield times
    spark.start()


def test_a_context_that_stops_in_the_middle_costs_the_charge_once(
    spark: Spark, deployed: Path, stopping: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    db = seeded(deployed)
    question = db.sql("SELECT ward, AVG(cost) AS cost FROM visits GROUP BY ward")
    with pytest.raises(EngineFailed, match="engine-failed") as failed:
        question.run(epsilon=1)
    assert stopping == [0] and spent(db) == "1"
    shown = capfd.readouterr()
    output = f"{failed.value} {failed.value.as_json()} {shown.out} {shown.err}"
    assert CANARY not in output and "Spark" not in str(failed.value) and failed.value.__cause__ is None
    spark.start()
    resume_all(deployed)
    answer = db.sql("SELECT ward, AVG(cost) AS cost FROM visits GROUP BY ward").run(epsilon=1)
    assert len(answer) == 2 and spent(db) == "1", "the retry finishes under the same charge"
    assert (
        lapcat.open(deployed)
        .sql("SELECT ward, AVG(cost) AS cost FROM visits GROUP BY ward")
        .run(epsilon=1)
        .free
    )


def test_a_statement_that_takes_too_long_is_cancelled_on_the_cluster(spark: Spark) -> None:
    own = session()
    with pytest.raises(TimeoutError):
        SparkStatements().run(
            own, lambda: own.range(10**13).selectExpr("sum(id * id % 7)").collect(), seconds=1
        )
    tracker = spark.session.sparkContext.statusTracker()
    for _ in range(600):
        if not tracker.getActiveJobsIds():
            return
        time.sleep(0.1)
    raise AssertionError("a job went on after its statement was given up")


def test_statements_of_several_threads_do_not_stop_each_other(spark: Spark) -> None:
    own, counts = session(), []
    patience = SparkStatements()
    work = [
        threading.Thread(
            target=lambda n=n: counts.append(patience.run(own, lambda: own.range(n).count()))  # type: ignore[misc]
        )
        for n in (10, 20, 30)
    ]
    for each in work:
        each.start()
    for each in work:
        each.join(300)
    assert sorted(counts) == [10, 20, 30]


def test_a_sum_beyond_64_bits_stops_where_it_does_on_every_engine(spark: Spark, tmp_path: Path) -> None:
    types = {"n": Type.INTEGER}
    table = declared(types)
    rows = [{"n": 2**62}] * 9 + [{"n": -(2**62)}] * 3 + [{"n": 7}, {"n": None}]
    engine = opened(tmp_path, {"t": (rows, table, types)})
    n = Column("n", Type.INTEGER)
    grids = [
        Grid(-(2**62), 2**62, 0, Fraction(0)),
        Grid(-(2**62), 2**62, 5, Fraction(0)),
        Grid(-9, 9, 0, Fraction(0)),
    ]
    few = Compare("<", n, Literal(8, Type.INTEGER))
    asked = [Statistic(Kind.SUM, n, where, grid) for grid in grids for where in (None, few)]
    plan = Group(scan(table), (), tuple(asked))
    integers = looked(engine, plan).tolist()
    assert integers == looked(reference(rows, table), plan).tolist()
    assert integers[0] == [2**62] and integers[1] == [-(2**62)], "where two such numbers still add up"


def test_a_filter_that_no_row_passes_costs_no_answer(spark: Spark, tmp_path: Path) -> None:
    table = declared({"n": Type.INTEGER})
    engine = opened(tmp_path, {"t": ([{"n": 1}], table, {"n": Type.INTEGER})})
    none = Filter(scan(table), Compare(">", Column("n", Type.INTEGER), Literal(5, Type.INTEGER)))
    assert looked(engine, Group(none, (), (Statistic(Kind.ROWS),))).tolist() == [[0]]
    engine.close()
    assert looked(engine, Group(none, (), (Statistic(Kind.ROWS),))).tolist() == [[0]]
