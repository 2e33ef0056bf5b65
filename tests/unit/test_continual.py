"""New data never resets what was spent; blocks have budgets of their own only where that is a theorem."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import lapcat
from lapcat.cli.checking import rows_outside
from lapcat.cli.commands.check import command as check
from lapcat.frontend.catalogue import read_catalogue
from lapcat.render.statement import PrivacyStatement
from lapcat.session.files import open_deployment, refresh
from lapcat.session.releases import protected_in
from tests.support import deploy, seeded, write_table

MONTHS = ("2024-01", "2024-02", "2024-03")
CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit = "row"
blocks = "month"
budget = { epsilon = 1 }
[tables.visits.columns]
month = { type = "text", keys = ["2024-01", "2024-02", "2024-03"] }
cost = { type = "integer", low = 0, high = 100 }
kind = { type = "text", keys = ["a", "b"] }
"""
ANALYSTS = """
[analysts.ana]
tables = { visits = { epsilon = 0.5 } }
[analysts.bob]
tables = { visits = { epsilon = 0.9, per_query = 0.6 } }
"""
ROWS = {
    "month": ["2024-01"] * 40 + ["2024-02"] * 30 + ["2024-09"] * 20 + [None] * 10,
    "cost": list(range(100)),
    "kind": ["a", "b"] * 50,
}
WHOLE = CATALOGUE.replace('blocks = "month"\n', "")
ONE = "SELECT COUNT(*) AS n FROM visits WHERE month = '2024-01'"
ALL = "SELECT COUNT(*) AS n FROM visits"


def visits(folder: Path, extra: str = "", catalogue: str = CATALOGUE) -> Path:
    return deploy(folder, catalogue + extra, {"visits.parquet": ROWS})


def spent(path: Path, analyst: str | None = None) -> dict[str, Fraction]:
    budget = open_deployment(path).budget()
    gauge = budget.tables["visits"] if analyst is None else budget.analysts[analyst]["visits"]
    return {name: own.spent.epsilon or Fraction(0) for name, own in gauge.blocks.items()}


# ------------------------------------------------------------------------------------------------ versions


def test_after_a_refresh_the_same_question_costs_again_and_the_sum_goes_on(tmp_path: Path) -> None:
    path = visits(tmp_path, catalogue=WHOLE)
    lapcat.open(path).sql(ALL).run(epsilon="0.4")
    assert lapcat.open(path).sql(ALL).run(epsilon="0.4").free
    refresh(open_deployment(path), "visits")
    again = lapcat.open(path).sql(ALL).run(epsilon="0.4")
    assert not again.free and again.budget.tables["visits"].spent.epsilon == Fraction(8, 10)
    refresh(open_deployment(path), "visits")
    with pytest.raises(lapcat.BudgetExceeded):
        lapcat.open(path).sql(ALL).run(epsilon="0.4")


def test_a_new_version_resets_no_block(tmp_path: Path) -> None:
    path = visits(tmp_path)
    lapcat.open(path).sql(ONE).run(epsilon="0.9")
    write_table(tmp_path / "visits.parquet", {name: values * 2 for name, values in ROWS.items()})
    refresh(open_deployment(path), "visits")
    with pytest.raises(lapcat.BudgetExceeded, match=r"visits, month 2024-01 has epsilon 0\.1 left"):
        lapcat.open(path).sql(ONE).run(epsilon="0.2")
    assert not lapcat.open(path).sql(ONE).run(epsilon="0.1").free


# ------------------------------------------------------------------------------------------------ paying


def test_a_question_is_paid_from_the_blocks_that_it_can_read(tmp_path: Path) -> None:
    path = visits(tmp_path)
    db = lapcat.open(path)
    answer = db.sql(ONE).run(epsilon="0.6")
    assert answer.receipt.as_json()["blocks"] == ["2024-01"]
    assert any("only where month is 2024-01" in note for note in answer.notes)
    db.sql("SELECT month, SUM(cost) AS s FROM visits GROUP BY month").run(epsilon="0.3")
    db.sql("SELECT AVG(cost) AS s FROM visits WHERE month IN ('2024-02', '2024-03') AND kind = 'a'").run(
        epsilon="0.5"
    )
    assert spent(path) == {"2024-01": Fraction(9, 10), "2024-02": Fraction(8, 10), "2024-03": Fraction(8, 10)}
    assert db.budget().tables["visits"].spent.epsilon == Fraction(9, 10)  # what it has cost anybody at most
    with pytest.raises(lapcat.BudgetExceeded) as refusal:
        db.sql(ALL).run(epsilon="0.2")
    assert "visits, month 2024-01 has epsilon 0.1 left" in refusal.value.message
    assert refusal.value.fix == "epsilon=0.1"
    assert db.sql(ALL).run(epsilon="0.1").cost.epsilon == Fraction(1, 10)  # type: ignore[union-attr]
    with pytest.raises(lapcat.BudgetExceeded, match="month 2024-01 has epsilon 0 left") as refusal:
        db.sql(ALL + " WHERE kind = 'b'").run(epsilon="0.1")
    assert "raise the budget of visits in lapcat.toml" in (refusal.value.fix or "")


