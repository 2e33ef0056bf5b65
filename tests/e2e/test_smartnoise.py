"""From SmartNoise's metadata to a deployment: what it declares is kept, what it leaves open is asked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lapcat.cli.draft import open_questions
from tests.e2e.kit import Desk, write_rows

VISITS = """\
Clinic:
  main:
    visits:
      max_ids: 5
      rows: 300
      censor_dims: False
      clamp_counts: True
      person_id:
        type: int
        private_id: True
      kind:
        type: string
        cardinality: 3
      cost:
        type: float
        lower: 0.0
        upper: 499.5
        missing_value: 10
        nullable: False
      note:
        type: unknown
"""
STAFF = """\
engine: sqlserver
Office:
  '':
    Staff:
      row_privacy: True
      rows_exact: 400
      clamp_columns: no
      use_dpsu: yes
      region:
        type: string
      salary:
        type: float
        lower: 20000
        upper: 200000
        sensitivity: 1000
      age:
        type: int
        lower: 0
        upper: 110.5
      bonus:
        type: float
        upper: 1000
"""
SHOP = """\
Shop:
  dbo:
    orders:
      sample_max_ids: False
      customer:
        type: int
        private_id: True
      paid:
        type: boolean
        missing_value: False
      day:
        type: datetime
    people:
      customer:
        type: int
        private_id: True
      age:
        type: int
        lower: 9
        upper: 1
    pairs:
      a:
        type: int
        private_id: True
      b:
        type: int
        private_id: True
    loose:
      colour:
        type: string
        flavour: sweet
      strange: 5
