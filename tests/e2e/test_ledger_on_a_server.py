"""A deployment whose ledger is on a server: one budget for several machines, books that stay, passwords that do not show."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pandas as pd
import pytest

import lapcat
from lapcat.frontend.catalogue import read_catalogue
from lapcat.ledger.postgres import PostgresLedger
from tests.e2e.kit import CATALOGUE, Desk

COUNT = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
PASSWORD = "correct-horse"

MakeDesk = Callable[[str], Desk]


def on_a_server(desk: Desk, store: str, *, refreshed: bool = True) -> Desk:
    """The desk with its ledger there, and none in its folder."""
    for file in desk.folder.glob("lapcat.ledger*"):
        file.unlink()
    shutil.rmtree(desk.folder / "lapcat.cache", ignore_errors=True)
    desk.catalogue.write_text(f'[ledger]\nstore = "{store}"\n\n{CATALOGUE}', encoding="utf-8")
    if refreshed:
        assert desk.here("refresh").code == 0
    return desk


def test_questions_are_paid_answered_and_repeated_and_no_file_is_written(desk: Desk, postgres: str) -> None:
    on_a_server(desk, postgres)
    first = desk.ask(COUNT, "--epsilon", "0.5", "--json").json()
    again = desk.here("ask", COUNT, "--epsilon", "0.5", "--json").json()
    assert again["rows"] == first["rows"] and desk.spent() == "0.5"
    visits = desk.here("ask", "SELECT AVG(cost) AS c FROM visits", "--epsilon", "0.25", "--json")
    assert visits.code == 0 and desk.spent("visits") == "0.25"
    assert not list(desk.folder.glob("lapcat.ledger*"))
    with PostgresLedger(postgres) as ledger:
        assert ledger.verify() > 6


def test_refreshes_at_once_wait_for_each_other_and_reserve_their_versions(desk: Desk, postgres: str) -> None:
    on_a_server(desk, postgres, refreshed=False)
    with PostgresLedger(postgres) as ledger, ThreadPoolExecutor(3) as pool:
        waited = []
        with ledger.alone():
            running = pool.submit(desk.run, "refresh", "visits", "--json")
            done, _ = wait([running], timeout=5)
            waited.append(not done)
        more = [pool.submit(desk.run, "refresh", "visits", "--json") for _ in range(2)]
        versions = [each.result().json()["versions"]["visits"] for each in (running, *more)]
        assert waited == [True] and sorted(versions) == [1, 2, 3]
        assert "another refresh is running" in running.result().err
        assert [reserved.version for reserved in ledger.reserved()] == [1, 2, 3]
        ledger.verify()
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.1").code == 0


def test_copies_on_several_machines_spend_one_budget(
    make_desk: MakeDesk, postgres: str, tmp_path: Path
) -> None:
    here, there = on_a_server(make_desk("here"), postgres), Desk(tmp_path / "there")
    shutil.copytree(here.folder, there.folder)
    first = here.here("ask", COUNT, "--epsilon", "2.5", "--json").json()
    assert there.here("ask", COUNT, "--epsilon", "2.5", "--json").json()["rows"] == first["rows"]
    refused = there.here("ask", "SELECT COUNT(*) AS n FROM staff WHERE age > 40", "--epsilon", "1", "--json")
    assert refused.code == 4 and here.spent() == there.spent() == "2.5"


def test_a_source_that_moves_alone_is_noticed_and_keeps_its_book(desk: Desk, postgres: str) -> None:
    on_a_server(desk, postgres)
    assert desk.here("ask", COUNT, "--epsilon", "1", "--json").code == 0
    (desk.folder / "data").mkdir()
    (desk.folder / "staff.parquet").rename(desk.folder / "data" / "staff.parquet")
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(text.replace('"staff.parquet"', '"data/staff.parquet"'), encoding="utf-8")
    assert desk.here("ask", COUNT, "--epsilon", "1", "--json").error()["code"] == "catalogue-unaccepted"
    assert desk.here("accept", "--reason", "moved").code == 0
    assert desk.spent() == "1"


def test_a_catalogue_that_moves_away_from_its_sources_is_noticed(
    desk: Desk, postgres: str, tmp_path: Path
) -> None:
    on_a_server(desk, postgres)
    assert desk.here("ask", COUNT, "--epsilon", "1", "--json").code == 0
    elsewhere = Desk(tmp_path / "elsewhere")
    elsewhere.folder.mkdir()
    text = desk.catalogue.read_text(encoding="utf-8")
    for name in ("staff.parquet", "visits.csv"):
        text = text.replace(f'"{name}"', f'"{desk.folder / name}"')
    elsewhere.catalogue.write_text(text.replace("duckdb:", f"duckdb:{desk.folder}/"), encoding="utf-8")
    refused = elsewhere.here("ask", COUNT, "--epsilon", "1", "--json")
    assert refused.error()["code"] == "catalogue-unaccepted"
    assert elsewhere.here("accept", "--reason", "moved").code == 0
    assert elsewhere.spent() == "1"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f'store = "postgresql://ana:{PASSWORD}@localhost:1/books"', "ledger-unreachable"),
        (f'store = "postgresql://localhost:1/books?user=ana&password={PASSWORD}"', "ledger-unreachable"),
        (f'store = "postgresql://ana:{PASSWORD}@[books"', "ledger-address"),
        (f'store = "postgresql://ana:{PASSWORD}@localhost:1/books?nonsense={PASSWORD}"', "ledger-address"),
        (f'store = "postgres://ana:{PASSWORD}@localhost/books"', "catalogue"),
        (f'store = "host=localhost password={PASSWORD}"', "catalogue"),
        (f'store = ["postgresql://ana:{PASSWORD}@localhost/books"]', "catalogue"),
        (f'stoer = "postgresql://ana:{PASSWORD}@localhost/books"', "catalogue"),
        (f'store = "postgresql://ana:{PASSWORD}@localhost/books', "catalogue-syntax"),
        (f'store = postgresql://ana:{PASSWORD}@localhost/books"', "catalogue-syntax"),
        (f'store = "host=localhost password={PASSWORD}', "catalogue-syntax"),
    ],
)
def test_a_password_in_the_catalogue_is_shown_by_no_error(shared_desk: Desk, line: str, code: str) -> None:
    desk = Desk(shared_desk.folder)
    path = desk.folder / "with-password.toml"
    path.write_text(f"[ledger]\n{line}\n\n{CATALOGUE}", encoding="utf-8")
    for command in (
        ("ask", COUNT, "--epsilon", "0.1", "--json"),
        ("ask", COUNT, "--epsilon", "0.1"),
        ("check",),
        ("budget",),
    ):
        done = desk.here(*command, "-c", str(path))
        assert done.code in (2, 5) and code in done.err, done
        assert PASSWORD not in done.out + done.err


def test_nor_is_it_in_anything_that_works(desk: Desk, postgres: str) -> None:
    """The server trusts whoever reaches its socket, whatever the password."""
    on_a_server(desk, postgres.replace("steward@", f"steward:{PASSWORD}@"))
    commands = (
        ("ask", COUNT, "--epsilon", "0.5", "--json"),
        ("ask", COUNT, "--epsilon", "0.5"),
        ("budget",),
        ("check",),
    )
    for command in commands:
        done = desk.here(*command)
        assert done.code == 0 and PASSWORD not in done.out + done.err, done
    session = lapcat.open(desk.catalogue)
    answer = session.sql(COUNT).run(epsilon=0.5)
    assert PASSWORD not in repr(session) + repr(answer) + str(answer.receipt)
    with PostgresLedger(postgres) as ledger:
        assert all(PASSWORD not in entry.text for entry in ledger.entries())


def test_a_catalogue_does_not_print_where_its_ledger_is() -> None:
    store = f"postgresql://ana:{PASSWORD}@db/books"
    catalogue = read_catalogue(f'[ledger]\nstore = "{store}"\n{CATALOGUE}', lambda source: {})
    assert catalogue.store == store and PASSWORD not in repr(catalogue)


def test_a_data_frame_may_have_its_ledger_there_too(postgres: str) -> None:
    rows = pd.DataFrame({"region": ["north", "south"] * 20})
    for free in (False, True):
        staff = lapcat.table(
            rows, name="staff", unit="row", keys={"region": ["north", "south"]}, epsilon=1, ledger=postgres
        )
        answer = staff.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region").run(epsilon="0.5")
        assert answer.free is free


def test_without_the_driver_the_command_that_installs_it_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_a_server(desk, "postgresql://localhost/books", refreshed=False)
    monkeypatch.setattr("lapcat.ledger.store_urls.find_spec", lambda name: None)
    error = desk.here("budget", "--json").error()
    assert error["code"] == "extra-missing" and error["fix"] == "pip install 'lapcat[postgres]'"
