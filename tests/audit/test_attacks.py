"""The attacks, with the figures that are promised against them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from lapcat.audit.attacks import ATTACKS, amplify, failure, reconstruction
from lapcat.audit.attacks.decoding import decode
from lapcat.audit.attacks.finding import Finding
from lapcat.audit.attacks.worlds import COLUMNS, Visit, catalogue_of
from lapcat.testing.coins import SeededCoins
from tests.engines.on_postgres import PHYSICAL, put, tell
from tests.postgres_cluster import Cluster
from tests.spark_session import Spark
from tests.support import deploy

CRAMPED = 8_000
"""People on a server with little disk."""
QUICK = [name for name in ATTACKS if name not in ("reconstruction", "timing", "failure")]


@pytest.fixture(scope="module")
def found() -> Callable[[str], Finding]:
    return cache(lambda name: ATTACKS[name]("1"))


@pytest.mark.parametrize("name", QUICK)
def test_an_attack_on_lapcat_gets_nothing_that_is_promised_not_to_leave(
    name: str, found: Callable[[str], Finding]
) -> None:
    assert found(name).held is True, found(name)


def test_the_right_guess_sounds_like_every_other_and_makes_no_more_rows_than_are_allowed(
    found: Callable[[str], Finding],
) -> None:
    figures = found("amplify").figures
    assert figures["told"] == 0 and figures["refused"] >= 1 and 81 <= figures["rows"] <= 10_000


def test_one_question_that_fails_for_the_right_guess_is_an_attack_that_got_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The verdict follows from the outcomes."""
    monkeypatch.setattr(amplify, "GUESSES", range(5, 9))
    right = f"pay = {amplify.PAY}"
    monkeypatch.setattr(
        amplify, "_outcome", lambda _, text, price: "engine-failed" if right in text else "answered"
    )
    finding = amplify.attack("1")
    assert finding.held is False and finding.figures["told"] == 6


def test_the_edges_of_memory_and_time_are_found_and_what_one_person_does_there_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(failure, "LIMITS", (failure.LIMITS[0], failure.LIMITS[-1]))
    monkeypatch.setattr(failure, "AROUND", 1)
    finding = failure.attack("1")
    assert finding.figures["edges"] >= 1, "that of memory is there on every machine"
    assert finding.figures["asked"] == 3 * finding.figures["edges"], finding
    assert "memory: " in finding.lapcat and "deadline: " in finding.lapcat
    assert finding.held is (True if finding.figures["differ"] == 0 else None)