def test_a_preview_says_which_blocks_pay_and_what_is_left_of_the_tightest(tmp_path: Path) -> None:
    path = visits(tmp_path)
    db = lapcat.open(path)
    db.sql(ONE).run(epsilon="0.6")
    both = db.sql("SELECT SUM(cost) AS s FROM visits WHERE month IN ('2024-01', '2024-02')")
    preview = both.preview(epsilon="0.1")
    assert preview.left_after["visits"].epsilon == Fraction(3, 10)
    assert any("only where month is 2024-01, 2024-02" in note for note in preview.notes)
    assert db.sql(ALL).preview(epsilon="0.5").left_after["visits"].epsilon == Fraction(-1, 10)
    assert any("all 3 blocks" in note for note in db.sql(ALL).preview(epsilon="0.1").notes)


def test_every_analyst_has_the_limit_on_each_block(tmp_path: Path) -> None:
    path = visits(tmp_path, ANALYSTS)
    ana, bob = (lapcat.open(path, analyst=name) for name in ("ana", "bob"))
    paid = ana.sql(ONE).run(epsilon="0.4")
    with pytest.raises(lapcat.BudgetExceeded, match=r"ana on visits, month 2024-01 has epsilon 0\.1 left"):
        ana.sql(ALL).run(epsilon="0.2")
    ana.sql("SELECT COUNT(*) AS n FROM visits WHERE month = '2024-02'").run(epsilon="0.5")
    with pytest.raises(lapcat.BudgetExceeded) as refusal:
        bob.sql("SELECT COUNT(*) AS n FROM visits WHERE month = '2024-03'").run(epsilon="0.7")
    assert refusal.value.code == "per-query-exceeded"
    shared = bob.sql(ONE).run(
        epsilon="0.4"
    )  # a stored answer costs the table nothing, and bob what it has cost
    assert shared.free and shared.as_json()["rows"] == paid.as_json()["rows"]
    assert spent(path) == {"2024-01": Fraction(4, 10), "2024-02": Fraction(5, 10), "2024-03": 0}
    assert spent(path, "ana") == {"2024-01": Fraction(4, 10), "2024-02": Fraction(5, 10), "2024-03": 0}
    assert spent(path, "bob") == {"2024-01": Fraction(4, 10), "2024-02": 0, "2024-03": 0}


def test_what_follows_from_a_stored_answer_is_charged_to_the_blocks_of_that_answer(tmp_path: Path) -> None:
    path = visits(tmp_path, ANALYSTS)
    text = "SELECT kind, COUNT(*) AS n, SUM(cost) AS s FROM visits WHERE month = '2024-02' GROUP BY kind"
    lapcat.open(path, analyst="bob").sql(text).run(epsilon="0.3")
    derived = lapcat.open(path, analyst="ana").sql(text.replace(", SUM(cost) AS s", "")).run()
    assert derived.derived_from and derived.receipt.as_json()["blocks"] == ["2024-02"]
    assert spent(path, "ana") == {"2024-01": 0, "2024-02": Fraction(3, 10), "2024-03": 0}


def test_rows_in_no_declared_block_are_read_by_nobody(tmp_path: Path) -> None:
    path = visits(tmp_path)
    for text in (
        ALL,
        "SELECT COUNT(*) AS n FROM visits WHERE month = '2024-09' OR month IS NULL OR kind = 'a'",
    ):
        answer = seeded(path).sql(text).run(epsilon="0.4")
        assert answer["n"][0] < 85, "of 100 rows 30 are in no block"
    assert any("whose month is not declared are left out" in note for note in answer.notes)


def test_a_month_that_is_declared_later_begins_unspent_for_nobody_has_read_it(tmp_path: Path) -> None:
    path = visits(tmp_path)
    lapcat.open(path).sql(ALL).run(epsilon="0.7")
    path.write_text(path.read_text().replace('"2024-03"]', '"2024-03", "2024-09"]'))
    open_deployment(path).accept("September is in")
    assert spent(path) == {**dict.fromkeys(MONTHS, Fraction(7, 10)), "2024-09": 0}
    lapcat.open(path).sql("SELECT COUNT(*) AS n FROM visits WHERE month = '2024-09'").run(epsilon="0.9")
    with pytest.raises(lapcat.BudgetExceeded):
        lapcat.open(path).sql("SELECT SUM(cost) AS s FROM visits").run(epsilon="0.2")