"""


def drafted(folder: Path, metadata: str, *sources: str) -> tuple[Desk, str, dict[str, Any]]:
    write_rows(folder)
    (folder / "smartnoise.yaml").write_text(metadata, encoding="utf-8")
    desk = Desk(folder)
    done = desk.here("init", "--from", "smartnoise.yaml", *sources)
    assert (done.code, done.err) == (0, ""), done
    text = desk.catalogue.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 90
    return desk, text, tomllib.loads(text)


def answered(desk: Desk) -> None:
    """Every question that is a whole line of TOML is answered with what it proposes; the others stay open."""
    text = re.sub(r"^# \? (\w+ = \S)", r"\1", desk.catalogue.read_text(encoding="utf-8"), flags=re.MULTILINE)
    desk.catalogue.write_text(text, encoding="utf-8")


def test_a_table_of_people_keeps_its_unit_limit_types_and_bounds(tmp_path: Path) -> None:
    desk, text, body = drafted(tmp_path, VISITS, "visits.csv")
    table = body["tables"]["visits"]
    assert (table["source"], table["unit"], table["rows_per_unit"]) == ("visits.csv", "person_id", 5)
    assert table["columns"] == {
        "person_id": {"type": "integer"},
        "kind": {"type": "text"},
        "cost": {"type": "float", "low": 0, "high": 499.5, "null": 10},
    }
    asked = [question.text for question in open_questions(text)]
    assert asked == ["budget = { epsilon = 1 }", 'kind: GROUP BY needs   keys = ["…", "…"] or "private"']
    for setting in ("rows", "censor_dims", "clamp_counts", "cardinality", "note"):
        assert re.search(rf"^# .*{setting}", text, re.MULTILINE), f"{setting} is not passed over in silence"

    checked = desk.here("check")
    assert checked.code == 2 and "line 19: budget = { epsilon = 1 }" in checked.out
    answered(desk)
    checked = desk.here("check")
    assert checked.code == 0 and "the catalogue is valid: visits" in checked.out
    assert desk.here("refresh").code == 0
    asked_now = desk.here("ask", "SELECT AVG(cost) AS c FROM visits", "--epsilon", "0.5", "--json").json()
    assert 0 <= asked_now["rows"][0]["c"] <= 499.5


def test_a_table_of_rows_keeps_only_bounds_that_have_both_ends(tmp_path: Path) -> None:
    desk, text, body = drafted(tmp_path, STAFF, "staff.parquet")
    table = body["tables"]["staff"]
    assert table["unit"] == "row" and "rows_per_unit" not in table
    assert table["columns"] == {
        "region": {"type": "text"},
        "salary": {"type": "float", "low": 20000, "high": 200000},
        "age": {"type": "integer"},
        "bonus": {"type": "float"},
    }
    asked = " ".join(question.text for question in open_questions(text))
    assert "age: SUM and AVG need" in asked and "bonus: SUM and AVG need" in asked and "salary" not in asked
    answered(desk)
    assert desk.here("check").code == 0


def test_the_same_people_in_several_tables_are_one_population(tmp_path: Path) -> None:
    desk, text, body = drafted(tmp_path, SHOP, "duckdb:shop.db#orders")
    orders, people, pairs, loose = (body["tables"][name] for name in ("orders", "people", "pairs", "loose"))
    assert (
        orders["unit"] == people["unit"] == {"column": "customer", "of": "shop"}
        and "shop" in body["populations"]
    )
    assert orders["source"] == "duckdb:shop.db#orders" and "source" not in people
    assert orders["rows_per_unit"] == 1 and orders["columns"]["day"] == {"type": "timestamp"}
    assert "unit" not in pairs and "unit" not in loose, "who is protected is never guessed"
    assert people["columns"]["age"] == {"type": "integer"}
    asked = [question.text for question in open_questions(text)]
    assert asked.count("budget = { epsilon = 1 }") == 5
    assert 'unit = "a"' in asked and 'unit = "row"' in asked and 'source = "people.csv"' in asked
    assert "strange = 5 is not supported: delete this line" in asked
    assert "colour: flavour is not supported: delete this line" in asked
    checked = desk.here("check")
    assert checked.code == 2 and all(f"{question}" in checked.out for question in asked)


def test_json_lists_the_types_of_every_table(tmp_path: Path) -> None:
    write_rows(tmp_path)
    (tmp_path / "m.yaml").write_text(STAFF, encoding="utf-8")
    answer = Desk(tmp_path).here("init", "--from", "m.yaml", "--json").json()
    assert answer["types"]["staff"]["age"] == "integer" and answer["open"]


@pytest.mark.parametrize(
    ("metadata", "sources", "code"),
    [
        (None, (), "metadata-missing"),
        (b"\xff\xfe", (), "metadata-missing"),
        (b"a:\n  - b\n", (), "yaml-syntax"),
        (b"", (), "metadata-unknown"),
        (b"a: 1\n", (), "metadata-unknown"),
        (b"a:\n  b:\n    c: 1\n", (), "metadata-unknown"),
        (b"a:\n  b:\n    t:\n      x:\n        type: money\n", (), "metadata-unknown"),
        (b"one:\n  a: 1\ntwo:\n  b: 2\n", (), "metadata-unknown"),
        (VISITS.encode(), ("staff.parquet", "visits.csv"), "source-unmatched"),
        (VISITS.encode(), ("visits.csv", "visits.csv"), "source-unmatched"),
        (VISITS.encode(), ("visits.doc",), "source-unknown"),
    ],
)  # fmt: skip
def test_what_cannot_be_drafted_is_refused_and_nothing_is_written(
    metadata: bytes | None, sources: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    if metadata is not None:
        (tmp_path / "m.yaml").write_bytes(metadata)
    done = Desk(tmp_path).here("init", "--from", "m.yaml", *sources, "--json")
    assert done.code == 2 and done.error()["code"] == code and done.error()["fix"]
    assert not (tmp_path / "lapcat.toml").exists()


def test_init_takes_sources_or_metadata(tmp_path: Path) -> None:
    done = Desk(tmp_path).here("init")
    assert done.code == 2 and "a SOURCE, or --from FILE" in done.err
