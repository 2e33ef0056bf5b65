"""What lapcat 0.1.0 left on disk opens, verifies and answers for free, for ever (write_0_1_0.py says what there is)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lapcat
from lapcat.ledger import SQLLedger
from lapcat.session import Session
from lapcat.session.ledger_files import open_ledger_read_only
from lapcat.session.local import estimate_answers, estimate_file, open_survey
from tests.e2e.kit import Desk
from tests.golden.corpus import Schema
from tests.postgres_cluster import Cluster
from tests.stored.asking import ask, estimate_json, held_frame, identities_of, rows_json

STORED = Path(__file__).parent / "0.1.0"
FILES = {"shop": "shop", "counts": "counts", "signed": "signed/books"}
"""Deployments whose tables are files with snapshots, and the folder of each that has the catalogue."""

ANOTHER_MEANING: dict[str, str] = {
    "customers.rows_per_unit": "`bounds` counts units in buckets of doubling size; by rows it proposed 101 to 6 779 for a true 3"
}
"""Questions whose meaning changed since, and why: they are other questions now, and cost again. No other may."""


def copied(name: str, tmp_path: Path) -> Path:
    """A copy with the modes that lapcat gave it, which git does not keep."""
    folder = tmp_path / name
    shutil.copytree(STORED / name, folder)
    for cache in folder.rglob("lapcat.cache"):
        cache.chmod(0o700)
        for file in cache.rglob("*"):
            file.chmod(0o600)
    for key in (*folder.rglob("key"), *folder.rglob("*.key")):
        key.chmod(0o600)
    return folder


def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def require_the_same(folder: Path, session: Session | None = None) -> int:
    """Asks every stored question again; how many there were."""
    sessions: dict[str | None, Session] = {}
    asked = 0
    paused = expected(folder).get("paused", [])
    for stored in expected(folder)["questions"]:
        question = stored["asked"]
        if question.get("sql", question.get("bounds")) in ANOTHER_MEANING or any(
            f"FROM {name} " in question.get("sql", "") for name in paused
        ):
            continue
        who = question.get("analyst")
        if who not in sessions:
            sessions[who] = session or lapcat.open(folder / "lapcat.toml", analyst=who)
        answer = ask(sessions[who], question)[stored["table"]]
        assert answer.free, question
        assert rows_json(answer) == stored["rows"], question
        if "derived_from" in stored:
            assert list(answer.derived_from) == stored["derived_from"], question
        else:
            assert answer.receipt.as_json() == stored["receipt"], question
        asked += 1
    ledger = next(iter(sessions.values()))._deployment.ledger
    assert spent(ledger) == expected(folder)["spent"]
    for opened_session in sessions.values():
        opened_session._deployment.ledger.close()
    return asked


def spent(ledger: Any) -> dict[str, dict[str, str | None]]:
    kinds = ("epsilon", "delta", "rho")
    amounts = {scope: ledger.spent(scope) for scope in ledger.scopes()}
    return {
        scope: {kind: None if getattr(was, kind) is None else str(getattr(was, kind)) for kind in kinds}
        for scope, was in amounts.items()
    }


def require_verified(folder: Path) -> None:
    """The whole book against itself and its guards, and every receipt against the book."""
    desk = Desk(folder)
    verification = desk.here("ledger", "verify", "--json")
    assert verification.code == 0, verification
    signed = (folder / "lapcat.pub").exists()
    for stored in expected(folder)["questions"]:
        (folder / "receipt.json").write_text(json.dumps(stored["receipt"]), encoding="utf-8")
        output = desk.here("receipt", "verify", "receipt.json", "--ledger", "lapcat.toml", "--json")
        assert output.code == 0 and output.json()["signed"] == signed, output


# ------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("name", FILES)
def test_a_stored_ledger_and_its_receipts_verify(name: str, tmp_path: Path) -> None:
    require_verified(copied(name, tmp_path) / FILES[name].removeprefix(name).strip("/"))


@pytest.mark.parametrize("name", FILES)
def test_every_stored_question_answers_for_free_with_the_same_rows(name: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path) / FILES[name].removeprefix(name).strip("/")
    assert require_the_same(folder) >= 30
    require_verified(folder)


def test_a_question_that_is_new_is_paid_for_and_read_from_the_stored_snapshots(tmp_path: Path) -> None:
    folder = copied("shop", tmp_path)
    ana = lapcat.open(folder / "lapcat.toml", analyst="ana")
    before = ana.gauges().as_json()
    questions = {
        "customers": "SELECT COUNT(*) AS n FROM customers WHERE age < 50",
        "items": "SELECT SUM(quantity) AS n FROM items",
        "products": "SELECT category, COUNT(*) AS n FROM items JOIN products ON items.product_id = products.product_id GROUP BY category",
        "panel": "SELECT SUM(score) AS n FROM panel",
        "visits": "SELECT SUM(cost) AS n FROM visits WHERE month = '2024-03'",
    }
    for question in questions.values():
        answer = ana.sql(question).run(epsilon="0.1")
        assert not answer.free
    assert ana.gauges().as_json() != before


def test_what_the_steward_did_still_holds(tmp_path: Path) -> None:
    """A paused table, a debit that was taken back, a failure, two versions and two acceptances."""
    folder = copied("shop", tmp_path)
    ana = lapcat.open(folder / "lapcat.toml", analyst="ana")
    with pytest.raises(lapcat.Error) as refused:
        ana.sql("SELECT SUM(nights) AS n FROM stays WHERE quarter IN (2, 3)").run(epsilon="0.5")
    assert refused.value.code == "table-paused"
    book = open_ledger_read_only(folder / "lapcat.toml")
    kinds = {entry.kind for entry in book.ledger.entries()}
    assert kinds >= {"accept", "refresh", "debit", "looked", "answered", "released", "share", "key", "failed"}
    assert kinds >= {"pause", "resume", "void"}
    assert book.ledger.version("sensors.csv") == 2 and book.ledger.version("panel.csv") == 1
    assert book.ledger.failures("table:sensors.csv") == 1
    voided = expected(folder)["voided"]
    listed = Desk(folder).here("ledger", "list", "--json").json()["entries"]
    assert next(line for line in listed if line["id"] == voided)["state"] == "voided"


def test_a_rolled_back_copy_of_the_signed_ledger_is_still_noticed_by_its_witness(tmp_path: Path) -> None:
    folder = copied("signed", tmp_path)
    witness = folder / "elsewhere" / "lapcat.witness"
    later = '{"hash":"' + "0" * 64 + '","id":9999}\n'
    witness.write_text(witness.read_text(encoding="ascii") + later, encoding="ascii")
    with pytest.raises(lapcat.Error) as refused:
        lapcat.open(folder / "books" / "lapcat.toml")
    assert refused.value.code == "ledger-rolled-back"


# ------------------------------------------------------------------------------------------------ read in place


def test_answers_about_rows_that_were_read_in_place_stay_free(tmp_path: Path) -> None:
    """Versions 0 and 1 of tables without a snapshot: nothing has to be done for what was asked before."""
    folder = copied("in_place", tmp_path)
    require_verified(folder)
    assert require_the_same(folder) == 5


@pytest.mark.parametrize(("name", "version"), [("staff", 0), ("bills", 0), ("declared", 1)])
def test_the_missing_snapshot_of_a_version_that_was_read_in_place_is_written_and_answers_stay_free(
    name: str, version: int, tmp_path: Path
) -> None:
    folder = copied("in_place", tmp_path)
    desk = Desk(folder)
    new = ("ask", f"SELECT COUNT(*) AS n FROM {name} WHERE 1 = 1", "--epsilon", "0.125", "--json")
    refused = desk.here(*new)
    assert refused.error()["code"] == "snapshot-missing" and spent_on(folder) == expected(folder)["spent"]
    again = ("refresh", name, "--same-version", "--reason", "the file is of last year")
    assert desk.here(*again).out == f"{name}: version {version}, unchanged\n"
    assert require_the_same(folder) == 5
    require_verified(folder)
    assert desk.here(*new).code == 0, "and what was not asked before is answered"
    assert "its missing snapshot: the file is of last year" in desk.here("ledger", "list", "--json").out
    assert desk.here(*again, "--json").error()["code"] == "snapshot-there"
    assert desk.here("refresh", name).code == 0 and desk.here("ledger", "verify").code == 0
    assert desk.here(*new).json()["free"] is False, "a new version costs again"


def spent_on(folder: Path) -> dict[str, dict[str, str | None]]:
    book = open_ledger_read_only(folder / "lapcat.toml")
    totals = spent(book.ledger)
    book.ledger.close()
    return totals


def test_a_frame_with_a_ledger_that_lasts_answers_for_free(tmp_path: Path) -> None:
    folder = copied("frames", tmp_path)
    assert require_the_same(folder, held_frame(folder)) == 2


# ------------------------------------------------------------------------------------------------ server


@pytest.fixture
def server(cluster: Cluster, tmp_path: Path) -> Iterator[Path]:
    """The deployment on a server, loaded into a database of its own. The server moved, which its steward accepts."""
    import psycopg

    folder, database = copied("server", tmp_path), "stored_0_1_0"
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {database}")
    url = cluster.url(database)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute((folder / "server.sql").read_bytes())
    catalogue = folder / "lapcat.toml"
    catalogue.write_text(catalogue.read_text(encoding="utf-8").replace("URL", url), encoding="utf-8")
    yield folder
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {database} WITH (FORCE)")


def test_a_ledger_on_a_server_verifies_and_answers_for_free(server: Path) -> None:
    require_verified(server)
    assert Desk(server).here("accept", "--reason", "the server moved").code == 0
    assert require_the_same(server) == 8
    ana = lapcat.open(server / "lapcat.toml", analyst="ana")
    answer = ana.sql("SELECT region, COUNT(*) AS n FROM staff WHERE pay < 50 GROUP BY region").run(
        epsilon="0.1"
    )
    assert not answer.free and len(answer.rows) == 2
    ledger = ana._deployment.ledger
    assert isinstance(ledger, SQLLedger)
    ledger.close()
    require_verified(server)


# ------------------------------------------------------------------------------------------------ local


def test_stored_reports_estimate_the_same(tmp_path: Path) -> None:
    folder = copied("local", tmp_path)
    files = sorted(folder.glob("*.parquet"))
    assert len(files) == 9
    for file in files:
        _, n, estimate = estimate_file(file)
        stored = expected(folder)[file.name]
        assert n == stored["n"] and near(estimate_json(estimate), stored["estimate"])


def test_stored_keys_draw_anew_in_a_named_wave_only(tmp_path: Path) -> None:
    """A person pays once: nothing says what was told with a key of 0.1.0, and a second report must not go unnoticed."""
    folder = copied("local", tmp_path)
    desk = Desk(folder)
    for name, stored in expected(folder).items():
        if name.endswith(".parquet"):
            options = ("--column", stored["column"], "--epsilon", "2", *stored["options"])
            done = desk.here(
                "local", "encode", "people.csv", *options, "--person", "person", "-o", "again.parquet"
            )
            assert done.code == 2 and "[local-told]" in done.err
            assert not (folder / "again.parquet").exists()
            wave = ("--wave", name, "-o", "wave.parquet")
            done = desk.here("local", "encode", "people.csv", *options, "--person", "person", *wave)
            assert done.code == 0, done


def test_stored_answers_to_a_survey_estimate_the_same(tmp_path: Path) -> None:
    folder = copied("local", tmp_path)
    stored = expected(folder)["answers.jsonl"]
    assert open_survey(folder / "questions.toml").id == stored["survey"]
    result = estimate_answers([folder / "answers.jsonl"], folder / "questions.toml")
    assert result.left_out == stored["left_out"]
    now = [[protocol.question, n, estimate_json(estimate)] for protocol, n, estimate in result.estimates]
    assert near(now, stored["estimates"])


def near(value: Any, other: Any) -> bool:
    """The same but for the last digits of floats, which depend on the machine's exp."""
    if isinstance(value, list):
        return len(value) == len(other) and all(map(near, value, other))
    return value == pytest.approx(other, rel=1e-9) if isinstance(value, float) else bool(value == other)


# ------------------------------------------------------------------------------------------------ identities


@pytest.mark.parametrize("schema", ["basics", "flights", "hospital", "shop"])
def test_questions_of_every_shape_are_known_by_what_they_were_known_by(schema: str) -> None:
    """A question that is known by something else would cost again, and find no stored answer."""
    stored = json.loads((STORED / "identities.json").read_text(encoding="utf-8"))[schema]
    catalogue = Schema(stored["catalogue"])
    changed = [
        question
        for question, identities in stored["questions"].items()
        if question not in ANOTHER_MEANING and identities_of(catalogue, question) != identities
    ]
    assert not changed, "\n".join(changed)
