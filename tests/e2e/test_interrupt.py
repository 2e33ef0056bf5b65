"""Ctrl-C in the middle: exit code 130, the debit stands, and the same question finishes under it for free."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.kit import LAPCAT, Desk
from tests.support import write_table

QUESTION = "SELECT COUNT(*) AS n FROM slow WHERE k = 1"
CATALOGUE = """\
[tables.slow]
source = "slow.parquet"
unit = "row"
budget = { epsilon = 1 }
[tables.slow.columns]
k = { type = "integer", low = 0, high = 2 }
"""


SLOWLY = """
from lapcat.engines.duckdb import snapshots as duckdb_snapshot
from sqlglot import exp, parse_one

def many(path):
    rows = parse_one("SELECT s.* FROM read_parquet('" + path + "') AS s, range(40000000000)", read="duckdb")
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("slow")))

duckdb_snapshot.parquet_file = many
"""
"""Python runs this when it starts: every row of a snapshot is read forty thousand million times."""


@pytest.fixture
def slow_desk(tmp_path: Path) -> Desk:
    (tmp_path / "lapcat.toml").write_text(CATALOGUE, encoding="utf-8")
    write_table(tmp_path / "slow.parquet", {"k": [n % 3 for n in range(3_000)]})
    desk = Desk(tmp_path)
    assert desk.run("refresh").code == 0
    (tmp_path / "slowly").mkdir()
    (tmp_path / "slowly" / "sitecustomize.py").write_text(SLOWLY, encoding="utf-8")
    return desk


def slowly(desk: Desk) -> dict[str, str]:
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return desk.environment(
        {"PYTHONPATH": os.pathsep.join([str(desk.folder / "slowly"), *filter(None, folders)])}
    )


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("form", ["", "--json"])
def test_ctrl_c_keeps_the_debit_and_the_same_question_finishes_under_it(form: str, slow_desk: Desk) -> None:
    command = [LAPCAT, "ask", QUESTION, "--epsilon", "0.25", *([form] if form else [])]
    asking = subprocess.Popen(
        command,
        cwd=slow_desk.folder,
        env=slowly(slow_desk),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and asking.poll() is None:
            if (slow_desk.folder / "lapcat.ledger").exists() and slow_desk.spent("slow") == "0.25":
                break
            time.sleep(0.1)
        time.sleep(0.3)
        assert asking.poll() is None, "the question is still running"
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=60)
    finally:
        asking.kill()
    assert (asking.returncode, out) == (130, b""), err
    text = err.decode()
    assert "Traceback" not in text
    if form:
        assert json.loads(text)["error"]["code"] == "interrupted"
    else:
        assert "the charge stands" in text and "for free" in text
    assert slow_desk.spent("slow") == "0.25"

    answer = slow_desk.ask(QUESTION, "--epsilon", "0.25", "--json").json()
    assert answer["free"] is True and abs(answer["rows"][0]["n"] - 1_000) < 200
    assert slow_desk.spent("slow") == "0.25"


def test_a_process_that_is_killed_keeps_the_debit_too(slow_desk: Desk) -> None:
    asking = subprocess.Popen(
        [LAPCAT, "ask", QUESTION, "--epsilon", "0.25"],
        cwd=slow_desk.folder,
        env=slowly(slow_desk),
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and asking.poll() is None:
        if (slow_desk.folder / "lapcat.ledger").exists() and slow_desk.spent("slow") == "0.25":
            break
        time.sleep(0.1)
    asking.kill()
    asking.wait(timeout=60)
    assert slow_desk.ask(QUESTION, "--epsilon", "0.25", "--json").json()["free"] is True
    assert slow_desk.spent("slow") == "0.25"
