"""What was spent stays spent: moved files, renamed tables, shared sources, changed units."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.session.files import open_deployment, refresh
from tests.support import deploy

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 1 }
[tables.staff.columns]
age = { type = "integer", low = 0, high = 110 }
"""
ROWS = {"person": [1, 1, 2, 3], "age": [30, 31, 40, 50]}
COUNT = "SELECT COUNT(*) AS n FROM staff"


def spent_out(folder: Path) -> Path:
    path = deploy(folder, CATALOGUE, {"staff.parquet": ROWS})
    lapcat.open(path).sql(COUNT).run(epsilon=1)
    return path


def moved_source(path: Path) -> None:
    away = path.parent / "away"
    away.mkdir()
    (path.parent / "staff.parquet").rename(away / "data.parquet")
    (path.parent / "staff.parquet").symlink_to(away / "data.parquet")


def moved_ledger(path: Path) -> None:
    away = path.parent / "books"
    away.mkdir()
    for file in path.parent.glob("lapcat.ledger*"):
        file.rename(away / file.name)
    path.write_text('[ledger]\nstore = "sqlite:books/lapcat.ledger"\n' + path.read_text())


@pytest.mark.parametrize("move", [moved_source, moved_ledger])
def test_moving_the_source_or_the_ledger_resets_nothing(tmp_path: Path, move: object) -> None:
    path = spent_out(tmp_path)
    move(path)  # type: ignore[operator]
    with pytest.raises(lapcat.IntegrityFailed, match="place"):
        lapcat.open(path)
    open_deployment(path).accept("a larger disk")
    session = lapcat.open(path)
    assert session.budget().tables["staff"].left.epsilon == 0
    assert session.sql(COUNT).run(epsilon=1).free  # and what was answered stays answered
    with pytest.raises(lapcat.BudgetExceeded):
        session.sql(COUNT + " WHERE age > 3").run(epsilon="0.1")


def test_a_table_that_takes_over_anothers_source_takes_over_its_spending(tmp_path: Path) -> None:
    path = spent_out(tmp_path)
    path.write_text(
        CATALOGUE
        + CATALOGUE.replace("tables.staff", "tables.guests").replace("staff.parquet", "guests.parquet")
    )
    (tmp_path / "guests.parquet").write_bytes((tmp_path / "staff.parquet").read_bytes())
    open_deployment(path).accept("guests, too")
    path.write_text(CATALOGUE.replace("tables.staff", "tables.guests"))  # guests now reads staff.parquet
    open_deployment(path).accept("one file less")
    assert lapcat.open(path).budget().tables["guests"].left.epsilon == 0


SHARED = (
    CATALOGUE
    + """
[tables.people]
source = "./staff.parquet"
unit = "person"
rows_per_unit = 2
budget = { epsilon = 1 }
"""
)


def test_tables_over_one_source_must_protect_the_same_units(tmp_path: Path) -> None:
    path = deploy(tmp_path, SHARED, {"staff.parquet": ROWS}, refreshed=[])
    with pytest.raises(lapcat.BadQuery) as problem:
        lapcat.open(path)
    assert problem.value.code == "meaning-differs"


def test_tables_over_one_source_are_of_one_population(tmp_path: Path) -> None:
    """Else the population's cap would not see what is asked by the other name."""
    people = SHARED.replace('unit = "row"', 'unit = "person"\nrows_per_unit = 2')
    path = deploy(tmp_path, people, {"staff.parquet": ROWS})
    lapcat.open(path)
    first, _, last = people.rpartition('unit = "person"')
    of = "[populations.all]\nbudget = { epsilon = 1 }\n"
    path.write_text(of + first + 'unit = { column = "person", of = "all" }' + last)
    with pytest.raises(lapcat.BadQuery) as problem:
        lapcat.open(path)
    assert problem.value.code == "meaning-differs"


def test_a_unit_does_not_change_once_something_was_spent(tmp_path: Path) -> None:
    path = spent_out(tmp_path)
    path.write_text(CATALOGUE.replace('unit = "row"', 'unit = "person"\nrows_per_unit = 2'))
    with pytest.raises(lapcat.Refused) as refusal:
        open_deployment(path).accept("people, not rows")
    assert refusal.value.code == "spent-otherwise"


