"""A question may take its time and no more; what fails is tried once more; an engine that is not there costs nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lapcat
from lapcat.core.release import ExactResult
from lapcat.engines.base.engine import FIRST, Attempt
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.errors import BadQuery, EngineFailed, Refused
from lapcat.plan.nodes import Group
from lapcat.session.files import open_deployment, refresh

CATALOGUE = """
[engine]
timeout = 60
[tables.v]
source = "v.csv"
unit = "person_id"
rows_per_unit = 2
budget = { epsilon = 5 }
max_timeout = 120
[tables.v.columns]
minutes = { type = "integer", low = 0, high = 100 }
[analysts.ana]
tables = { v = { epsilon = 2 } }
"""
COUNT = "SELECT COUNT(*) AS n FROM v"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "v.csv").write_text("person_id,minutes\n" + "".join(f"{n},{n % 100}\n" for n in range(50)))
    (tmp_path / "lapcat.toml").write_text(CATALOGUE)
    refresh(open_deployment(tmp_path / "lapcat.toml"), "v")
    return tmp_path / "lapcat.toml"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Attempt]:
    """Every look of DuckDB fails at first, and works when it is tried again."""
    attempts: list[Attempt] = []
    honest = DuckDBEngine.execute

    def look(engine: DuckDBEngine, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        attempts.append(attempt)
        if not attempt.sparing:
            raise MemoryError("row 4711")
        return honest(engine, plan, Attempt(attempt.seconds))

    monkeypatch.setattr(DuckDBEngine, "execute", look)
    return attempts


def entries(db: lapcat.Session) -> list[str]:
    return [entry.kind for entry in db._deployment.ledger.entries()]


def spent(db: lapcat.Session) -> Any:
    return db.budget().as_json()["tables"]["v"]["spent"]["epsilon"]  # type: ignore[index]


def test_a_second_try_is_seen_by_nobody(path: Path, tried: list[Attempt]) -> None:
    """One debit, one answer, no failure: the ledger holds what it holds for a question that went well at once."""
    db = lapcat.open(path, analyst="ana")
    answer = db.sql(COUNT).run(epsilon=1)
    db._deployment.ledger.close()
    db = lapcat.open(path, analyst="ana")
    assert [attempt.sparing for attempt in tried] == [False, True]
    kinds = entries(db)
    assert kinds[kinds.index("debit") :] == ["debit", "looked", "answered", "released"]
    again = db.sql(COUNT).run(epsilon=1)
    assert again.free and again["n"] == answer["n"] and len(tried) == 2 and spent(db) == "1"


def test_noise_is_drawn_once_for_both_tries(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lapcat.core.mechanisms.laplace import Laplace

    drawn: list[int] = []
    honest = Laplace.draw

    def draw(self: Laplace, exact: Any, coins: Any) -> Any:
        drawn.append(int(np.asarray(exact).sum()))
        return honest(self, exact, coins)

    monkeypatch.setattr(Laplace, "draw", draw)
    db = lapcat.open(path, analyst="ana")
    db.sql(COUNT).run(epsilon=1)
    once = list(drawn)
    honest_look = DuckDBEngine.execute

    def failing(engine: DuckDBEngine, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        if not attempt.sparing:
            raise MemoryError
        return honest_look(engine, plan)

    monkeypatch.setattr(DuckDBEngine, "execute", failing)
    db.sql(COUNT + " WHERE minutes > 50").run(epsilon=1)
    assert len(drawn) == 2 * len(once)


def test_a_question_has_the_seconds_of_the_catalogue_and_more_if_asked(
    path: Path, tried: list[Attempt]
) -> None:
    db = lapcat.open(path, analyst="ana")
    db.sql(COUNT).run(epsilon="0.1")
    assert 50 < tried[0].seconds <= 60
    db.sql(COUNT + " WHERE minutes > 1").run(epsilon="0.1", timeout=120)
    assert 110 < tried[2].seconds <= 120
    db.batch([COUNT + " WHERE minutes > 2"], epsilon="0.1").run(timeout=90)
    assert 80 < tried[4].seconds <= 90
    db.workload([COUNT + " WHERE minutes > 3"]).run(epsilon="0.1", timeout=80)
    assert 70 < tried[6].seconds <= 80
    db.table("v").agg(n=lapcat.count()).run(epsilon="0.2", timeout=70)
    assert 60 < tried[8].seconds <= 70


def test_an_analyst_may_ask_for_no_more_than_the_table_s_maximum(path: Path) -> None:
    db = lapcat.open(path, analyst="ana")
    for question in (db.sql(COUNT), db.workload([COUNT])):
        with pytest.raises(Refused) as refused:
            question.run(epsilon=1, timeout=121)
        assert refused.value.code == "timeout-long" and "max_timeout = 121" in refused.value.fix
    with pytest.raises(Refused):
        db.batch([COUNT], epsilon=1).run(timeout=121)
    assert spent(db) == "0" and "debit" not in entries(db)


@pytest.mark.parametrize("timeout", [59, 0, -1, 60.5, True, "90"])
def test_nobody_may_ask_for_less_time_than_every_question_has(path: Path, timeout: Any) -> None:
    """A deadline of the asker's choosing would turn how long rows take into whether there is an answer."""
    db = lapcat.open(path, analyst="ana")
    with pytest.raises(BadQuery) as refused:
        db.sql(COUNT).run(epsilon=1, timeout=timeout)
    assert refused.value.code == "timeout-range" and spent(db) == "0"