def test_a_paused_table_is_paused_in_all_its_blocks(tmp_path: Path) -> None:
    path = visits(tmp_path)
    deployment = open_deployment(path)
    deployment.require_acceptance()
    deployment.ledger.pause(deployment.scope(deployment.catalogue.tables["visits"]), "audit")
    with pytest.raises(lapcat.Refused, match="visits is paused by the steward: audit") as refusal:
        lapcat.open(path).sql(ONE).run(epsilon="0.1")
    assert "lapcat resume visits --reason" in (refusal.value.fix or "")


# ------------------------------------------------------------------------------------------------ only by theorem


@pytest.mark.parametrize("before, after", [(CATALOGUE, WHOLE), (WHOLE, CATALOGUE)], ids=["out of", "into"])
def test_what_was_spent_is_never_carried_into_or_out_of_blocks(
    tmp_path: Path, before: str, after: str
) -> None:
    path = visits(tmp_path, catalogue=before)
    lapcat.open(path).sql(ONE).run(epsilon="0.1")
    path.write_text(after)
    with pytest.raises(lapcat.Refused) as refusal:
        open_deployment(path).accept("finer")
    assert refusal.value.code == "spent-otherwise"


def catalogue(**lines: str) -> str:
    """The catalogue with other lines; an empty one is left out."""
    kept = [
        line
        for line in CATALOGUE.splitlines()
        if line.split(" =")[0] not in lines or line.startswith("month")
    ]
    kept[2:2] = [line for line in lines.values() if line]
    return "\n".join(kept)


def refused(text: str) -> lapcat.Error:
    with pytest.raises(lapcat.Error) as caught:
        read_catalogue(text, lambda source: {})
    return caught.value


PERSON = 'unit = "person_id"\nrows_per_unit = 5'
WITHIN = 'unit = { column = "person_month", within = "month" }\nrows_per_unit = 5'


@pytest.mark.parametrize(
    "lines, because",
    [
        ({"unit": PERSON}, "several blocks"),
        ({"relation": 'relation = "replace-one"\nunits = 100'}, "move from one block to another"),
        (
            {"unit": 'unit = { column = "p", of = "people", within = "month" }\nrows_per_unit = 2'},
            "other tables",
        ),
    ],
)
def test_blocks_that_are_not_parallel_are_refused_with_the_theorem(
    lines: dict[str, str], because: str
) -> None:
    people = "\n[populations.people]\nbudget = { epsilon = 1 }\n"
    error = refused(catalogue(**lines) + people)
    assert error.code == "not-parallel" and because in error.message
    assert "parallel composition" in (error.why or "") and error.place is not None and error.fix


def test_the_unit_that_the_refusal_proposes_is_accepted() -> None:
    fix = refused(catalogue(unit=PERSON)).fix or ""
    unit = fix.split("  if ")[0]
    assert read_catalogue(catalogue(unit=f"{unit}\nrows_per_unit = 5"), lambda source: {})


@pytest.mark.parametrize(
    "old, new",
    [
        ('blocks = "month"', 'blocks = "cost"'),
        ('blocks = "month"', 'blocks = "mnth"'),
        ('blocks = "month"', "blocks = 3"),
        ('keys = ["2024-01", "2024-02", "2024-03"]', 'keys = "private"'),
        (
            'type = "text", keys = ["2024-01", "2024-02", "2024-03"]',
            'type = "integer", keys = { from = 0, to = 5000 }',
        ),
        ('blocks = "month"\n', ""),
    ],
)
def test_blocks_need_a_column_with_a_short_public_list(old: str, new: str) -> None:
    text = catalogue(unit=WITHIN).replace(old, new)
    error = refused(text)
    assert error.code == "catalogue" and error.fix and error.place is not None


def test_a_path_of_keys_does_not_go_through_a_table_in_blocks() -> None:
    text = catalogue(unit=WITHIN) + (
        '\nid = { type = "integer", unique = true }\n[tables.notes]\nsource = "n.csv"\n'
        'unit = { column = "visit", through = "visits.id" }\nrows_per_unit = 2\nbudget = { epsilon = 1 }\n'
        '[tables.notes.columns]\nvisit = { type = "integer" }\n'
    )
    error = refused(text)
    assert error.code == "catalogue" and "has blocks" in error.message


# ------------------------------------------------------------------------------------------------ people in one block

PEOPLE = catalogue(unit=WITHIN) + '\nperson_month = { type = "text" }\n'


def people(months: list[str | None], names: list[str]) -> dict[str, list[object]]:
    return {
        "month": [*months],
        "cost": [10] * len(months),
        "kind": ["a"] * len(months),
        "person_month": [*names],
    }


