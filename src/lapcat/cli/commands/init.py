"""lapcat init SOURCE, or --from another tool's metadata: drafts a catalogue."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, json_option, printing
from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.plan.schema import Type


@click.command(short_help="Draft a catalogue for a file (steward).")
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option("--header", is_flag=True, help="The first line of the CSV holds the names of its columns.")
@click.option("--from", "metadata", metavar="FILE", help="Start from the metadata (.yaml) of SmartNoise SQL.")
@json_option
@catalogue_option
def command(
    sources: tuple[str, ...], header: bool, metadata: str | None, as_json: bool, catalogue: str
) -> None:
    """Draft ./lapcat.toml for a .csv or .parquet file, duckdb:FILE#TABLE or postgresql://…#TABLE (steward).

    Types come from the file's schema, or are proposed from a CSV's values for you to confirm. A CSV whose first line
    might be a row is refused, since the draft would quote it; --header says that it is none. Who is protected, the
    budget, bounds and keys are left open: they are decisions. With --from, units, types and bounds are those of a
    SmartNoise metadata file; its tables find their SOURCE by name.
    """
    from lapcat.cli.draft import draft, open_questions
    from lapcat.engines.homes import home_of
    from lapcat.engines.sources import parse_source

    target = Path(catalogue)
    if target.exists():
        raise exists(target)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise BadQuery("catalogue-missing", f"there is no folder {folder}", fix=f"mkdir -p {folder}")
    types: Mapping[str, object]
    if metadata is not None:
        text, types = _from_smartnoise(metadata, sources, folder)
    elif len(sources) == 1:
        (source,) = sources
        written = _relative(source, folder)
        parsed = parse_source(written, folder)
        proposed = home_of(parsed).propose_types(parsed)
        if parsed.kind == "csv" and not header:
            _require_header(source, proposed)
        types = proposed
        text = draft(written, _stem(source), proposed, guessed=parsed.kind == "csv")
    else:
        raise click.UsageError("init takes one SOURCE, or --from FILE")
    write_new(target, text)
    option = "" if catalogue == "lapcat.toml" else f" -c {catalogue}"
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            listed = [{"line": q.line, "text": q.text} for q in open_questions(text)]
            print_json({"catalogue": str(target), "types": dict(types), "open": listed})
            return
        what = f"{len(types)} {'columns' if metadata is None else 'tables'}"
        screen.say(
            f"drafted {target}: {what}, {len(open_questions(text))} open questions",
            "next:",
            f"  open {target} and answer the lines that begin with `# ?`: who is protected and the budget",
            "  must be said; bounds and keys only of columns that you will sum up or group by",
            f"  lapcat check{option}     lists what is still open; it reads no row",
            f"  lapcat refresh{option}   makes the data ready for questions",
        )


def _require_header(source: str, proposed: Mapping[str, Type]) -> None:
    """Refuses a first line that might be a row: a name that reads like a value, or nothing but text below as well."""
    from lapcat.plan.headers import looks_like_data

    values = sum(map(looks_like_data, proposed))
    if not values and any(kind != "text" for kind in proposed.values()):
        return
    found = f"{values} of its {len(proposed)} cells read like values" if values else "every column holds text"
    raise BadQuery(
        "header-unsure",
        f"the first line of {source} may be a row and not the header",
        why=f"{found}; the draft would quote the line",
        fix=f"look at it: head -n 1 {shlex.quote(source)}\nif it holds the names of the columns: "
        f"lapcat init {shlex.quote(source)} --header\nif it is a row, add a line of names above it",
    )


def _from_smartnoise(
    metadata: str, sources: Sequence[str], folder: Path
) -> tuple[str, dict[str, dict[str, Type]]]:
    """The draft, and the types of each table."""
    from lapcat.cli.smartnoise import TYPES, draft_from, matched, names_of, read_metadata
    from lapcat.engines.sources import parse_source

    try:
        given = Path(metadata).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise BadQuery(
            "metadata-missing", f"{metadata} cannot be read: {reason}", fix="--from FILE"
        ) from None
    _, tables = read_metadata(given)
    written = [(_stem(source), _relative(source, folder)) for source in sources]
    for _, source in written:
        parse_source(source, folder)  # a source of no known kind is refused before anything is written
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
    if source.startswith("spark:") and "/" in source:
        return f"spark:{_from(source.removeprefix('spark:'), folder)}/"
    return source if "://" in source or source.startswith("spark:") else _from(source, folder)


def _from(path: str, folder: Path) -> str:
    return Path(os.path.relpath(os.path.expanduser(path), folder)).as_posix()


def _stem(source: str) -> str:
    """What the table is called: the file's name, or the table's in a database."""
    if source.startswith(("duckdb:", "postgres")) and "#" in source:
        return source.rpartition("#")[2].rpartition(".")[2]
    if source.startswith("spark:") and "/" not in source:
        return source.removeprefix("spark:").rpartition(".")[2]
    return Path(source).stem