def test_the_holder_of_a_data_frame_may_take_a_day() -> None:
    import pandas as pd

    db = lapcat.table(pd.DataFrame({"v": [1, 2, 3]}), unit="row", epsilon=5)
    assert len(db.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=1, timeout=86_400)) == 1
    with pytest.raises(Refused, match="timeout-long"):
        db.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=2, timeout=86_401)


def test_a_maximum_below_the_usual_time_is_no_maximum(path: Path) -> None:
    path.write_text(CATALOGUE.replace("max_timeout = 120", "max_timeout = 59"))
    with pytest.raises(BadQuery, match="max_timeout"):
        open_deployment(path)


def test_a_ledger_that_never_heard_of_a_maximum_has_accepted_that_there_is_none(path: Path) -> None:
    """As ledgers of 0.1.0: their facts have no such key."""
    path.write_text(CATALOGUE.replace("max_timeout = 120\n", ""))
    deployment = open_deployment(path)
    facts = deployment._facts()
    del facts["tables"]["v"]["max_timeout"]  # type: ignore[index]
    deployment.ledger.accept(facts, "as it was")
    assert deployment.changes() == []


# ------------------------------------------------------------------------------------------------ an engine that is not there


@pytest.mark.parametrize("opened_before", [True, False])
def test_a_snapshot_that_is_gone_is_found_out_before_anything_is_paid(
    path: Path, opened_before: bool
) -> None:
    db = lapcat.open(path, analyst="ana")
    question = db.sql(COUNT + " WHERE minutes > 0")
    if opened_before:
        db.sql(COUNT).run(epsilon="0.5")
    before, kinds = spent(db), entries(db)
    shutil.rmtree(path.parent / "lapcat.cache")
    with pytest.raises(EngineFailed) as gone:
        question.run(epsilon=1)
    assert gone.value.code == "snapshot-missing" and gone.value.fix == "lapcat refresh v"
    assert spent(db) == before and [k for k in entries(db) if k != "released"] == [
        k for k in kinds if k != "released"
    ]
    assert db._deployment.budget().failures == {} and db._deployment.budget(history=True).paused == {}
    refresh(open_deployment(path), "v")
    assert len(db.sql(COUNT + " WHERE minutes > 0").run(epsilon=1)) == 1