@pytest.fixture(scope="module")
def on_postgresql(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> list[Path]:
    """Without the person, with them, and without them again; disk for temporary files is limited to 2 MB."""
    tell(cluster, "CREATE ROLE cramped SUPERUSER LOGIN")
    tell(cluster, "ALTER ROLE cramped SET temp_file_limit = '2MB'")
    folders = []
    for name, rows in three_worlds():
        put(cluster, rows, {column: PHYSICAL[kind] for column, kind in COLUMNS.items()}, f"cramped_{name}")
        source = f"{cluster.url(user='cramped')}#public.cramped_{name}"
        text = catalogue_of("1", failure.ENGINE, source)
        folders.append(deploy(tmp_path_factory.mktemp("cramped") / name, text, {}).parent)
    return folders


def three_worlds() -> list[tuple[str, list[Visit]]]:
    visits = failure.fixture_visits(CRAMPED)
    return [("without", visits), ("there", visits + failure.heavy_visits()), ("same", visits)]


def searched(
    limit: failure.EngineLimit, folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> failure.EdgeOutcomes:
    monkeypatch.setattr(failure, "AROUND", 2)
    monkeypatch.setattr(failure, "PEOPLE", CRAMPED)
    return failure.search(limit, *(failure.with_memory(folder, limit.memory) for folder in folders))


def test_the_edge_of_postgresqls_disk_is_found(
    on_postgresql: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = searched(failure.EngineLimit("disk", "1MB", failure.SIX), on_postgresql, monkeypatch)
    without = [outcome[0] for outcome in edge.outcomes]
    assert without == [True, True, False, False, False], edge


def test_a_deadline_of_postgresql_is_searched_for_an_edge(
    on_postgresql: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = searched(failure.EngineLimit("deadline", "64MB", failure.SIX, 0.6), on_postgresql, monkeypatch)
    assert len(edge.outcomes) in (0, 5), "none where the machine was too busy to tell"


@pytest.mark.slow
def test_a_deadline_of_spark_is_searched_for_an_edge(
    tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = []
    for name, rows in three_worlds():
        (tmp_path / name / "v").mkdir(parents=True)
        data = {"v/part.parquet": {column: [row[column] for row in rows] for column in COLUMNS}}
        text = catalogue_of("1", failure.ENGINE, "spark:v/")
        folders.append(deploy(tmp_path / name, text, data).parent)
    edge = searched(failure.EngineLimit("deadline", "64MB", failure.SIX, 0.6), folders, monkeypatch)
    assert len(edge.outcomes) in (0, 5), "none where the machine was too busy to tell"


def test_a_thousand_repeats_are_one_value_and_one_debit(found: Callable[[str], Finding]) -> None:
    figures = found("averaging").figures
    assert (figures["values"], figures["debits"]) == (1, 1)


def test_a_race_spends_the_budget_and_no_more_where_a_careless_one_spends_more(
    found: Callable[[str], Finding],
) -> None:
    figures = found("races").figures
    assert figures["answered"] == 20 and figures["spent"] == 1 and figures["careless"] > 20


def test_subset_counts_give_everybody_away_but_not_under_a_cap() -> None:
    finding = reconstruction.attack("1", subsets=160, coins=SeededCoins(4))
    assert finding.held and finding.figures["exact"] == 1 and finding.figures["lapcat"] <= 0.6
    assert finding.figures["refused"] == 1
    assert set(finding.pictures) == {f"reconstruction-{name}.svg" for name in ("exact", "uncapped", "lapcat")}
    assert finding.pictures["reconstruction-exact.svg"].count("<path") == 0  # nobody was guessed wrong


@pytest.mark.slow
def test_the_attack_works_where_the_budget_is_large() -> None:
    """A test that cannot fail is no test: at epsilon 2 for each answer lapcat protects nobody either, and says so."""
    finding = reconstruction.attack("320", subsets=160, coins=SeededCoins(4))
    assert finding.figures["lapcat"] > 0.9


@pytest.mark.slow
def test_five_hundred_and_twelve_counts_of_a_hundred_and_twenty_eight_people() -> None:
    finding = reconstruction.attack("1", coins=SeededCoins(5))
    assert finding.held and finding.figures["lapcat"] <= 0.6
    assert finding.figures["exact"] == finding.figures["uncapped"] == 1


@pytest.mark.parametrize("scale", [0.0, 2.0, 6.0, 40.0])
def test_bits_are_decoded_as_well_as_by_a_linear_program(scale: float) -> None:
    rng = np.random.default_rng(9)
    people, counts = 64, 256
    here = there = 0
    for _ in range(4):
        secret = rng.integers(0, 2, people).astype(float)
        subsets = rng.integers(0, 2, (counts, people)).astype(float)
        noisy = subsets @ secret + rng.laplace(0, scale, counts)
        # least absolute deviations: minimise the sum of t with −t <= A x − y <= t
        eye = np.eye(counts)
        solved = linprog(
            np.concatenate([np.zeros(people), np.ones(counts)]),
            A_ub=np.block([[subsets, -eye], [-subsets, -eye]]),
            b_ub=np.concatenate([noisy, -noisy]),
            bounds=[(0, 1)] * people + [(0, None)] * counts,
        ).x[:people]
        here += int(((decode(subsets, noisy) > 0.5) == (secret > 0.5)).sum())
        there += int(((solved > 0.5) == (secret > 0.5)).sum())
    assert abs(here - there) <= 0.06 * 4 * people
    if scale == 0:
        assert here == 4 * people
