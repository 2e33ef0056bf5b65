"""What a person reads quotes no cell of a file, whatever is wrong with it, and holds nothing that a terminal obeys."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lapcat.cli.streams import csv_cells
from lapcat.errors import BadQuery
from tests.e2e.kit import Desk

CANARIES = ("CANARY", "123456789", "999999")
ROW = "999999,2024-05-05,CANARYWARD77,123456789,CANARYNOTE77"
HEADER = "person_id,day,ward,minutes,note"
ROWS = [f"{n},2024-03-0{n},eyes,{n},n{n}" for n in range(1, 8)]
CATALOGUE = """\
[tables.visits]
source = "visits.csv"
unit = "person_id"
rows_per_unit = 3
budget = { epsilon = 5 }
[tables.visits.columns]
day     = { type = "date", low = 2024-01-01, high = 2024-12-31 }
ward    = { type = "text", keys = ["eyes", "heart", "skin"] }
minutes = { type = "integer", low = 0, high = 120 }
note    = { type = "text" }
"""
COUNT = "SELECT COUNT(*) AS n FROM visits"
COMMANDS = (
    ("ask", COUNT, "--epsilon", "0.01"),
    ("preview", COUNT, "--epsilon", "0.01"),
    ("tables",),
    ("schema", "visits"),
    ("budget",),
    ("statement",),
    ("refresh",),
    ("refresh", "--json"),
    ("check",),
    ("check", "--json"),
    ("check", "--rows"),
    ("init", "visits.csv", "-c", "other.toml"),
)


def text(*lines: str) -> bytes:
    return "\n".join(lines).encode()


BROKEN: dict[str, bytes] = {
    "no header": text(ROW, *ROWS),
    "no header, names near": text("dai,wards,minute,notes,CANARYWARD77", *ROWS),
    "half a header": text("person_id,day,CANARYWARD77,123456789,CANARYNOTE77", *ROWS),
    "a row twice": text(ROW, ROW, *ROWS),
    "quote": text(HEADER, *ROWS, '1,2024-01-01,"CANARYWARD77 unterminated,5,x', *ROWS),
    "ragged": text(HEADER, *ROWS, "1,2024-01-01,CANARYWARD77,5,x,extra,extra", *ROWS),
    "bad utf-8": text(HEADER, *ROWS, "") + b"1,2024-01-01,CANARYWARD77\xff\xfe,5,x\n" + text(*ROWS),
    "bad utf-8 in the first line": b"CANARYWARD77\xff,2\n" + text(*ROWS),
    "nul": text(HEADER, *ROWS, "") + b"1,2024-01-01,CANARYWARD77\x00,5,x\n" + text(*ROWS),
    "doubled names": text("CANARYWARD77,CANARYWARD77,CANARYNOTE77,day,ward", *ROWS),
    "empty": b"",
}


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quoting")
    (folder / "visits.csv").write_bytes(text(HEADER, *ROWS, ROW))
    (folder / "lapcat.toml").write_text(CATALOGUE, encoding="utf-8")
    assert Desk(folder).here("refresh").code == 0
    return folder


@pytest.fixture
def desk(refreshed: Path, tmp_path: Path) -> Desk:
    shutil.copytree(refreshed, tmp_path / "desk")
    return Desk(tmp_path / "desk")


def seen(desk: Desk) -> str:
    done = [desk.here(*arguments) for arguments in COMMANDS]
    return "\n".join(each.out + each.err for each in done)


@pytest.mark.parametrize("broken", BROKEN)
def test_no_command_quotes_a_cell_of_a_broken_file(broken: str, desk: Desk) -> None:
    (desk.folder / "visits.csv").write_bytes(BROKEN[broken])
    output = seen(desk)
    assert not [canary for canary in CANARIES if canary in output], output


@pytest.mark.parametrize("typed", [True, False])
def test_a_missing_header_is_named_as_the_likely_cause(typed: bool, desk: Desk) -> None:
    (desk.folder / "visits.csv").write_bytes(BROKEN["no header"])
    if not typed:  # then the catalogue itself cannot be read without the file's names
        catalogue = desk.catalogue.read_text(encoding="utf-8").replace(
            'note    = { type = "text" }', "note = {}"
        )
        desk.catalogue.write_text(catalogue, encoding="utf-8")
    done = desk.here("refresh")
    assert done.code == 2 and "if the header is missing" in done.err and "5 columns" in done.err
    assert not [canary for canary in CANARIES if canary in seen(desk)]


def test_a_name_that_is_almost_right_is_suggested_where_the_header_is_there(desk: Desk) -> None:
    (desk.folder / "visits.csv").write_bytes(text(HEADER.replace("minutes", "minute"), *ROWS))
    done = desk.here("refresh")
    assert done.code == 2 and "has no column 'minutes'; did you mean minute?" in done.err


def test_a_file_or_a_folder_that_is_gone_quotes_nothing(desk: Desk) -> None:
    (desk.folder / "visits.csv").unlink()
    assert not [canary for canary in CANARIES if canary in seen(desk)]
    (desk.folder / "visits.csv").mkdir()
    assert not [canary for canary in CANARIES if canary in seen(desk)]


def test_a_type_that_lists_its_values_is_not_quoted(desk: Desk) -> None:
    import duckdb

    place = desk.folder / "visits.db"
    with duckdb.connect(str(place)) as connection:
        connection.execute("CREATE TYPE wards AS ENUM ('CANARYWARD77', 'b')")
        connection.execute("CREATE TABLE visits (person_id INTEGER, minutes wards[], note STRUCT(a wards))")
    catalogue = desk.catalogue.read_text(encoding="utf-8").partition("[tables.visits.columns]")[0]
    catalogue = catalogue.replace("visits.csv", "duckdb:visits.db#visits") + "[tables.visits.columns]\n"
    for column in ("minutes", "note"):
        desk.catalogue.write_text(catalogue + f'{column} = {{ type = "integer" }}\n', encoding="utf-8")
        done = desk.here("check")
        assert done.code == 2 and "[column-type]" in done.err and "CANARY" not in done.err, done


@pytest.mark.parametrize(
    ("lines", "sure"),
    [
        (("person_id,age", "1,2"), True),
        (("999999,CANARYWARD77", "1,b"), False),
        (("2024-05-05,zebra", "2024-05-06,c"), False),
        (("anna,berlin", "bert,bonn"), False),
        (("surname,city", "bert,bonn"), False),
        (("surname,city",), False),
        (("surname,2023,2024", "bert,1,2"), False),
    ],
)
def test_init_refuses_a_first_line_that_might_be_a_row(
    lines: tuple[str, ...], sure: bool, tmp_path: Path
) -> None:
    (tmp_path / "my file.csv").write_bytes(text(*lines))
    done = Desk(tmp_path).here("init", "my file.csv")
    if not sure:
        assert (
            done.code == 2
            and "[header-unsure]" in done.err
            and "lapcat init 'my file.csv' --header" in done.err
        )
        assert not any(name in done.err for name in lines[0].split(",")), done
        assert not (tmp_path / "lapcat.toml").exists()
        done = Desk(tmp_path).here("init", "my file.csv", "--header")
    assert done.code == 0, done


# ------------------------------------------------------------------------------------------------ what a terminal obeys

ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e", "\r")


@pytest.fixture
def hostile(make_desk: Callable[[str], Desk]) -> Desk:
    """Names of a table, a column, a key, an analyst, a population and a reason that hold escapes."""
    import duckdb

    desk = make_desk("hostile")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT 'north' AS region, 1 AS city, 2 AS \"x{ESCAPE}y\"")
        connection.execute(f"COPY t TO '{desk.folder}/staff.parquet'")
    name = json.dumps(f"x{ESCAPE}y")
    desk.catalogue.write_text(
        f"""\