def test_two_tables_over_one_csv_are_refreshed_together(tmp_path: Path) -> None:
    catalogue = CATALOGUE.replace("staff.parquet", "staff.csv")
    two = (
        catalogue.replace("tables.staff", "tables.again").replace("low = 0, high = 110", "low = 0, high = 50")
        + "person = {}\n"
    )
    path = deploy(tmp_path, catalogue + two, {"staff.csv": ROWS}, refreshed=["staff"])
    session = lapcat.open(path)
    for age, table in enumerate(("staff", "again")):
        session.sql(f"SELECT COUNT(*) AS n FROM {table} WHERE age > {age}").run(epsilon="0.1")
    assert session.budget().tables["staff"].spent.epsilon == Fraction(1, 5)  # one book for both


def test_listed_keys_and_a_range_of_keys_are_different_questions(tmp_path: Path) -> None:
    keys = 'age = {{ type = "integer", keys = {} }}'
    bounds = 'age = { type = "integer", low = 0, high = 110 }'
    path = deploy(tmp_path, CATALOGUE.replace(bounds, keys.format("[30, 32]")), {"staff.parquet": ROWS})
    text = "SELECT age, COUNT(*) AS n FROM staff GROUP BY age"
    lapcat.open(path).sql(text).run(epsilon="0.1")
    path.write_text(CATALOGUE.replace(bounds, keys.format("{ from = 30, to = 31 }")))
    open_deployment(path).accept("other keys")
    assert not lapcat.open(path).sql(text).run(epsilon="0.1").free


def test_under_replace_one_a_version_of_another_size_is_refused(tmp_path: Path) -> None:
    text = CATALOGUE.replace('unit = "row"', 'unit = "row"\nrelation = "replace-one"\nunits = 1000')
    path = deploy(tmp_path, text, {"staff.parquet": ROWS}, refreshed=[])
    with pytest.raises(lapcat.Refused) as refusal:
        refresh(open_deployment(path), "staff")
    assert refusal.value.code == "units-differ" and "units = 4" in refusal.value.fix


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("SELECT COUNT(*) AS n, SUM(0.3) AS s FROM staff", 0.3 * 4),
        ("SELECT COUNT(*) AS n, SUM(CASE WHEN age > 3 THEN 5.7 ELSE 5.7 END) AS s FROM staff", 5.7 * 4),
        ("SELECT AVG(0.3) AS a, SUM(0.3) AS s FROM staff", 0.3 * 4),
    ],
)
def test_a_sum_of_constants_is_the_constant_times_the_count(tmp_path: Path, text: str, truth: float) -> None:
    loud = CATALOGUE.replace("epsilon = 1 }", 'epsilon = 9000, i_understand = "to see the exact figures" }')
    answer = lapcat.open(deploy(tmp_path, loud, {"staff.parquet": ROWS})).sql(text).run(epsilon=4000)
    assert answer["s"] == pytest.approx([truth], rel=1e-6)


@pytest.mark.parametrize(
    "changes",
    [
        {"rows_per_unit": 1.5},
        {"rows_per_unit": 0},
        {"rows_per_unit": "3"},
        {"rows_per_unit": True},
        {"relation": "sideways"},
        {"epsilon": -1},
        {"delta": 2, "i_understand": "no"},
        {"bounds": {"age": 5}},
        {"bounds": {"age": (0, 2**70)}},
        {"bounds": {"age": (0, "1e309")}},
        {"keys": {"age": None}},
        {"keys": {"age": "ab"}},
        {"keys": {"age": [1, 1.5]}},
        {"keys": {"age": [float("nan")]}},
        {"keys": {"age": range(2**70, 2**70 + 3)}},
        {"keys": {"person": ["a"]}},
        {"bounds": {"age": (0, 9)}, "null": {"age": 0.5}},
        {"bounds": {"nobody": (0, 9)}},
    ],
)
def test_an_argument_that_means_nothing_is_refused_before_anything_is_held(
    changes: dict[str, object],
) -> None:
    import pandas

    given: dict[str, object] = {"unit": "person", "rows_per_unit": 2, "epsilon": 1}
    with pytest.raises(lapcat.BadArgument) as problem:
        lapcat.table(pandas.DataFrame(ROWS), **{**given, **changes})  # type: ignore[arg-type]
    assert problem.value.fix
