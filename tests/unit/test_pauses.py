"""Whose question fails waits for the steward; nobody keeps others from a table by making questions fail."""

from __future__ import annotations

from pathlib import Path

import pytest

import lapcat
from lapcat.core.release import ExactResult
from lapcat.engines.base.engine import FIRST, Attempt
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.errors import EngineFailed, Refused
from lapcat.plan.nodes import Group
from tests.support import deploy, resume_all

CATALOGUE = """
[tables.v]
source = "v.csv"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 2 }
[tables.v.columns]
minutes = { type = "integer", low = 0, high = 120 }
[analysts.eve]
tables = { v = { epsilon = 0.001 } }
[analysts.ana]
tables = { v = { epsilon = 0.9 } }
[analysts.bob]
tables = { v = { epsilon = 0.9 } }
[analysts.cy]
tables = { v = { epsilon = 0.9 } }
"""
COUNT = "SELECT COUNT(*) AS n FROM v"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = {"person_id": [n // 3 for n in range(30)], "minutes": [n % 3 for n in range(30)]}
    return deploy(tmp_path, CATALOGUE, {"v.csv": rows}, refreshed=["v"])


def fail(path: Path, analyst: str, question: str = COUNT, epsilon: str = "0.0005") -> str:
    """The code of what a question meets whose engine fails."""

    def look(engine: DuckDBEngine, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        raise MemoryError

    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(DuckDBEngine, "execute", look)
        with pytest.raises((EngineFailed, Refused)) as failed:
            lapcat.open(path, analyst=analyst).sql(question).run(epsilon=epsilon)
    return failed.value.code


def test_an_analyst_who_makes_questions_fail_keeps_nobody_else_from_the_table(path: Path) -> None:
    codes = [fail(path, "eve", f"{COUNT} WHERE minutes > {n}", "0.0003") for n in range(3)]
    assert codes == ["engine-failed", "analyst-paused", "analyst-paused"]
    assert len(lapcat.open(path, analyst="ana").sql(COUNT).run(epsilon="0.1")) == 1
    with pytest.raises(Refused, match="analyst-paused"):
        lapcat.open(path, analyst="eve").sql(COUNT).run(epsilon="0.0001")
    assert (
        lapcat.open(path, analyst="eve").budget().analysts["eve"]["v"].spent.epsilon
        == lapcat.open(path, analyst="eve").budget().analysts["eve"]["v"].cap.epsilon * 3 / 10
    ), "the one that failed is paid for, and no other"  # type: ignore[operator]


def test_three_analysts_of_whom_a_question_failed_pause_the_table(path: Path) -> None:
    assert [fail(path, who, epsilon="0.0005") for who in ("eve", "ana")] == ["engine-failed"] * 2
    assert len(lapcat.open(path, analyst="cy").sql(f"{COUNT} WHERE minutes > 0").run(epsilon="0.1")) == 1
    assert fail(path, "bob") == "engine-failed"
    with pytest.raises(Refused) as paused:
        lapcat.open(path, analyst="cy").sql(COUNT).run(epsilon="0.1")
    assert paused.value.code == "table-paused" and "lapcat resume v --reason" in paused.value.fix
    resume_all(path)
    for who in ("eve", "ana", "bob", "cy"):
        assert len(lapcat.open(path, analyst=who).sql(COUNT).run(epsilon="0.0005")) == 1
