"""A catalogue that was accepted binds at once: also those who opened another one before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lapcat
from lapcat.session.files import open_deployment
from tests.support import deploy

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 3 }
[tables.staff.columns]
age = { type = "integer", low = 0, high = 110 }
[analysts.ana]
tables = { staff = { epsilon = 3 } }
[analysts.bob]
tables = { staff = { epsilon = 3 } }
"""
COUNT = "SELECT COUNT(*) AS n FROM staff"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return deploy(tmp_path, CATALOGUE, {"staff.parquet": {"age": [30, 40, 50]}})


def outdated(act: object) -> None:
    with pytest.raises(lapcat.IntegrityFailed) as caught:
        act()  # type: ignore[operator]
    assert caught.value.code == "catalogue-outdated" and "lapcat.open" in caught.value.fix


def test_a_cap_that_was_lowered_binds_a_session_that_was_open_before(path: Path) -> None:
    ana, bob = (lapcat.open(path, analyst=name) for name in ("ana", "bob"))
    ana.sql(COUNT).run(epsilon="0.5")
    path.write_text(CATALOGUE.replace("epsilon = 3", "epsilon = 1"), encoding="utf-8")
    open_deployment(path).accept("less is enough")
    outdated(lambda: ana.sql(COUNT).run(epsilon=2))
    outdated(lambda: bob.sql(COUNT).run(epsilon="0.5"))  # also for what is stored
    outdated(lambda: bob.sql(COUNT).run())
    again = lapcat.open(path, analyst="ana")
    assert again.sql(COUNT).run(epsilon="0.5").free
    with pytest.raises(lapcat.BudgetExceeded):
        again.sql(COUNT).run(epsilon=2)


def test_a_catalogue_that_is_accepted_again_as_it_is_outdates_nobody(path: Path) -> None:
    before = lapcat.open(path, analyst="ana")
    assert open_deployment(path).accept("nothing new") == []
    assert not before.sql(COUNT).run(epsilon="0.5").free


def test_all_who_open_a_new_ledger_at_once_may_ask(path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        sessions = list(pool.map(lambda _: lapcat.open(path, analyst="ana"), range(6)))
    for number, session in enumerate(sessions):
        session.sql(f"SELECT COUNT(*) AS n FROM staff WHERE age > {number}").run(epsilon="0.1")
    kinds = [entry.kind for entry in open_deployment(path).ledger.entries()]
    assert kinds.count("accept") == 1
