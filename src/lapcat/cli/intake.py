"""Inspection of a source by `lapcat init`: columns, types, and file format.

A first line that may be a row never becomes column names, because the catalogue is public.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.engines.base.sources import Source
    from lapcat.plan.schema import ReadOptions, Type

LINES = 20
"""Lines of a CSV that are read to detect its delimiter."""


class Person(Protocol):
    """A user at a terminal."""

    def confirm(self, question: str) -> bool: ...

    def names(self, count: int) -> tuple[str, ...]:
        """The names of `count` columns; empty for column1, column2, …"""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options given on the command line; None if not given."""

    header: bool | None = None
    names: tuple[str, ...] = ()
    """Column names of a file without a header."""
    encoding: str | None = None
    rename_duplicates: bool = False
    person: Person | None = None
    """The user to ask; None if not interactive."""


@dataclass(frozen=True, slots=True)
class Intake:
    """A source as written in the catalogue, with its proposed types and read options."""

    source: str
    stem: str
    """Base of the table name."""
    types: Mapping[str, Type]
    read: ReadOptions
    guessed: bool
    """Whether the types are guessed from values."""


def take_all(
    sources: Sequence[str], folder: Path, wishes: Wishes, taken: Collection[str]
) -> dict[str, Intake]:
    """The sources by table name; refuses a name that is already taken."""
    from lapcat.cli.draft import table_name

    tables: dict[str, Intake] = {}
    for source in sources:
        intake = take_in(source, folder, wishes)
        name = table_name(intake.stem)
        if name in tables or name in taken:
            raise BadQuery(
                "table-twice",
                f"two tables would have the name {name}",
                why="a table is named after its file, its sheet, or its table in a database",
                fix="add the second table to the catalogue by hand, under another name",
            )
        tables[name] = intake
    return tables


def take_in(given: str, folder: Path, wishes: Wishes) -> Intake:
    """Inspects a source; refuses it if its first line may be a row and neither an option nor the user says what it is."""
    from lapcat.engines.backends import backend_of, parse_source, relative_source
    from lapcat.engines.duckdb.guesses import propose

    named = with_part(given)
    written = relative_source(named, folder)
    source = parse_source(written, folder)
    if not source.is_text:
        return Intake(written, source.stem, backend_of(source).propose_types(source), source.read, False)
    with_header = source.kind in ("csv", "excel")
    looked, first = _looked_at(source, wishes)
    header = False if wishes.names else wishes.header
    if with_header and header is None and (values := _like_values(first)):
        header = _decided(given, wishes, f"{values} of its {len(first)} cells look like values")
    if header is False:
        looked = _without_header(looked, len(first), wishes)
    proposal = propose(looked)
    if with_header and header is None:
        texts = all(kind == "text" for kind in proposal.types.values())
        evidence = "every column is text" if texts else "a cell of it occurs again in its column"
        if texts or proposal.repeated:
            header = _decided(given, wishes, evidence)
            if not header:
                proposal = propose(_without_header(looked, len(first), wishes))
    read = proposal.read
    if not read.names:
        read = replace(read, rename_duplicates=_renamed(given, first, wishes))
    elif proposal.read.delim is None and source.kind == "csv":
        read = replace(read, delim=_delimiter(looked))
    return Intake(written, source.stem, proposal.types, read, True)


def _looked_at(source: Source, wishes: Wishes) -> tuple[Source, Sequence[str]]:
    """The source with its encoding and delimiter, before its header is known, and the cells of its first line."""
    from lapcat.engines.duckdb.sources import require_file
    from lapcat.engines.duckdb.text_files import first_line, from_excel, likely_encoding

    require_file(source)
    read = replace(source.read, rename_duplicates=True)
    if source.kind == "csv":
        read = replace(read, encoding=wishes.encoding or likely_encoding(source))
        spaced = _spaced(replace(source, read=read))
        looked = replace(source, read=replace(read, delim=spaced))
        return looked, first_line(looked)[0]
    if source.kind == "json":
        read = replace(read, encoding=wishes.encoding)
    looked = replace(source, read=read)
    cells = from_excel(looked)[0] if source.kind == "excel" else []
    return looked, [cell or "" for cell in cells]


