"""Text files of every kind become the same rows, and one that cannot be read is named by line and column alone."""

from __future__ import annotations

import datetime
import gzip
import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import pytest

from lapcat.engines.backends import parse_source
from lapcat.engines.duckdb.backend import BACKEND
from lapcat.engines.duckdb.snapshots import write_snapshot
from lapcat.errors import Error
from lapcat.plan.schema import ColumnSpec, PublicTable, ReadOptions, Type

KEY = b"k" * 32
CANARY = "kanarienvogel"
HEAD = ("id", "town", "pay", "day", "seen")
TYPES = dict(zip(HEAD, (Type.INTEGER, Type.TEXT, Type.FLOAT, Type.DATE, Type.TIMESTAMP), strict=True))
ROWS = [("1", "Köln", "1.5", "2024-12-31", "2024-03-05 10:00:00"), ("2", "", "2", "", "2024-03-05 11:30:00")]
MEANT = [
    (1, "Köln", 1.5, datetime.date(2024, 12, 31), datetime.datetime(2024, 3, 5, 10)),
    (2, None, 2.0, None, datetime.datetime(2024, 3, 5, 11, 30)),
]
GERMAN = [
    ("1", "Köln", "1,5", "31.12.2024", "2024-03-05T11:00:00+01:00"),
    ("2", "", "2", "", "2024-03-05T11:30Z"),
]


def snapshot(
    source: str, folder: Path, read: ReadOptions | None = None, types: dict[str, Type] = TYPES
) -> list:
    """The rows of a source as its snapshot holds them."""
    table = PublicTable("t", source, {name: ColumnSpec(name, kind) for name, kind in types.items()}, read)
    path = folder / "cache" / "t.parquet"
    write_snapshot(parse_source(source, folder, read=read), table, path, KEY)
    assert [file.name for file in path.parent.iterdir()] == ["t.parquet"], "no copy of the rows is left"
    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{path}' ORDER BY 1").fetchall()


def text(rows: list[tuple[str, ...]], delim: str = ",", header: bool = True) -> str:
    return "".join(delim.join(row) + "\n" for row in ([HEAD, *rows] if header else rows))