[ledger]
store = "sqlite:hostile.ledger"
[tables.{name}]
source = "staff.parquet"
unit = {{ column = "city", of = {name} }}
rows_per_unit = 2
budget = {{ epsilon = 3 }}
[tables.{name}.columns]
region = {{ type = "text", keys = ["north", {name}] }}
{name} = {{ type = "integer" }}
[populations.{name}]
budget = {{ epsilon = 3 }}
[analysts.{name}]
tables = {{ {name} = {{ epsilon = 1 }} }}
""",
        encoding="utf-8",
    )
    return desk


def test_no_text_statement_or_error_holds_what_a_terminal_obeys(hostile: Desk) -> None:
    name = f"x{ESCAPE}y"
    question = f'SELECT COUNT(*) AS "{name}" FROM "{name}"'
    commands = (
        ("tables",),
        ("refresh",),
        ("tables", "--plain"),
        ("tables", "--json"),
        ("schema", name),
        ("schema", name, "--json"),
        ("schema", "nothing" + ESCAPE),
        ("budget",),
        ("budget", "--plain"),
        ("statement",),
        ("check",),
        ("check", "--json"),
        ("refresh", "--json"),
        ("refresh", "nothing" + ESCAPE, "--json"),
        ("preview", question, "--epsilon", "0.1", "--as", name),
        ("preview", question + " WHERE" + ESCAPE, "--epsilon", "0.1"),
        ("ask", question, "--epsilon", "0.1", "--as", name),
        ("ask", question, "--epsilon", "0.1", "--as", name, "--json"),
        ("ask", question, "--epsilon", "0.1" + ESCAPE),
        ("ledger", "list"),
        ("ledger", "list", "--json"),
        ("ledger", "export"),
        ("pause", name, "--reason", name),
        ("error", "nothing" + ESCAPE),
        ("nothing" + ESCAPE,),
        ("init", "nothing" + ESCAPE + ".csv", "-c", "other.toml"),
    )
    for arguments in commands:
        done = hostile.here(*arguments)
        output = done.out + done.err
        assert output and not [each for each in OBEYED if each in output], (arguments, output)
        wrong = any(ESCAPE in each and each not in (name, question) for each in arguments)
        assert (done.code != 0) == wrong, done


def test_an_error_in_python_holds_nothing_that_a_terminal_obeys() -> None:
    message = str(BadQuery("usage", "a" + ESCAPE, why="b" + ESCAPE, fix="c" + ESCAPE))
    assert not [each for each in OBEYED if each in message] and message.count("\n") == 2


def test_cells_of_text_are_no_formulas_and_numbers_stay_numbers() -> None:
    stream = io.StringIO()
    csv.writer(stream).writerow(
        csv_cells(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "x=1", -1, -1.5, None, True], stream)
    )
    assert next(csv.reader(io.StringIO(stream.getvalue(), newline=""))) == [
        "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "x=1", "-1", "-1.5", "", "true",
    ]  # fmt: skip


def test_an_answer_as_csv_holds_no_formula(desk: Desk) -> None:
    catalogue = desk.catalogue.read_text(encoding="utf-8").replace('"eyes", "heart"', '"=1+1", "heart"')
    desk.catalogue.write_text(catalogue, encoding="utf-8")
    assert desk.here("accept", "--reason", "a key").code == 0
    question = 'SELECT ward AS "=ward", COUNT(*) AS n FROM visits GROUP BY ward'
    done = desk.here("ask", question, "--epsilon", "1", "--csv")
    assert done.code == 0, done
    head, first, *_ = csv.reader(io.StringIO(done.out))
    assert head[0] == "'=ward" and first[0] == "'=1+1" and int(first[1]) == int(float(first[1]))
