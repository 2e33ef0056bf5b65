"""Groups whose keys are private, from SQL to the ledger: what is shown, what it costs, and who may ask."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.core.event import KeyedRelease
from lapcat.session.results import Amount
from tests.e2e.kit import Desk
from tests.support import deploy, seeded

CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit = "person"
rows_per_unit = 1
budget = { epsilon = 3, delta = 1e-6 }
[tables.visits.columns]
person = { type = "integer" }
city = { type = "text", keys = "private" }
day = { type = "integer", keys = { from = 0, to = 1 } }

[tables.stays]
source = "stays.parquet"
unit = "person"
rows_per_unit = 1
budget = { rho = 0.5, delta = 1e-6 }
[tables.stays.columns]
person = { type = "integer" }
city = { type = "text", keys = "private" }

[analysts.ana]
tables = { visits = { epsilon = 3, delta = 1e-6 }, stays = { rho = 1, delta = 1e-6 } }
[analysts.bob]
tables = { visits = { epsilon = 1 } }
"""
PEOPLE = range(1200)
CITIES = [f"hamlet {i}" if i % 100 == 0 else ("Ulm", "Bonn", "Aalen")[i % 3] for i in PEOPLE]
DATA = {"person": list(PEOPLE), "city": CITIES, "day": [i % 2 for i in PEOPLE]}
BY_CITY = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    files = {"visits.parquet": DATA, "stays.parquet": DATA}
    return deploy(tmp_path, CATALOGUE, files, refreshed=["visits", "stays"])


def test_cities_are_shown_by_value_and_hamlets_of_one_are_not(path: Path) -> None:
    answer = seeded(path, analyst="ana").sql(BY_CITY).run(epsilon=1, delta="1e-7")
    assert answer["city"] == ["Aalen", "Bonn", "Ulm"]
    for row in answer:
        assert row["n_low"] <= CITIES.count(row["city"]) <= row["n_high"]


def test_it_costs_epsilon_and_no_more_delta_than_was_asked(path: Path) -> None:
    session = seeded(path, analyst="ana")
    preview = session.sql(BY_CITY).preview(epsilon=1, delta="1e-7")
    answer = session.sql(BY_CITY).run(epsilon=1, delta="1e-7")
    cost = answer.as_json()["cost"]
    assert cost == preview.as_json()["cost"] == answer.receipt.fields["guarantee"]
    assert isinstance(cost, dict) and cost["epsilon"] == "1"
    delta = Fraction(cost["delta"])
    assert Fraction("0.5e-7") < delta <= Fraction("1e-7")  # what a whole threshold leaves of it
    budget = session.budget()
    for gauge in (budget.tables["visits"], budget.analysts["ana"]["visits"]):
        assert gauge.spent == Amount(epsilon=Fraction(1), delta=delta)
        assert gauge.left == Amount(epsilon=Fraction(2), delta=Fraction("1e-6") - delta)
    assert preview.left_after["visits"] == budget.tables["visits"].left


def test_asked_again_for_no_more_it_is_free_and_for_more_delta_it_pays(path: Path) -> None:
    session = seeded(path, analyst="ana")
    first = session.sql(BY_CITY).run(epsilon=1, delta="1e-7")
    for epsilon, delta in (("1", "1e-7"), ("0.5", "1e-7"), ("1", "1e-8"), ("0.3", "1e-9")):
        assert session.sql(BY_CITY).preview(epsilon=epsilon, delta=delta).free
        again = session.sql(BY_CITY).run(epsilon=epsilon, delta=delta)
        assert again.free and again.rows == first.rows and again.receipt == first.receipt
    more = session.sql(BY_CITY).run(epsilon=1, delta="5e-7")
    assert not more.free and more.receipt.id != first.receipt.id
    assert session.budget().tables["visits"].spent.epsilon == 2


def test_a_budget_without_delta_refuses_and_pasting_its_fix_mends_it(path: Path) -> None:
    with pytest.raises(lapcat.BudgetExceeded) as refusal:
        lapcat.open(path, analyst="bob").sql(BY_CITY).run(epsilon="0.5", delta="1e-7")
    assert refusal.value.code == "budget-without-delta" and "bob on visits" in refusal.value.message
    mended = "{ epsilon = 1, delta = 1e-7 }"
    assert mended in refusal.value.fix
    path.write_text(CATALOGUE.replace("{ visits = { epsilon = 1 } }", f"{{ visits = {mended} }}"))
    assert Desk(path.parent).here("accept", "--reason", "groups by private keys").code == 0
    assert len(seeded(path, analyst="bob").sql(BY_CITY).run(epsilon="0.5", delta="1e-7")) == 3


def test_a_budget_of_rho_pays_half_the_square_of_the_whole_epsilon_and_the_delta(path: Path) -> None:
    session = seeded(path, analyst="ana")
    question = session.sql("SELECT city, COUNT(*) AS n FROM stays GROUP BY city")
    question.run(epsilon="0.8", delta="1e-7")
    spent = session.budget().tables["stays"].spent
    assert spent.rho == Fraction("0.32") and spent.delta is not None and 0 < spent.delta <= Fraction("1e-7")
    free = question.run(rho="0.32", delta="1e-7")
    assert free.free


def test_mixed_keys_show_every_declared_cell_of_a_shown_city(path: Path) -> None:
    question = seeded(path, analyst="ana").sql(
        "SELECT city, day, COUNT(*) AS n FROM visits GROUP BY city, day"
    )
    answer = question.run(epsilon=2, delta="1e-7")
    assert list(zip(answer["city"], answer["day"], strict=True)) == [
        (city, day) for city in ("Aalen", "Bonn", "Ulm") for day in (0, 1)
    ]
    event = question._program("2", "1e-7", None, None, Fraction(19, 20)).event
    assert isinstance(event, KeyedRelease) and event.rest is not None
    assert event.threshold.loss.epsilon + event.rest.loss.epsilon == 2


def test_the_command_line_takes_a_delta_and_says_what_is_left_of_it(path: Path) -> None:
    desk = Desk(path.parent)
    missing = desk.here("ask", BY_CITY, "--epsilon", "1", "--as", "ana")
    assert missing.code == 2 and "delta-missing" in missing.err and "--delta 1e-7" in missing.err
    done = desk.here("ask", BY_CITY, "--epsilon", "1", "--delta", "1e-7", "--as", "ana", "--plain")
    assert done.code == 0 and "spent epsilon 1 and delta" in done.out
    assert "visits 2 of 3 left, delta" in done.out and "you 2 of 3, delta" in done.out
    budget = json.loads(desk.here("budget", "--json", "--as", "ana").out)["tables"]["visits"]
    assert set(budget["spent"]) == set(budget["left"]) == set(budget["cap"]) == {"epsilon", "delta"}


@pytest.mark.patient
@pytest.mark.parametrize("chosen", ["MEDIAN(CLAMP(day, 0, 1))", "MAX(CLAMP(day, 0, 1))", "MODE(day)"])
@pytest.mark.parametrize("person", [5, -5])
def test_nobody_is_told_from_somebody_where_something_is_chosen(path: Path, chosen: str, person: int) -> None:
    text = f"SELECT city, {chosen} AS x, COUNT(*) AS n FROM visits WHERE person = {person} GROUP BY city"
    assert seeded(path, analyst="ana").sql(text).run(epsilon=1, delta="1e-7").rows == []
