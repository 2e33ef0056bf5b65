"""Files as people have them: what `init` proposes, asks and refuses, and that no row ever becomes a name."""

from __future__ import annotations

import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import CANARY, Desk

PEOPLE = [(str(20 + i % 60), f"{CANARY} {i % 7}", "mf"[i % 2]) for i in range(200)]


def drafted(folder: Path) -> dict[str, Any]:
    ((_, table),) = tomllib.loads((folder / "lapcat.toml").read_text(encoding="utf-8"))["tables"].items()
    return dict(table)


def lines(*rows: tuple[str, ...], delim: str = ",") -> str:
    return "".join(delim.join(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (lines(*PEOPLE), "1 of its 3 cells look like values"),
        (lines(*((name, sex) for _, name, sex in PEOPLE)), "every column is text"),
        # A first row whose number is missing: nothing in it reads like a value, and a column below holds numbers.
        (
            lines(("unknown", f"{CANARY} 1", "m"), *PEOPLE).replace("unknown", "", 1),
            "occurs again in its column",
        ),
    ],
)
def test_a_first_line_that_may_be_a_row_is_never_taken_for_names(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "my file.csv").write_text(text)
    desk = Desk(tmp_path)
    refused = desk.here("init", "my file.csv", "--json")
    assert refused.code == 2 and refused.error()["code"] == "header-unsure"
    assert not desk.catalogue.exists() and CANARY not in refused.err
    assert why in desk.here("init", "my file.csv").err
    # One clear choice, of which each way can be pasted.
    header, none = refused.error()["fix"].splitlines()
    assert header.startswith("lapcat init 'my file.csv' --header ")
    assert none.startswith("lapcat init 'my file.csv' --no-header ")
    assert desk.here("init", "my file.csv", "--no-header").code == 0
    table = drafted(tmp_path)
    assert table["read"]["names"] == list(table["columns"]) and next(iter(table["columns"])) == "column1"
    assert CANARY not in desk.catalogue.read_text(encoding="utf-8")


