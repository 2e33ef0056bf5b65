"""What lapcat prints for people: it fits a terminal, says what happened, and ends in what to do."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import lapcat
from lapcat.cli.commands.schema import schema_lines
from lapcat.cli.screen import Screen
from lapcat.core.exact import exact, rounded_text
from lapcat.frontend.catalogue import read_catalogue
from lapcat.plan.schema import Catalogue, Type
from lapcat.session.acceptance import accounts_of, differences, facts_of, require_unchanged
from lapcat.session.schemas import describe_table

WIDE = """
[tables.staff]
source = "staff.csv"
unit = "person_id"
rows_per_unit = 10
budget = { epsilon = 3 }
[tables.staff.columns]
age = { type = "integer", low = 0, high = 109 }
hired = { type = "date", low = 2020-01-01, high = 2029-12-31 }
salary = { type = "float", low = 20000, high = 200000, null = 20000 }
region = { type = "text", keys = ["north", "south", "a region with a rather long name", "another one", "and more"] }
a_column_with_a_rather_long_name = { type = "timestamp", low = 2020-01-01, high = 2029-12-31 }
[analysts.ana]
tables.staff = { epsilon = 1 }
"""


def catalogue(text: str = WIDE) -> Catalogue:
    return read_catalogue(text, lambda source: {"age": Type.INTEGER})


def facts(declared: Catalogue) -> dict[str, object]:
    places = dict.fromkeys(declared.everything, "staff.csv")
    return facts_of(declared, places, None, accounts_of(places, None))


def changed(*edits: tuple[str, str]) -> list[str]:
    text = WIDE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return differences(facts(catalogue()), facts(catalogue(text)))


def test_schema_fits_80_columns() -> None:
    info = describe_table(catalogue().tables["staff"])
    lines = [
        "".join(span.text for span in line).rstrip() for line in schema_lines(info, Screen.of(io.StringIO()))
    ]
    assert max(map(len, lines)) <= 80
    assert max(map(len, str(info).splitlines())) <= 80
    for text in ("0..109", "2020-01-01..2029-12-31", "NULL", "rather long", "SUM, AVG"):
        assert any(text in line for line in lines), text


@pytest.mark.parametrize(
    ("edit", "description"),
    [
        (("high = 109", "high = 120"), "column age of staff, high: accepted 109, the file says 120"),
        (('"and more"]', '"west"]'), "column region of staff, keys: added west, removed and more"),
        (('"north", "south"', '"south", "north"'), "column region of staff, keys: in another order"),
        (("rows_per_unit = 10", "rows_per_unit = 5"), "table staff, rows_per_unit: accepted 10, the file says 5"),
        (("epsilon = 1 }", "epsilon = 2 }"), "the budget of ana on staff: accepted epsilon 1, the file says epsilon 2 (raised)"),
        (
            ("age = { type", 'bonus = { type = "float", low = 0, high = 9 }\nage = { type'),
            "column bonus of staff: accepted nothing, the file says name bonus, type float, low 0, high 9",
        ),
    ],
)  # fmt: skip
def test_a_changed_catalogue_is_described_in_words(edit: tuple[str, str], description: str) -> None:
    (sentence,) = changed(edit)
    assert sentence == description
    assert not set("{}[]'") & set(sentence), "no Python value"


def test_a_refusal_of_a_changed_catalogue_explains_itself_and_ends_in_the_command() -> None:
    with pytest.raises(lapcat.IntegrityFailed) as caught:
        require_unchanged(changed(("high = 109", "high = 120")))
    assert str(caught.value).endswith('lapcat accept --reason "why"')
    assert "changed since it was last accepted" in str(caught.value)


def test_a_changed_call_of_lapcat_table_is_told_what_to_do_in_python(tmp_path: Path) -> None:
    import pandas as pd

    data, ledger = pd.DataFrame({"age": [1, 2, 3]}), tmp_path / "ledger"
    lapcat.table(data, unit="row", epsilon=1, bounds={"age": (0, 9)}, ledger=ledger)
    with pytest.raises(lapcat.IntegrityFailed) as caught:
        lapcat.table(data, unit="row", epsilon=1, bounds={"age": (0, 10)}, ledger=ledger)
    assert "column age of data, high: accepted 9, the call says 10" in str(caught.value)
    assert "lapcat accept" not in str(caught.value) and "ledger=" in caught.value.fix


@pytest.mark.parametrize(
    "text", ["0.153686524", "1.461914063", "4.538085937", "1/3", "0.00001234", "123.456789", "2.8"]
)
def test_a_shown_loss_is_never_below_what_is_spent_and_what_is_left_never_above(text: str) -> None:
    value = exact(text)
    spent, left = rounded_text(value, up=True), rounded_text(value, up=False)
    assert exact(left) <= value <= exact(spent)
    assert exact(spent) - exact(left) <= value / 100, "three digits"
    assert max(len(spent), len(left)) <= 7


def test_texts_round_and_json_is_exact() -> None:
    import pandas as pd

    db = lapcat.table(pd.DataFrame({"age": [1, 2, 3]}), unit="row", epsilon=1)
    question = db.sql("SELECT COUNT(*) AS n FROM data")
    preview = question.preview(epsilon="0.153686524")
    assert "would cost epsilon 0.154" in str(preview) and "epsilon 0.846 left after" in str(preview)
    assert preview.as_json()["cost"] == {"epsilon": "0.153686524"}
    answer = question.run(epsilon="0.153686524")
    assert "spent epsilon 0.154" in str(answer) and "0.153686524" not in str(answer)
    assert "It costs epsilon 0.154." in question.explain(epsilon="0.153686524")
    assert "data: epsilon 0.846 left of epsilon 1" in str(db.budget())
    assert exact(db.budget().as_json()["tables"]["data"]["left"]["epsilon"]) == 1 - exact("0.153686524")
