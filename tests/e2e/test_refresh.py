"""Refreshes at once and refreshes that are killed: afterwards the declared version has its snapshot, and nothing is left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from lapcat.ledger import ledger_at
from lapcat.session.files import open_deployment
from lapcat.session.stored_snapshots import SnapshotState, kept_snapshots
from tests.e2e.kit import LAPCAT, Desk

CATALOGUE = """\
[tables.visits]
source = "visits.csv"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 5 }
[tables.visits.columns]
minutes = { type = "integer", low = 0, high = 120 }
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"


def make(folder: Path, rows: int, catalogue: str = CATALOGUE) -> Desk:
    folder.mkdir(exist_ok=True)
    lines = (f"{n},{n % 90}" for n in range(rows))
    (folder / "visits.csv").write_text("\n".join(["person_id,minutes", *lines]), encoding="utf-8")
    (folder / "lapcat.toml").write_text(catalogue, encoding="utf-8")
    return Desk(folder)


def start(desk: Desk) -> subprocess.Popen[bytes]:
    command = [LAPCAT, "refresh"]
    return subprocess.Popen(
        command, cwd=desk.folder, env=desk.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def files(desk: Desk) -> list[str]:
    return sorted(each for each in os.listdir(desk.folder / "lapcat.cache") if each != "engines.json")


def kill_some(desk: Desk, many: int, seconds: float) -> None:
    """Each at another moment of its work: some before, some while and some after rows are written."""
    moments = random.Random(18)
    for _ in range(many):
        process = start(desk)
        time.sleep(moments.uniform(0.3, seconds))
        process.send_signal(signal.SIGKILL)
        process.communicate()


def concurrent(desk: Desk, many: int) -> None:
    processes = [start(desk) for _ in range(many)]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, (out, err)


def require_one_good_version(desk: Desk) -> None:
    deployment = open_deployment(desk.catalogue)
    version = deployment.ledger.version("visits.csv")
    states = {kept.version: kept.state for kept in kept_snapshots(deployment)}
    assert states.pop(version) is SnapshotState.CURRENT
    assert set(states.values()) <= {SnapshotState.OLD} and len(states) <= 1, (
        "the one before, for questions being asked"
    )
    assert not [name for name in files(desk) if name.startswith(".")]
    reserved = Counter(each.snapshots for each in deployment.ledger.reserved())
    assert set(reserved.values()) == {1}, "no two ever wrote under one name"
    deployment.ledger.verify()
    assert desk.here("ask", COUNT, "--epsilon", "0.01").code == 0


def test_refreshes_at_once_and_killed_ones_leave_one_good_version(tmp_path: Path) -> None:
    desk = make(tmp_path / "desk", 20_000)
    concurrent(desk, 4)
    require_one_good_version(desk)
    kill_some(desk, 3, 1.5)
    assert desk.run("refresh").code == 0
    require_one_good_version(desk)


@pytest.mark.slow
def test_twelve_refreshes_at_once_and_ten_kills_leave_one_good_version(tmp_path: Path) -> None:
    desk = make(tmp_path / "desk", 200_000)
    concurrent(desk, 12)
    require_one_good_version(desk)
    kill_some(desk, 10, 3.5)
    concurrent(desk, 2)
    require_one_good_version(desk)


def test_what_killed_refreshes_left_behind_is_found_and_pruned(tmp_path: Path) -> None:
    """Killed while it writes, and killed after it wrote and before it declared."""
    desk = make(tmp_path / "desk", 10)
    assert desk.here("refresh").code == desk.here("refresh").code == 0
    deployment = open_deployment(desk.catalogue)
    (table,) = deployment.catalogue.tables.values()
    cache = desk.folder / "lapcat.cache"

    def named(version: int) -> list[str]:
        return [deployment.tables.snapshot("visits.csv", table, version).name]  # type: ignore[attr-defined]

    abandoned = deployment.ledger.reserve("visits.csv", named)
    assert abandoned == 3
    (cache / named(3)[0]).write_bytes(b"rows")
    (cache / f".{named(3)[0]}.4711.part").write_bytes(b"rows")
    (cache / f".{named(3)[0]}.4711.spill").mkdir()
    orphan = cache / "visits_csv-00000000.1.parquet"
    orphan.write_bytes(b"rows")
    (cache / "notes.txt").write_text("not a snapshot")
    listed = desk.here("snapshots", "--json").json()["snapshots"]
    assert Counter(each["state"] for each in listed) == {
        "current": 1, "old": 1, "unfinished": 3, "orphaned": 1,
    }  # fmt: skip
    shown = desk.here("snapshots")
    assert "current" in shown.out and "orphaned" in shown.out and shown.err == ""
    pruned = desk.here("snapshots", "prune")
    assert pruned.code == 0 and "removed 5 snapshots" in pruned.out, pruned
    assert files(desk) == ["notes.txt", *named(2)]
    assert desk.here("snapshots", "prune").out == "nothing to remove\n"
    assert desk.here("ask", COUNT, "--epsilon", "0.01").code == 0
    assert desk.here("refresh", "--json").json()["versions"] == {"visits": 4}, "3 is never used again"


def test_pruning_never_removes_a_declared_version_of_a_live_ledger(tmp_path: Path) -> None:
    """Another catalogue beside, with a ledger of its own, has its snapshots in the same folder."""
    desk = make(tmp_path / "desk", 10)
    assert desk.here("refresh").code == 0
    other = desk.folder / "other.toml"
    other.write_text(CATALOGUE + '[ledger]\nstore = "sqlite:other.ledger"\n', encoding="utf-8")
    assert desk.here("refresh", "-c", "other.toml").code == 0
    before = files(desk)
    for catalogue in ("lapcat.toml", "other.toml"):
        assert desk.here("snapshots", "prune", "-c", catalogue).out == "nothing to remove\n"
    assert files(desk) == before
    for name in before:
        refused = desk.here("snapshots", "prune", name, "--json")
        assert refused.code == 2 and refused.error()["code"] == "snapshot-needed"
    assert desk.here("snapshots", "prune", "nothing", "--json").error()["code"] == "snapshot-unknown"

    (desk.folder / "other.ledger").write_bytes(b"damaged")  # nobody knows whose they are: nothing is removed
    assert desk.here("snapshots", "prune").out == "nothing to remove\n" and files(desk) == before
    for left in desk.folder.glob("other.ledger*"):
        left.unlink()
    assert desk.here("snapshots", "prune").out == "nothing to remove\n", (
        "its witness knows it: it may come back"
    )
    other.unlink()
    assert "removed 1 snapshot" in desk.here("snapshots", "prune").out, (
        "its ledger and its catalogue are gone"
    )
    assert desk.here("ask", COUNT, "--epsilon", "0.01").code == 0


def test_pruning_leaves_alone_what_a_refresh_is_writing(tmp_path: Path) -> None:
    from lapcat.engines.base.cache_folder import new_file, stored_in

    desk = make(tmp_path / "desk", 10)
    assert desk.here("refresh").code == 0
    part = desk.folder / "lapcat.cache" / ".visits_csv-00000000.9.parquet.1.part"
    with new_file(part):  # of another ledger's refresh, for which this one's pruning does not wait
        assert desk.here("snapshots", "prune").out == "nothing to remove\n" and part.exists()
        (writing,) = (each for each in stored_in(part.parent) if each.unfinished)
        assert writing.being_written
    assert not part.exists()


def test_the_snapshot_is_locked_while_the_engine_writes_it(tmp_path: Path) -> None:
    """By DuckDB itself, into the very file that is locked."""
    from lapcat.engines.base.cache_folder import stored_in

    desk = make(tmp_path / "desk", 300_000)
    process = start(desk)
    seen: set[bool] = set()
    while process.poll() is None:
        seen |= {
            each.being_written
            for each in stored_in(desk.folder / "lapcat.cache")
            if each.unfinished and each.size
        }
        time.sleep(0.01)
    process.communicate()
    assert process.returncode == 0 and seen == {True}


def test_a_version_that_was_reserved_is_never_given_again(tmp_path: Path) -> None:
    with ledger_at(tmp_path / "ledger") as ledger:
        named = [ledger.reserve("a", lambda version: [f"a.{version}"]) for _ in range(3)]
        assert named == [1, 2, 3]
        assert ledger.refreshed("a", {}, 2) == 2
        assert ledger.reserve("a", lambda version: [f"a.{version}"]) == 4
        assert ledger.refreshed("a", {}) == 5 and ledger.version("a") == 5
        assert ledger.reserve("b", lambda version: []) == 1, "another source"
        ledger.verify()


def test_a_person_who_left_the_source_is_in_no_file_after_refresh_and_prune(tmp_path: Path) -> None:
    import duckdb

    desk = make(tmp_path / "desk", 5)
    with (desk.folder / "visits.csv").open("a", encoding="utf-8") as file:
        file.write("\n987654321,7")
    assert desk.here("refresh").code == 0
    make(desk.folder, 5)
    assert desk.here("refresh").code == 0 and desk.here("snapshots", "prune").code == 0
    (left,) = files(desk)
    with duckdb.connect() as connection:
        (units,) = connection.execute(
            f"SELECT list(_lapcat_unit::VARCHAR) FROM '{desk.folder}/lapcat.cache/{left}'"
        ).fetchall()[0]
    assert sorted(units) == ["0", "1", "2", "3", "4"]