def test_an_ordinary_file_of_texts_gets_on_with_one_word(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,town\n" + "".join(f"p{i},Graz\n" for i in range(9)))
    assert Desk(tmp_path).here("init", "t.csv", "--header").code == 0
    assert list(drafted(tmp_path)["columns"]) == ["name", "town"] and "read" not in drafted(tmp_path)


def test_doubled_names_are_named_and_renamed_on_request(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,score,sex,score\n1,2,m,3\n")
    desk = Desk(tmp_path)
    refused = desk.here("init", "t.csv", "--json")
    assert refused.error()["code"] == "header-doubled" and "columns 2 and 4" in refused.error()["message"]
    assert "score" not in refused.err, "it may be a row"
    assert "columns 2 and 4 (score)" in desk.here("init", "t.csv", "--header").err
    fix = refused.error()["fix"].partition("#")[0].split()
    assert desk.here(*fix[1:]).code == 0
    assert list(drafted(tmp_path)["columns"]) == ["id", "score", "sex", "score_1"]
    assert drafted(tmp_path)["read"] == {"rename_duplicates": True}


def test_another_encoding_is_found_by_its_mark_or_asked_for(tmp_path: Path) -> None:
    text = lines(("id", "town"), ("1", "Köln"), ("2", "Graz"))
    (tmp_path / "marked.csv").write_bytes(text.encode("utf-16"))
    (tmp_path / "bare.csv").write_bytes(text.encode("cp1252"))
    desk = Desk(tmp_path)
    assert desk.here("init", "marked.csv").code == 0 and drafted(tmp_path)["read"] == {"encoding": "utf-16"}
    desk.catalogue.unlink()
    refused = desk.here("init", "bare.csv")
    assert (
        refused.code == 1 and "line 2, column 2 is not UTF-8" in refused.err and "K" not in refused.err[-40:]
    )
    assert "lapcat init bare.csv --encoding windows-1252" in refused.err
    assert desk.here("init", "bare.csv", "--encoding", "windows-1252").code == 0
    assert drafted(tmp_path)["read"] == {"encoding": "windows-1252"}


@pytest.mark.parametrize(
    ("cells", "types", "read"),
    [
        (("1,5", "31.12.2024"), ["float", "date"], {"decimal_separator": ",", "dateformat": "%d.%m.%Y"}),
        (("1.234,5", "13/12/2024"), ["float", "date"], {"decimal_separator": ",", "dateformat": "%d/%m/%Y"}),
        (("1,234", "05/06/2024"), ["text", "text"], {}),  # thousands or decimals, May or June: nobody guesses
        (("7", "31.12.2024 23:59"), ["integer", "timestamp"], {"timestampformat": "%d.%m.%Y %H:%M"}),
        (("1.5", "2024-12-31T10:00:00+01:00"), ["float", "timestamp"], {}),
    ],
)
def test_forms_of_numbers_and_dates_are_proposed_where_only_one_fits(
    cells: tuple[str, str], types: list[str], read: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(lines(("n", "x", "y"), ("1", *cells), ("2", "", ""), delim=";"))
    desk = Desk(tmp_path)
    assert desk.here("init", "t.csv").code == 0
    table = drafted(tmp_path)
    assert [spec["type"] for spec in table["columns"].values()] == ["integer", *types]
    assert table.get("read", {}) == read
    text = desk.catalogue.read_text(encoding="utf-8")
    assert all(f'read.{key} = "{value}"   # guessed: confirm' in text for key, value in read.items())
    assert max(map(len, text.splitlines())) <= 80


def test_a_file_with_several_tables_names_them(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, kind TEXT)")
        connection.execute("INSERT INTO orders VALUES (1, 'a')")
    desk = Desk(tmp_path)
    assert desk.here("init", "shop.db").code == 0 and drafted(tmp_path)["source"] == "sqlite:shop.db#orders"
    desk.catalogue.unlink()
    with connection:
        connection.execute("CREATE TABLE people (id INTEGER)")
    connection.close()
    refused = desk.here("init", "shop.db", "--json")
    assert refused.error()["fix"] == "lapcat init 'sqlite:shop.db#orders' 'sqlite:shop.db#people'"


def test_names_stay_whatever_a_file_of_json_or_a_workbook_holds(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(
        '{"id": 1, "kind": "a"}\n{"id": 2, "kind": null, "at": "2024-03-05T10:00:00Z"}\n'
    )
    desk = Desk(tmp_path)
    assert desk.here("init", "t.jsonl").code == 0
    types = {name: spec["type"] for name, spec in drafted(tmp_path)["columns"].items()}
    assert types == {"id": "integer", "kind": "text", "at": "timestamp"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--encoding", "klingon"), "unknown encoding 'klingon'"),
        (("--names", "a,A"), "distinct names"),
        (("--names", "a,,b"), "distinct names"),
        (("--names", "a,b", "--header"), "without a header"),
        (("--names", "a,b"), "has 3 columns, and `names` lists 2"),
    ],
)
def test_what_is_said_wrongly_of_a_file_is_named(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(lines(*PEOPLE))
    done = Desk(tmp_path).here("init", "t.csv", *options)
    assert done.code == 2 and message in done.err and CANARY not in done.err
    assert not (tmp_path / "lapcat.toml").exists()


def test_a_space_after_every_comma_is_no_part_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('id, "who", sex\n1, "Ida, the first", f\n2, "Bo", m\n')
    desk = Desk(tmp_path)
    assert desk.here("init", "t.csv").code == 0
    assert list(drafted(tmp_path)["columns"]) == ["id", "who", "sex"]
    text = desk.catalogue.read_text(encoding="utf-8").replace('# ? unit = "id"', 'unit = "row"')
    text = text.replace("# ? budget", "budget").replace(
        'sex = { type = "text" }', 'sex = { type = "text", keys = ["f", "m"] }'
    )
    desk.catalogue.write_text(text, encoding="utf-8")
    assert desk.here("refresh").code == 0
    assert "every row fits" in desk.here("check", "--rows").out