def _spaced(source: Source) -> str | None:
    """`, ` if a space follows every comma in the first lines: otherwise every text would begin with a space."""
    from lapcat.engines.duckdb.text_files import first_lines

    text = first_lines(source, LINES)
    commas = text.count(",")
    return ", " if commas and text.count(", ") == commas and not re.search("[;\t|]", text) else None


def _delimiter(source: Source) -> str:
    from lapcat.engines.duckdb.text_files import first_line

    return first_line(source)[1]


def _without_header(source: Source, width: int, wishes: Wishes) -> Source:
    """The same file read without a header: with the given column names, or column1, column2, …"""
    from lapcat.engines.duckdb.text_files import first_line, first_lines

    names = tuple(f"column{place}" for place in range(1, width + 1))
    if source.kind == "csv" and source.read.delim is None:
        lines = [line for line in first_lines(source, LINES).splitlines() if line.strip()]
        for delim in "\t;|":  # before the comma, which may be a decimal separator
            if lines and lines[0].count(delim) and len({line.count(delim) for line in lines}) == 1:
                source = replace(source, read=replace(source.read, delim=delim))
                names = names[: len(first_line(source)[0])]
                break
    given = wishes.names
    if not given and wishes.person is not None:
        given = wishes.person.names(len(names))
    return replace(source, read=replace(source.read, names=given or names, rename_duplicates=False))


def _like_values(first: Sequence[str]) -> int:
    from lapcat.plan.headers import looks_like_data

    return sum(map(looks_like_data, first))


def _decided(given: str, wishes: Wishes, evidence: str) -> bool:
    """Whether the first line holds the column names; only the user can decide this."""
    command = f"lapcat init {shlex.quote(given)}"
    if wishes.person is not None:
        question = f"The first line of {given} may be a row: {evidence}.\nDoes it hold the column names?"
        return wishes.person.confirm(question)
    raise BadQuery(
        "header-unsure",
        f"the first line of {given} may be a row and not a header",
        why=f"{evidence}; the draft would publish the line",
        fix=f"{command} --header      # it holds the column names\n"
        f"{command} --no-header   # it is a row (or name the columns: --names age,town,…)",
    )


def _renamed(given: str, first: Sequence[str], wishes: Wishes) -> bool:
    """Whether to rename duplicate columns; refused if neither an option nor the user says so. The message gives their positions,
    and their names only if the first line is known to be a header."""
    from lapcat.engines.duckdb.text_files import duplicates

    doubled = duplicates([name if name.strip() else f"column{place}" for place, name in enumerate(first, 1)])
    if not doubled:
        return False
    columns = "; ".join(
        f"columns {' and '.join(map(str, places))}" + (f" ({name})" if wishes.header else "")
        for name, places in doubled.items()
    )
    if wishes.rename_duplicates or (
        wishes.person is not None
        and wishes.person.confirm(
            f"Several columns of {given} have the same name: {columns}.\nAppend _1, _2, … to them?"
        )
    ):
        return True
    raise BadQuery(
        "header-doubled",
        f"several columns of {given} have the same name: {columns}",
        why="column names must be unique, ignoring case",
        fix=f"lapcat init {shlex.quote(given)} --rename-duplicates   # appends _1, _2, …",
    )


# ------------------------------------------------------------------------------------------------ names of sources


def with_part(given: str) -> str:
    """The source with its table or sheet, if the file has exactly one; otherwise refused."""
    from lapcat.engines.duckdb.addresses import split_file
    from lapcat.engines.duckdb.text_files import excel_sheets, sqlite_tables

    kind, file, part = split_file(given)
    path = Path(file).expanduser()
    if kind is None and _begins(path, b"SQLite format 3\0"):
        kind, given = "sqlite", f"sqlite:{given}"
    if part or kind not in ("sqlite", "excel") or not path.is_file():
        return given
    known = sqlite_tables(path) if kind == "sqlite" else excel_sheets(path)
    if len(known) == 1:
        return f"{given}#{known[0]}"
    what = "table" if kind == "sqlite" else "sheet"
    raise BadQuery(
        "source-table",
        f"{path.name} has {len(known)} {what}s" if known else f"{path.name} has no {what}",
        why=", ".join(known),
        fix="lapcat init " + " ".join(shlex.quote(f"{given}#{name}") for name in known)
        if known
        else "name a file with data",
    )


def _begins(path: Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False
