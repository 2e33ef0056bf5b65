"""Engines for the workers of a service: their statements run at the same time, and one that is stopped leaves the others alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from lapcat.engines.backends import backend_of
from lapcat.engines.base.engine import Attempt, Engine, Settings
from lapcat.engines.base.statement import SQLStatement, group_statement
from lapcat.plan.nodes import Group, Kind, LimitRows, Statistic
from tests.engines.benches import bench_of
from tests.engines.holding import declared, looked, reference, scan
from tests.engines.hostile import TYPES, hostile_rows

SLOW_SQL = {
    "duckdb": "SELECT 0 AS cell, count(*) AS s0 FROM range(1000000) a, range(10000000) b WHERE a.range < b.range",
    "postgres": "SELECT 0::bigint AS cell, 1::bigint AS s0 FROM pg_sleep(3600)",
}
TABLE = declared(TYPES, unit="who")
QUICK = Group(scan(TABLE), (), (Statistic(Kind.ROWS),))
SLOW = Group(LimitRows(scan(TABLE), 1), (), (Statistic(Kind.ROWS),))
"""Takes hours, by `SLOW_SQL`."""
Workers = tuple[list[Engine], Any]


@pytest.fixture(params=["duckdb", "postgresql"])
def workers(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Workers]:
    """Three engines over one table, and the reference."""
    bench = bench_of(request.param, request, tmp_path_factory.mktemp("bench"))
    rows = bench.fitted([dict(row) for row in hostile_rows(50)])
    tables = bench.over({"t": (rows, TABLE, TYPES)})._tables

    def statement(plan: Group, *given: Any) -> SQLStatement:
        return (
            SQLStatement(SLOW_SQL[bench.dialect.name], {}) if plan == SLOW else group_statement(plan, *given)
        )

    engines = backend_of(tables["t"].source).open_workers(tables, Settings(threads=2), 3)
    monkeypatch.setattr(f"{type(engines[0]).__module__}.group_statement", statement)
    yield [*engines], reference(rows, TABLE)
    for engine in engines:
        engine.close()


def running(engine: Engine, seconds: float) -> threading.Thread:
    """A worker whose statement is stopped after some seconds."""

    def work() -> None:
        with pytest.raises(Exception):  # noqa: B017 – of each engine its own
            engine.execute(SLOW, Attempt(seconds))

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_no_worker_waits_for_another_and_the_end_of_one_is_not_that_of_another(workers: Workers) -> None:
    (first, second, third), specified = workers
    short, long = running(first, 3), running(second, 8)
    assert looked(third, QUICK).tolist() == looked(specified, QUICK).tolist()
    assert short.is_alive() and long.is_alive()
    short.join(60)
    assert long.is_alive() and not short.is_alive()
    assert looked(first, QUICK).tolist() == looked(specified, QUICK).tolist()
    assert long.is_alive()
    long.join(60)
    assert not long.is_alive()


def test_a_worker_that_is_closed_leaves_the_others_alone(workers: Workers) -> None:
    (first, second, third), specified = workers
    answers = looked(specified, QUICK).tolist()
    assert all(looked(engine, QUICK).tolist() == answers for engine in (first, second, third))
    for engine in (first, third):
        engine.close()
        assert looked(second, QUICK).tolist() == answers
    assert looked(first, QUICK).tolist() == answers  # opened again


def test_workers_of_duckdb_share_one_database(workers: Workers) -> None:
    """So that its limit of memory is one for all, and its folder for spilling is removed with the last of them."""
    engines, _ = workers
    if not hasattr(engines[0], "_database"):
        return
    for engine in engines:
        engine.ready(QUICK)
    (folder,) = {engine._database.spill.path.parent for engine in engines}  # type: ignore[attr-defined]
    for engine in engines:
        assert folder.exists()
        engine.close()
    assert not folder.exists()
