"""lapcat init SOURCE, or --from the metadata of another tool: drafts a catalogue."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, json_option, printing
from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.plan.schema import Type


@click.command(short_help="Draft a catalogue for a file (steward).")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line holds the column names, if that is unclear.",
)
@click.option("--names", metavar="A,B,…", help="Column names of a file without a header.")
@click.option(
    "--encoding", metavar="NAME", help="Encoding of a text file that is not UTF-8, such as windows-1252."
)
@click.option("--rename-duplicates", is_flag=True, help="Append _1, _2, … to duplicate column names.")
@click.option("--add", is_flag=True, help="Append the tables to the existing catalogue.")
@click.option("--from", "metadata", metavar="FILE", help="Start from SmartNoise SQL metadata (.yaml).")
@json_option
@catalogue_option
def command(
    sources: tuple[str, ...],
    header: bool | None,
    names: str | None,
    encoding: str | None,
    rename_duplicates: bool,
    add: bool,
    metadata: str | None,
    as_json: bool,
    catalogue: str,
) -> None:
    """Draft ./lapcat.toml for files and tables (steward).

    On a terminal it asks for the three required decisions: who is protected, how many rows one person may contribute, and
    the budget. Elsewhere it leaves them open.

    A SOURCE is a .csv, .tsv, .txt, .data, .json, .jsonl, .xlsx or .parquet file (text files also as .gz), a SQLite file,
    sqlite:FILE#TABLE, duckdb:FILE#TABLE, postgresql://…#TABLE or spark:….

    Types come from the schema of the source, or are guessed from its cells for you to confirm. A first line that may be a
    row is refused, because the draft would publish it: use --header or --no-header. Bounds and keys are decisions and stay
    open. With --from, units, types and bounds come from a SmartNoise metadata file; each SOURCE is matched to a table by
    name.
    """
    from lapcat.cli.draft import draft, open_questions

    target = Path(catalogue)
    before = _catalogue_before(target, add)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise BadQuery("catalogue-missing", f"the folder {folder} does not exist", fix=f"mkdir -p {folder}")
    asks = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    types: Mapping[str, object]
    if metadata is not None:
        if add:
            raise click.UsageError("--add works with SOURCE, not with --from")
        text, types = _from_smartnoise(metadata, sources, folder)
        decided = False
    elif sources:
        from lapcat.cli.draft import sections
        from lapcat.cli.intake import Wishes, take_all
        from lapcat.cli.interview import AtTheTerminal, interview
        from lapcat.frontend.catalogue import is_encoding

        called = _names(names, header)
        if encoding is not None and not is_encoding(encoding):
            raise click.UsageError(
                f"unknown encoding {encoding!r}; common ones are windows-1252, latin-1 and utf-16"
            )
        wishes = Wishes(header, called, encoding, rename_duplicates, AtTheTerminal() if asks else None)
        tables, populations = _declared_in(before, target)
        intakes = take_all(sources, folder, wishes, tables)
        decisions = interview(intakes) if asks else None
        types = {name: dict(intake.types) for name, intake in intakes.items()}
        text = (
            draft(intakes, decisions)
            if before is None
            else "\n".join([before.rstrip("\n"), *sections(intakes, decisions, populations)]) + "\n"
        )
        decided = asks
    else:
        raise click.UsageError("init needs a SOURCE, or --from FILE")
    if before is None:
        write_new(target, text)
    else:
        write_again(target, text)
    write_schema(folder)
    asked = [question for question in open_questions(text) if not question.guessed]
    must = sum(not question.optional for question in asked)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [{"line": q.line, "text": q.text, "optional": q.optional} for q in asked]
            print_json({"catalogue": str(target), "types": dict(types), "open": listed})
            return
        option = "" if catalogue == "lapcat.toml" else f" -c {shlex.quote(catalogue)}"
        what = ", ".join(types)
        if decided:
            screen.say("", f"wrote {target}: {what}", "next:")
        else:
            screen.say(
                f"drafted {target}: {what}; {must} required decisions",
                "next:",
                f"  edit {target}: lines with `# ?` are required, lines with `# +` optional,",
                "  for columns used in SUM, AVG and GROUP BY",
                f"  lapcat check{option}     lists open decisions; reads no row",
            )
        if before is not None:
            screen.say(f'  lapcat accept{option} --reason "…"   if the catalogue is already in use')
        screen.say(f"  lapcat refresh{option}   makes the data available for questions")
        if decided:
            screen.say(
                f"  lapcat check{option}     lists the columns that need bounds or keys for SUM, AVG",
                "                   and GROUP BY; write them into the file",
            )


def _names(given: str | None, header: bool | None) -> tuple[str, ...]:
    """The column names of a file without a header."""
    names = tuple(name.strip() for name in given.split(",")) if given else ()
    if names and header:
        raise click.UsageError("--names is for a file without a header")
    if not all(names) or len({name.casefold() for name in names}) != len(names):
        raise click.UsageError("--names takes distinct names, separated by commas")
    return names


def _catalogue_before(target: Path, add: bool) -> str | None:
    """The text of the existing catalogue with --add; None for a new one."""
    if not add:
        if target.exists():
            raise exists(target)
        return None
    from lapcat.session.ledger_files import catalogue_text

    return catalogue_text(target)


def _declared_in(before: str | None, target: Path) -> tuple[Collection[str], Collection[str]]:
    """The tables and populations that the catalogue already declares."""
    import tomllib

    try:
        known = tomllib.loads(before or "")
    except tomllib.TOMLDecodeError as problem:
        raise BadQuery(
            "catalogue-syntax",
            f"{target} is not valid TOML: {problem}",
            fix='a line looks like  key = "value"  and a section like  [tables.staff]',
        ) from None
    tables, populations = (known.get(key) for key in ("tables", "populations"))
    return tuple(tables or ()), tuple(populations or ())


def _from_smartnoise(
    metadata: str, sources: Sequence[str], folder: Path
) -> tuple[str, dict[str, dict[str, Type]]]:
    """The draft, and the types of each table."""
    from lapcat.cli.smartnoise import TYPES, draft_from, matched, names_of, read_metadata
    from lapcat.engines.backends import parse_source, relative_source

    try:
        given = Path(metadata).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise BadQuery(
            "metadata-missing", f"{metadata} cannot be read: {reason}", fix="--from FILE"
        ) from None
    _, tables = read_metadata(given)
    named = [relative_source(source, folder) for source in sources]
    # an unknown kind of source is refused before anything is written
    written = [(parse_source(source, folder).stem, source) for source in named]
    text = draft_from(given, metadata, matched(tables, written))
    return text, {
        name: {
            column: TYPES[str(spec["type"])]
            for column, spec in table.columns.items()
            if spec["type"] in TYPES
        }
        for name, table in zip(names_of(tables), tables, strict=True)
    }


def write_new(target: Path, text: str) -> None:
    """Writes the draft, unless the file exists."""
    try:
        data = text.encode("utf-8")
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise exists(target) from None
    except UnicodeEncodeError:
        raise BadQuery(
            "source-unknown", "the name of the source is not UTF-8", fix="rename the file"
        ) from None
    except OSError as problem:
        raise BadQuery(
            "catalogue-missing", f"{target} cannot be written: {problem.strerror}", fix="-c FILE"
        ) from None


def write_again(target: Path, text: str) -> None:
    """Replaces the catalogue atomically."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        unfinished.write_text(text, encoding="utf-8", newline="")
        shutil.copymode(target, unfinished)
        os.replace(unfinished, target)
    except OSError as problem:
        unfinished.unlink(missing_ok=True)
        raise BadQuery(
            "catalogue-missing", f"{target} cannot be written: {problem.strerror}", fix="-c FILE"
        ) from None


def write_schema(folder: Path) -> None:
    """Writes the JSON schema named in the first line of the catalogue, for editors. Write errors are ignored."""
    from importlib.resources import files

    from lapcat.cli.draft import SCHEMA

    with suppress(OSError):
        (folder / SCHEMA).write_bytes(files("lapcat").joinpath("catalogue.schema.json").read_bytes())


def exists(target: Path) -> BadQuery:
    return BadQuery(
        "catalogue-exists",
        f"{target} already exists and is not overwritten, because it records decisions",
        fix=f"--add, to append the table to it; or -c other.toml; or move it away: mv {target} {target}.old",
    )
