"""Converts files that DuckDB cannot read directly to CSV in UTF-8, for `init` and `refresh`, the only commands that read sources.

To add a format, write a function that returns the column names and the rows, with all cells as texts and None for missing
values, and add a line to FORMATS. Errors name the line and column of a broken file, never its content.
"""

from __future__ import annotations

import csv
import datetime
import gzip
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from lapcat.engines.base.sources import Source
from lapcat.errors import BadArgument, BadQuery, EngineFailed, Error

DELIMITERS = ",;\t|"
Cells = Iterable[Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class PlainCSV:
    """A CSV file in UTF-8 for DuckDB, and its layout."""

    path: Path
    names: Sequence[str]
    delimiter: str = ","
    header: bool = False


@contextmanager
def plain_csv(source: Source, folder: Path | None = None) -> Iterator[PlainCSV]:
    """The source itself if it is plain CSV; otherwise an unnamed temporary copy in `folder`, which ends with the process."""
    if source.kind == "csv":
        names, delimiter = csv_header(source)
        header = not source.read.names
        if not (source.read.encoding or _packed(source)):
            yield PlainCSV(Path(os.path.realpath(source.path)), names, delimiter, header)
            return
    with tempfile.TemporaryFile("w+", dir=folder, encoding="utf-8", newline="") as copy:
        if source.kind == "csv":
            try:
                with _text(source) as file:
                    shutil.copyfileobj(file, copy)
            except (UnicodeError, OSError, EOFError):
                raise broken_csv(source) from None  # a UnicodeError contains bytes of the file
        else:
            first, rows = FORMATS[source.kind](source)
            names, delimiter, header = column_names(first, source), ",", False
            copy.writelines(_line(row, len(names)) for row in rows)
        copy.flush()
        yield PlainCSV(Path(f"/proc/{os.getpid()}/fd/{copy.fileno()}"), names, delimiter, header)


def _line(row: Sequence[str | None], width: int) -> str:
    """A row as CSV: an empty cell is NULL, a quoted empty cell is the empty text."""
    cells = [*row, *[None] * (width - len(row))]
    return ",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


# ------------------------------------------------------------------------------------------------ names


def csv_header(source: Source) -> tuple[list[str], str]:
    """The column names of a CSV, and its delimiter."""
    first, delimiter = first_line(source)
    return column_names(first, source), delimiter


def first_line(source: Source) -> tuple[list[str], str]:
    """The cells of a CSV's first line, and its delimiter: by default the one that gives the most cells."""
    candidates: list[tuple[list[str], str]] = []
    given = source.read.delim or ("\t" if ".tsv" in source.path.suffixes[-2:] else None)
    try:
        with _text(source) as file:
            for delimiter in [given] if given else DELIMITERS:
                file.seek(0)
                with suppress(csv.Error):  # a quoted header may be malformed with another delimiter
                    candidates.append((next(_rows(file, delimiter), []), delimiter))
    except (UnicodeError, OSError, EOFError):
        candidates.clear()
    if not candidates:
        raise broken_csv(source) from None
    width = len(source.read.names)
    fitting = [each for each in candidates if len(each[0]) == width] or candidates
    return max(fitting, key=lambda header: len(header[0]))


def column_names(first: Sequence[str | None], source: Source) -> list[str]:
    """Column names from the first line. An empty name becomes `column` and its position. Duplicates are refused, unless they
    are to be renamed; the error names positions only, since the first line may be a row."""
    if source.read.names:
        if len(source.read.names) != len(first):
            raise BadQuery(
                "source-names",
                f"{source.name} has {len(first)} columns, and `names` lists {len(source.read.names)}",
                fix=f"read.names = [ … ] with {len(first)} names, under its table in lapcat.toml",
            )
        return list(source.read.names)
    names = [name if name and name.strip() else f"column{place}" for place, name in enumerate(first, 1)]
    doubled = duplicates(names)
    if doubled and not source.read.rename_duplicates:
        places = " and ".join(str(place) for place in next(iter(doubled.values())))
        raise BadQuery(
            "header-doubled",
            f"columns {places} of {source.name} have the same name",
            why="column names must be unique, ignoring case",
            fix="read.rename_duplicates = true   under its table in lapcat.toml (lapcat init has --rename-duplicates)",
        )
    return renamed(names)


def duplicates(names: Sequence[str]) -> dict[str, list[int]]:
    """Duplicate names, with the positions of their columns, from 1."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        places.setdefault(name.lower(), []).append(place)
    return {names[columns[0] - 1]: columns for columns in places.values() if len(columns) > 1}


def renamed(names: Sequence[str]) -> list[str]:
    """The names, made unique.

    >>> renamed(["a", "b", "A", "a_1", "a"])
    ['a', 'b', 'A_2', 'a_1', 'a_3']
    """
    taken, result = {name.lower() for name in names}, list[str]()
    seen: set[str] = set()
    for name in names:
        number, free = 0, name
        while free.lower() in seen or (number and free.lower() in taken):
            number += 1
            free = f"{name}_{number}"
        seen.add(free.lower())
        result.append(free)
    return result


# ------------------------------------------------------------------------------------------------ text


def _packed(source: Source) -> bool:
    return source.path.suffix.lower() == ".gz"


def _text(source: Source, errors: str = "strict") -> TextIO:
    encoding = source.read.encoding or "utf-8-sig"
    opener: Callable[..., Any] = gzip.open if _packed(source) else open
    file: TextIO = opener(source.path, "rt", encoding=encoding, newline="", errors=errors)
    return file


def first_lines(source: Source, count: int) -> str:
    """The first lines of a CSV, as text."""
    try:
        with _text(source) as file:
            return "".join(line for line, _ in zip(file, range(count), strict=False))
    except (UnicodeError, OSError, EOFError):
        raise broken_csv(source) from None


def _rows(file: TextIO, delimiter: str) -> Any:
    return csv.reader(file, delimiter=delimiter[0], skipinitialspace=len(delimiter) > 1, strict=True)


def likely_encoding(source: Source) -> str | None:
    """UTF-16 if the first bytes look like it, else None."""
    opener: Callable[..., Any] = gzip.open if _packed(source) else open
    try:
        with opener(source.path, "rb") as file:
            start = file.read(4096)
    except (OSError, EOFError):
        return None
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if start.count(0) * 3 > len(start):
        return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    return None


def broken_csv(source: Source) -> Error:
    """The error for an unreadable CSV: line, column and reason."""
    import shlex

    name = shlex.quote(os.path.relpath(source.path))
    encoding = source.read.encoding or "UTF-8"
    try:
        place, wrong = _first_trouble(source)
    except (OSError, EOFError, UnicodeError):
        place, wrong = "", "packed" if _packed(source) else "encoding"
    if wrong == "encoding":
        likely = likely_encoding(source) or ("windows-1252" if source.read.encoding is None else "utf-8")
        why = f"{place or 'it'} is not {encoding}"
        fix = (
            f"lapcat init {name} --encoding {likely}\n"
            f'or, in a lapcat.toml that has the table: read.encoding = "{likely}"'
        )
    elif wrong == "packed":
        why, fix = "it is not a valid gzip file", f"gzip -t {name}"
    elif place:
        line = place.split()[1]
        why = f"{place}: {wrong}"
        fix = (
            f"sed -n {line}p {name}       # shows the line\n"
            f"sed -i.bak {line}d {name}   # removes it, and keeps a copy of the file"
        )
        if _packed(source):
            fix = f"zcat {name} | sed -n {line}p   # shows the line"
    else:
        why, fix = "it is damaged, or its format does not match its name", "export it again as CSV in UTF-8"
    return EngineFailed("source-broken", f"{source.name} cannot be read as CSV", why=why, fix=fix)


def _first_trouble(source: Source) -> tuple[str, str]:
    """The position of the first error and its kind: `encoding`, or a description. Empty if there is none."""
    with _text(source, errors="replace") as file:
        delimiter = source.read.delim or max(DELIMITERS, key=file.readline().count)
        file.seek(0)
        rows = _rows(file, delimiter)
        line, width = 1, len(source.read.names)
        try:
            for row in rows:
                for place, cell in enumerate(row, 1):
                    if "\ufffd" in cell:
                        return f"line {line}, column {place}", "encoding"
                width = width or len(row)
                if len(row) not in (0, width):
                    return (
                        f"line {line}",
                        f"{len(row)} {'cell' if len(row) == 1 else 'cells'} instead of {width}",
                    )
                line = rows.line_num + 1
        except csv.Error:
            return f"line {line}", "an unclosed quote, or text after a closing quote"
    return "", ""


# ------------------------------------------------------------------------------------------------ other formats


def from_json(source: Source) -> tuple[Sequence[str], Cells]:
    """JSON objects, one per line or all in one list. Nested values become JSON texts."""
    names: dict[str, None] = {}
    for record in _records(source):
        names |= dict.fromkeys(record)
    return list(names), ([_json_cell(record.get(name)) for name in names] for record in _records(source))


def _records(source: Source) -> Iterator[dict[str, object]]:
    line = 1
    try:
        with _text(source) as file:
            listed = file.read(1024).lstrip()[:1] == "["
            file.seek(0)
            if listed:
                for record in json.load(file):
                    yield _object(record)
                return
            for text in file:
                if text.strip():
                    yield _object(json.loads(text))
                line += 1
    except (ValueError, RecursionError, OSError, EOFError) as problem:
        if isinstance(problem, json.JSONDecodeError):
            line += problem.lineno - 1
        raise EngineFailed(
            "source-broken",
            f"{source.name} cannot be read as JSON",
            why=f"line {line} is not a JSON object in {source.read.encoding or 'UTF-8'}; "
            "a file holds one object per line, or one list of objects",
            fix=f"python -m json.tool --json-lines {source.path} /dev/null   shows what is wrong",
        ) from None


def _object(record: object) -> dict[str, object]:
    if not isinstance(record, dict):
        raise ValueError
    return record


def _json_cell(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def from_sqlite(source: Source) -> tuple[Sequence[str], Cells]:
    """A table or view of a SQLite file as column names and rows."""
    assert source.table is not None
    known = sqlite_tables(source.path)
    table = next((name for name in known if name.lower() == (source.table or "").lower()), None)
    if table is None:
        raise no_such_part(source, "table", known)
    connection = _sqlite(source.path)
    quoted = '"' + table.replace('"', '""') + '"'
    cursor = connection.execute(f"SELECT * FROM {quoted}")
    names = [column[0] for column in cursor.description]

    def rows() -> Iterator[Sequence[str | None]]:
        with closing(connection):
            for row in cursor:
                yield [_cell(value) for value in row]

    return names, rows()


def sqlite_tables(path: Path) -> list[str]:
    try:
        with closing(_sqlite(path)) as connection:
            rows = connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
            )
            return [str(name) for (name,) in rows]
    except sqlite3.Error:
        raise EngineFailed(
            "source-broken",
            f"{path.name} cannot be read as SQLite",
            why="it is damaged or locked, or its format does not match its name",
            fix=f"sqlite3 {path} 'PRAGMA integrity_check'",
        ) from None


def _sqlite(path: Path) -> sqlite3.Connection:
    from urllib.parse import quote

    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
    connection.text_factory = lambda text: text.decode("utf-8", errors="replace")
    return connection


def from_excel(source: Source) -> tuple[Sequence[str | None], Cells]:
    """A worksheet. Its first row holds the names, unless they are declared."""
    known = excel_sheets(source.path)
    sheet = next((name for name in known if name.lower() == (source.table or "").lower()), None)
    if sheet is None:
        raise no_such_part(source, "sheet", known)
    rows = _workbook(source.path).get_sheet_by_name(sheet).to_python(skip_empty_area=True)
    texts = [[_cell(value) if value != "" else None for value in row] for row in rows]
    if not texts:
        raise EngineFailed(
            "source-empty", f"{source.name} is empty", fix="name a sheet with at least a header"
        )
    return texts[0], texts if source.read.names else texts[1:]


def excel_sheets(path: Path) -> list[str]:
    return list(_workbook(path).sheet_names)


def _workbook(path: Path) -> Any:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ModuleNotFoundError:
        raise BadArgument(
            "extra-missing", "python-calamine is not installed", fix="pip install 'lapcat[excel]'"
        ) from None
    try:
        return CalamineWorkbook.from_path(str(path))
    except (CalamineError, OSError):
        raise EngineFailed(
            "source-broken",
            f"{path.name} cannot be read as a workbook",
            why="it is damaged, password-protected, or its format does not match its name",
            fix="save it again as .xlsx, or as CSV in UTF-8",
        ) from None


def no_such_part(source: Source, what: str, known: Sequence[str]) -> BadQuery:
    return BadQuery(
        "source-table",
        f"{source.path.name} has no {what} {source.table}",
        why=f"it has {', '.join(known) or 'none'}",
        fix=f"source = … with one of these after the #, in place of {source.table}",
    )


def _cell(value: object) -> str | None:
    """A cell of a typed file as text: integers without decimals, dates and times in ISO 8601."""
    match value:
        case None | bytes():
            return None
        case bool():
            return str(value).lower()
        case float() if value.is_integer() and abs(value) < 2**53:
            return str(int(value))
        case datetime.datetime():
            return value.isoformat(" ")
        case datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)


FORMATS: Mapping[str, Callable[[Source], tuple[Sequence[str | None], Cells]]] = {
    "json": from_json,
    "sqlite": from_sqlite,
    "excel": from_excel,
}
