"""lapcat init SOURCE: drafts a catalogue."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lapcat.cli.options import catalogue_option, json_option, printing
from lapcat.errors import BadQuery


@click.command(short_help="Draft a catalogue for a file (steward).")
@click.argument("source")
@json_option
@catalogue_option
def command(source: str, as_json: bool, catalogue: str) -> None:
    """Draft ./lapcat.toml for a .csv or .parquet file, or duckdb:FILE#TABLE (steward).

    Types come from the file's schema, or are proposed from a CSV's values for you to confirm. Who is protected, the
    budget, bounds and keys are left open: they are decisions.
    """
    from lapcat.cli.draft import draft, open_questions
    from lapcat.engines.duckdb_snapshot import propose_types
    from lapcat.engines.sources import parse_source

    target = Path(catalogue)
    if target.exists():
        raise exists(target)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise BadQuery("catalogue-missing", f"there is no folder {folder}", fix=f"mkdir -p {folder}")
    written = _relative(source, folder)
    parsed = parse_source(written, folder)
    types = propose_types(parsed)
    text = draft(written, _stem(source), types, guessed=parsed.kind == "csv")
    write_new(target, text)
    option = "" if catalogue == "lapcat.toml" else f" -c {catalogue}"
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [{"line": q.line, "text": q.text} for q in open_questions(text)]
            print_json({"catalogue": str(target), "types": dict(types), "open": listed})
            return
        screen.say(
            f"drafted {target}: {len(types)} columns, {len(open_questions(text))} open questions",
            "next:",
            f"  open {target} and answer the lines that begin with `# ?`",
            f"  lapcat check{option}     lists what is still open; it reads no row",
            f"  lapcat refresh{option}   makes the data ready for questions",
        )


def write_new(target: Path, text: str) -> None:
    """Writes the draft, unless somebody was quicker."""
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


def exists(target: Path) -> BadQuery:
    return BadQuery(
        "catalogue-exists",
        f"{target} exists and is not overwritten: a catalogue holds decisions",
        fix=f"-c other.toml, or move it away: mv {target} {target}.old",
    )


def _relative(source: str, folder: Path) -> str:
    """The source as the catalogue names it: paths are from the catalogue's folder."""
    if source.startswith("duckdb:"):
        path, mark, table = source.removeprefix("duckdb:").rpartition("#")
        return f"duckdb:{_from(path, folder)}{mark}{table}" if mark else source
    return source if "://" in source else _from(source, folder)


def _from(path: str, folder: Path) -> str:
    return Path(os.path.relpath(os.path.expanduser(path), folder)).as_posix()


def _stem(source: str) -> str:
    """What the table is called: the file's name, or the table's in a database."""
    return source.rpartition("#")[2].rpartition(".")[2] if source.startswith("duckdb:") else Path(source).stem