def test_units_within_a_block_are_paid_for_by_block(tmp_path: Path) -> None:
    rows = people([*["2024-01"] * 4, "2024-02", None], ["ann 01"] * 3 + ["bo 01", "ann 02", "cy"])
    path = deploy(tmp_path, PEOPLE, {"visits.parquet": rows}, refreshed=["visits"])
    answer = lapcat.open(path).sql(ONE).run(epsilon="0.9")
    assert answer.receipt.as_json()["unit"] == "person_month"
    assert spent(path) == {"2024-01": Fraction(9, 10), "2024-02": 0, "2024-03": 0}


@pytest.mark.parametrize("second", ["2024-02", "2024-09", None])
def test_a_version_in_which_somebody_is_in_two_blocks_is_refused(tmp_path: Path, second: str | None) -> None:
    path = deploy(tmp_path, PEOPLE, {"visits.parquet": people(["2024-01", "2024-02"], ["ann 01", "ann 02"])})
    deployment = open_deployment(path)
    write_table(
        tmp_path / "visits.parquet",
        people(["2024-01", "2024-02", second], ["kanarienvogel", "ann 02", "kanarienvogel"]),
    )
    refused = None
    try:
        refresh(open_deployment(path), "visits")
    except lapcat.Refused as refusal:
        refused = refusal
    assert refused is not None and refused.code == "unit-in-two-blocks"
    assert "kanarienvogel" not in str(refused)
    assert (
        open_deployment(path).ledger.version(deployment.identity(deployment.catalogue.tables["visits"])) == 1
    )


def test_the_steward_is_told_before_a_refresh_how_many_are_in_two_blocks(tmp_path: Path) -> None:
    months = ["2024-01", "2024-02", "2024-01", "2024-02", None]
    rows = people(months, ["kanarienvogel", "kanarienvogel", "ann", "bob", "bob"])
    path = deploy(tmp_path, PEOPLE, {"visits.parquet": rows}, refreshed=[])
    outside = {(each.column, each.many, each.of) for each in rows_outside(open_deployment(path), "visits")}
    assert ("person_month", 2, "units") in outside
    output = CliRunner().invoke(check, ["--rows", "-c", str(path)]).output
    assert (
        "visits.person_month: 2 units have rows in several month" in output and "kanarienvogel" not in output
    )


def test_the_statement_says_that_the_parts_of_a_table_have_a_cap_each(tmp_path: Path) -> None:
    path = deploy(tmp_path, PEOPLE, {"visits.parquet": people(["2024-01"], ["ann"])}, refreshed=["visits"])
    lapcat.open(path).sql(ONE).run(epsilon="0.1")
    statement = PrivacyStatement(tuple(protected_in(open_deployment(path))))
    for text in (statement.paragraph, statement.page):
        assert "The data are partitioned by month: nobody is in two parts, each part has the full cap" in text
    whole = PEOPLE.replace('blocks = "month"\n', "").replace(', within = "month"', "")
    other = tmp_path / "other"
    other.mkdir()
    path = deploy(other, whole, {"visits.parquet": people(["2024-01"], ["ann"])}, refreshed=["visits"])
    assert "partitioned by" not in PrivacyStatement(tuple(protected_in(open_deployment(path)))).paragraph


def test_a_snapshot_that_was_not_checked_for_blocks_is_not_read(tmp_path: Path) -> None:
    whole = PEOPLE.replace('blocks = "month"\n', "").replace(', within = "month"', "")
    rows = people(["2024-01", "2024-02"], ["ann", "ann"])
    path = deploy(tmp_path, whole, {"visits.parquet": rows}, refreshed=["visits"])
    path.write_text(PEOPLE)
    open_deployment(path).accept("by month")
    with pytest.raises(lapcat.Error) as refusal:
        lapcat.open(path).sql(ONE).run(epsilon="0.1")
    assert refusal.value.code == "snapshot-missing" and not any(spent(path).values())
    with pytest.raises(lapcat.Refused, match="unit-in-two-blocks"):
        refresh(open_deployment(path), "visits")


def test_integers_name_blocks_too(tmp_path: Path) -> None:
    text = CATALOGUE.replace(
        'type = "text", keys = ["2024-01", "2024-02", "2024-03"]',
        'type = "integer", keys = { from = 1, to = 12 }',
    )
    rows = {**ROWS, "month": [1] * 60 + [2] * 30 + [13] * 10}
    path = deploy(tmp_path, text, {"visits.parquet": rows})
    lapcat.open(path).sql("SELECT COUNT(*) AS n FROM visits WHERE month = 2").run(epsilon="0.5")
    lapcat.open(path).sql("SELECT COUNT(*) AS n FROM visits WHERE month = 2.0 AND kind = 'a'").run(
        epsilon="0.1"
    )
    spending = spent(path)
    assert spending["2"] == Fraction(6, 10) and spending["12"] == Fraction(1, 10) and len(spending) == 12