def workbook(path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "First"
    sheet = book.create_sheet("Staff 2")
    sheet.append(HEAD)
    for row in MEANT:
        sheet.append(row)
    book.save(path)


def database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE Staff (id INTEGER, town TEXT, pay REAL, day TEXT, seen TEXT)")
        rows = [[cell or None for cell in row] for row in ROWS]
        connection.executemany("INSERT INTO Staff VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()


def records() -> list[dict[str, object]]:
    return [{name: cell or None for name, cell in zip(HEAD, row, strict=True)} for row in ROWS]


FILES: dict[str, tuple[str, ReadOptions | None, Callable[[Path], object]]] = {
    "comma": ("t.csv", None, lambda path: path.write_text(text(ROWS))),
    "semicolon": ("t.csv", None, lambda path: path.write_text(text(ROWS, ";"))),
    "tab": ("t.tsv", None, lambda path: path.write_text(text(ROWS, "\t"))),
    "packed": ("t.csv.gz", None, lambda path: path.write_bytes(gzip.compress(text(ROWS).encode()))),
    "latin-1": ("t.csv", ReadOptions("latin-1"), lambda path: path.write_bytes(text(ROWS).encode("latin-1"))),
    "windows-1252": (
        "t.txt",
        ReadOptions("windows-1252"),
        lambda path: path.write_bytes(text(ROWS, "|").encode("cp1252")),
    ),
    "utf-16": ("t.csv", ReadOptions("utf-16"), lambda path: path.write_bytes(text(ROWS).encode("utf-16"))),
    "no header": (
        "t.data",
        ReadOptions(names=HEAD, delim=", "),
        lambda path: path.write_text(text(ROWS, ", ", header=False) + "\n"),
    ),
    "German": (
        "t.csv",
        ReadOptions(decimal_separator=",", dateformat="%d.%m.%Y"),
        lambda path: path.write_text(text(GERMAN, ";")),
    ),
    "lines of JSON": (
        "t.jsonl",
        None,
        lambda path: path.write_text("".join(json.dumps(each) + "\n" for each in records())),
    ),
    "a list of JSON": ("t.json", None, lambda path: path.write_text(json.dumps(records(), indent=2))),
    "a sheet": ("t.xlsx#staff 2", None, workbook),
    "SQLite": ("sqlite:t.db#staff", None, database),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_every_kind_has_the_same_rows(name: str, tmp_path: Path) -> None:
    source, read, write = FILES[name]
    write(parse_source(source, tmp_path).path)
    assert snapshot(source, tmp_path, read) == MEANT


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("1.234.567,5", Type.FLOAT, 1234567.5),
        ("1.234", Type.INTEGER, 1234),
        ("-0,25", Type.FLOAT, -0.25),
        ("1.5", Type.FLOAT, None),
        ("1,234,5", Type.FLOAT, None),
        ("12.34,5", Type.FLOAT, None),
        ("31.02.2024", Type.DATE, None),
        ("2024-12-31", Type.DATE, None),
        ("1.2.2024", Type.DATE, datetime.date(2024, 2, 1)),
        ("9999-12-31T23:59:59-05:00", Type.TIMESTAMP, None),
        ("2024-03-05T10:00:00.1234567Z", Type.TIMESTAMP, datetime.datetime(2024, 3, 5, 10, 0, 0, 123456)),
        ("2024-03-05 10:00", Type.TIMESTAMP, datetime.datetime(2024, 3, 5, 10)),
        ("2024-03-05 10:00 Europe/Berlin", Type.TIMESTAMP, None),
    ],
)
def test_a_cell_is_read_in_the_declared_form_or_is_null(
    cell: str, kind: Type, value: object, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(f"x;y\n{cell};1\n")
    read = ReadOptions(decimal_separator=",", dateformat="%d.%m.%Y")
    assert snapshot("t.csv", tmp_path, read, {"x": kind}) == [(value,)]


def test_doubled_and_missing_names_get_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("score,,Score,score_1\n1,2,3,4\n")
    with pytest.raises(Error, match=r"columns 1 and 3 of t\.csv have the same name") as refusal:
        parse_and_describe("t.csv", tmp_path)
    assert refusal.value.code == "header-doubled" and "score" not in str(refusal.value.args[0])
    types = dict.fromkeys(["score", "column2", "Score_2", "score_1"], Type.INTEGER)
    assert snapshot("t.csv", tmp_path, ReadOptions(rename_duplicates=True), types) == [(1, 2, 3, 4)]


def parse_and_describe(source: str, folder: Path, read: ReadOptions | None = None) -> Mapping[str, str]:
    return BACKEND.describe(parse_source(source, folder, read=read))


@pytest.mark.parametrize(
    ("name", "content", "place", "fix"),
    [
        (
            "t.csv",
            f"a,b\n1,2\n3,{CANARY}\xe9\n".encode("latin-1"),
            "line 3, column 2 is not UTF-8",
            "windows-1252",
        ),
        ("t.csv", f"a,b\n1,2\n3,{CANARY},5\n".encode(), "line 3: 3 cells instead of 2", "sed -i.bak 3d"),
        ("t.csv", f'a,b\n1,"{CANARY}\n3,4\n'.encode(), "line 2: an unclosed quote", "sed -n 2p"),
        ("t.csv.gz", f"a,b\n1,{CANARY}\n".encode(), "it is not a valid gzip file", "gzip -t"),
        ("t.jsonl", f'{{"a": 1}}\n{{"a": "{CANARY}}}\n'.encode(), "line 2 is not a JSON object", "json.tool"),
        ("t.json", f'[{{"a": 1}},\n "{CANARY}"]'.encode(), "is not a JSON object", "json.tool"),
        ("t.xlsx#s", CANARY.encode(), "its format does not match its name", "save it again"),
        ("sqlite:t.db#s", CANARY.encode() * 100, "its format does not match its name", "integrity_check"),
    ],
    ids=["encoding", "t.csv-ragged", "quote", "packed", "JSON lines", "JSON", "workbook", "SQLite"],
)
def test_what_cannot_be_read_is_named_by_its_place_and_never_quoted(
    name: str, content: bytes, place: str, fix: str, tmp_path: Path
) -> None:
    source = parse_source(name, tmp_path)
    source.path.write_bytes(content)
    with pytest.raises(Error) as failure:
        snapshot(name, tmp_path, None, {"a": Type.INTEGER})
    problem = failure.value
    assert problem.code == "source-broken" and place in (problem.why or "") and fix in (problem.fix or "")
    assert problem.__suppress_context__ and problem.__cause__ is None
    assert CANARY not in str(problem)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_command_that_leaves_a_line_out_repairs_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    monkeypatch.chdir(tmp_path)
    (tmp_path / "my file.csv").write_text("a,b\n1,2\n3\n4,5\n")
    with pytest.raises(Error) as failure:
        snapshot("my file.csv", tmp_path, None, {"a": Type.INTEGER})
    subprocess.run(failure.value.fix or "", shell=True, check=True, timeout=30, stdout=subprocess.DEVNULL)
    assert snapshot("my file.csv", tmp_path, None, {"a": Type.INTEGER}) == [(1,), (4,)]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("t.parquet", ReadOptions("latin-1")),
        ("t.xlsx#s", ReadOptions(delim=";")),
        ("sqlite:t.db#s", ReadOptions(names=("a",))),
        ("postgresql://localhost/d#s", ReadOptions(dateformat="%d.%m.%Y")),
        ("spark:s", ReadOptions(decimal_separator=",")),
    ],
)
def test_options_that_do_not_go_with_a_file_are_refused(source: str, read: ReadOptions) -> None:
    with pytest.raises(Error) as refusal:
        parse_source(source, Path(), read=read)
    assert refusal.value.code == "read-option"


def test_another_number_of_names_than_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,2\n")
    with pytest.raises(Error) as refusal:
        parse_and_describe("t.csv", tmp_path, ReadOptions(names=("a", "b", "c")))
    assert refusal.value.code == "source-names"
