"""lapcat ledger: the book itself. Listed, verified, exported, accounted for again (steward)."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from lapcat.cli.options import catalogue_option, json_option, one_form, plain_option, printing, reason_option
from lapcat.errors import BadQuery, EngineFailed

if TYPE_CHECKING:
    from lapcat.cli.ledger_view import Names
    from lapcat.ledger.history import HistoryLine


store_option = click.option(
    "--store", metavar="PLACE", help="A ledger without a catalogue: that of lapcat.table(…, ledger=PLACE)."
)


@click.group(short_help="List, verify, back up, export or re-account the ledger (steward).")
def command() -> None:
    """The book of what was spent (steward): entries are appended and chained by hashes, never changed.

    These commands need the catalogue and the ledger, and lapcat.pub where it is signed; neither the key nor the data.
    """


@command.command("list", short_help="What happened, a line each.")
@click.option("--table", metavar="TABLE", help="Only what is about this table.")
@click.option("--analyst", metavar="NAME", help="Only what this analyst asked or was given.")
@click.option("--since", type=click.IntRange(1), default=1, metavar="ID", help="From this entry on.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated, for spreadsheets.")
@plain_option
@catalogue_option
def listed(
    table: str | None,
    analyst: str | None,
    since: int,
    as_json: bool,
    as_csv: bool,
    plain: bool,
    catalogue: str,
) -> None:
    """List what happened: id, time, who, what, cost and state."""
    from lapcat.cli.ledger_view import Names, history_lines, line_json
    from lapcat.ledger.history import history
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(json=as_json, csv=as_csv, plain=plain)
    book = open_ledger_read_only(catalogue)
    names, lines = Names(book.facts), history(book.ledger.entries())
    chosen = [line for line in _chosen(lines, names, table, analyst) if line.entry.id >= since]
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"entries": [line_json(line, names) for line in chosen]})
        elif as_csv:
            from lapcat.cli.streams import machine_readable

            _write_csv(chosen, names, machine_readable())
        elif chosen:
            screen.show(history_lines(chosen, names, screen))
        else:
            screen.say("no entries")


@command.command("verify", short_help="Check the whole book against itself and its guards.")
@json_option
@catalogue_option
def verified(as_json: bool, catalogue: str) -> None:
    """Check every hash, everything derived from the entries, the signed checkpoints and the witness.

    An edited, removed or reordered entry is found and named. That the last entries are missing (an older copy of the
    whole ledger) is found only by a witness, or by a receipt: lapcat receipt verify FILE --ledger lapcat.toml
    """
    from lapcat.session.ledger_files import open_ledger_read_only

    book = open_ledger_read_only(catalogue)
    found = book.verified()
    if book.guards.witness is None:
        unseen = [
            "that the last entries are missing: an older copy of the ledger (only a receipt would show it)"
        ]
    else:
        unseen = ["an older copy of both the ledger and its witness (only a receipt would show it)"]
    if not book.guards.trusted:
        unseen.append("a ledger that was rewritten whole, hashes and all: it is not signed")
    elif found.last_checkpoint < found.entries:
        unseen.append(f"entries rewritten after entry {found.last_checkpoint}, the last signed one")
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            witness = found.witness and {"lines": len(found.witness.heads), "torn": found.witness.torn}
            print_json(
                {
                    "entries": found.entries,
                    "checkpoints": found.checkpoints,
                    "last_checkpoint": found.last_checkpoint or None,
                    "witness": witness,
                    "not_detectable": unseen,
                }
            )
            return
        screen.say(
            f"{_many(found.entries, 'entry', 'entries')}: every hash holds, and so does what was derived from them"
        )
        if book.guards.trusted:
            last = f", the last at entry {found.last_checkpoint}" if found.last_checkpoint else " yet"
            screen.say(f"{_many(found.checkpoints, 'signed checkpoint', 'signed checkpoints')}{last}")
        if found.witness is not None:
            torn = (
                f" ({_many(found.witness.torn, 'line was', 'lines were')} cut short by a crash)"
                if found.witness.torn
                else ""
            )
            screen.say(f"the witness agrees: {_many(len(found.witness.heads), 'line', 'lines')}{torn}")
        screen.say("not detectable here:", *(f"  {what}" for what in unseen))


@command.command("backup", short_help="A whole copy of the ledger.")
@click.argument("file")
@json_option
@catalogue_option
def backed_up(file: str, as_json: bool, catalogue: str) -> None:
    """Write a whole copy of the ledger to a new file, also while others ask.

    A copy of lapcat.ledger by other means is whole only together with the lapcat.ledger-wal beside it, and only while
    nobody writes. A ledger on a server is backed up with pg_dump; the command is named.
    """
    from lapcat.session.ledger_files import back_up_ledger

    copy = back_up_ledger(catalogue, Path(file))
    entries = copy.verify()
    copy.close()
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"file": file, "entries": entries})
        else:
            screen.say(f"{file}: {_many(entries, 'entry', 'entries')}, verified")


@command.command("adopt", short_help="Go on with an older copy, for a reason.")
@reason_option
@store_option
@json_option
@catalogue_option
def adopted(reason: str, store: str | None, as_json: bool, catalogue: str) -> None:
    """Go on with the ledger that is there, although its witness has seen a newer one, or was lost.

    What the missing entries spent is not counted any more. So an entry says for ever what is missing and why, and every
    table is paused: lower its budget by what may have been spent since (lapcat accept), then lapcat resume.
    """
    from lapcat.session.lost_ledgers import adopt

    found = adopt(catalogue, reason, store)
    known = None if found.known is None else found.known[0]
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"entries": found.entries, "witness_had_seen": known, "paused": list(found.paused)})
            return
        screen.say(f"the ledger goes on after entry {found.entries}, and its witness begins there")
        if known is not None:
            screen.say(
                f"its witness had seen entry {known}: what was spent by entries that are missing is not counted",
                *(f"  {table} is paused" for table in found.paused),
                "lower each budget in lapcat.toml by what may have been spent since, and lapcat accept; then lapcat resume",
            )


@command.command("new", short_help="Begin a ledger in the place of a lost one, for a reason.")
@reason_option
@store_option
@json_option
@catalogue_option
def begun(reason: str, store: str | None, as_json: bool, catalogue: str) -> None:
    """Begin an empty ledger in the place of one that was lost, or is damaged and has no copy.

    Nothing that was spent before is counted any more: lower the budgets in lapcat.toml by what was spent, if it is known.
    The first entry says for ever that there was another ledger, and why there is a new one. A damaged file is moved aside.
    """
    from lapcat.session.lost_ledgers import begin_anew

    found = begin_anew(catalogue, reason, store)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            before = None if found.before is None else found.before[0]
            aside = None if found.set_aside is None else str(found.set_aside)
            print_json({"ledger": found.place, "before": before, "set_aside": aside})
            return
        screen.say(f"a new ledger begins at {found.place}")
        if found.set_aside is not None:
            screen.say(f"the one that was there is now {found.set_aside}")
        if found.before is not None:
            screen.say(f"the one before had at least {_many(found.before[0], 'entry', 'entries')}")
        screen.say(
            "what was spent before is not counted: lower the budgets in lapcat.toml by it, before the next question",
            "the tables are refreshed again before they are asked: lapcat refresh",
        )


@command.command("export", short_help="Every entry, as it was hashed.")
@click.option(
    "--jsonl", "as_jsonl", is_flag=True, help="JSON lines (the default): id, kind, text, previous, hash."
)
@click.option("--csv", "as_csv", is_flag=True, help="Acts as `list` shows them, for spreadsheets.")
@click.option("-o", "--output", metavar="FILE", help="Write there; else to standard output.")
@catalogue_option
def exported(as_jsonl: bool, as_csv: bool, output: str | None, catalogue: str) -> None:
    """Export the book. As JSON lines every entry stands as it was hashed, so that the chain can be checked anywhere."""
    from lapcat.cli.ledger_view import Names
    from lapcat.cli.streams import json_text
    from lapcat.ledger.history import history
    from lapcat.ledger.receipts import entry_json
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(jsonl=as_jsonl, csv=as_csv)
    book = open_ledger_read_only(catalogue)
    with _written(output) as stream:
        if as_csv:
            _write_csv(history(book.ledger.entries()), Names(book.facts), stream)
            return
        for entry in book.ledger.entries():
            stream.write(json_text(entry_json(entry)) + "\n")


@command.command("account", short_help="What the history costs by other theorems.")
@click.option(
    "--delta",
    default="1e-6",
    metavar="NUMBER",
    help="For the theorems that need one; 1e-6 unless said otherwise.",
)
@click.option(
    "--by",
    type=click.Choice(["basic", "advanced", "zcdp", "renyi", "pld", "all"]),
    help="One accountant; `all` adds pld, which needs lapcat[accounting].",
)
@json_option
@plain_option
@catalogue_option
def accounted(delta: str, by: str | None, as_json: bool, plain: bool, catalogue: str) -> None:
    """Account for the history again, by table and by analyst.

    The figures say what the questions cost if they had been fixed beforehand; the guarantee is the cap. A table's figure
    is that of all analysts together; an analyst's is of what that analyst has seen.
    """
    from lapcat.cli.ledger_view import Names, account_json, account_lines
    from lapcat.core.accounting import ACCOUNTANTS
    from lapcat.core.accounting.base import checked_delta
    from lapcat.core.exact import exact_text
    from lapcat.ledger.history import history
    from lapcat.ledger.reaccounting import BY, accounts
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(json=as_json, plain=plain)
    allowed = checked_delta(delta)
    book = open_ledger_read_only(catalogue)
    names = Names(book.facts)
    found = accounts(
        history(book.ledger.entries()), ACCOUNTANTS if by is None else BY[by], allowed, names.scope
    )
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(
                {
                    "delta": exact_text(allowed),
                    "accounts": [account_json(account, names) for account in found],
                }
            )
        elif found:
            screen.show(account_lines(found, names, screen))
        else:
            screen.say("nothing was ever charged")


def _chosen(
    lines: list[HistoryLine], names: Names, table: str | None, analyst: str | None
) -> list[HistoryLine]:
    if table is not None:
        if table not in names.booked:
            close = difflib.get_close_matches(table, names.booked, 1)
            raise BadQuery(
                "unknown-table",
                f"no table {table!r}" + (f"; did you mean {close[0]}?" if close else ""),
                fix=f"--table {close[0]}" if close else f"one of: {', '.join(names.booked)}",
            )
        lines = [line for line in lines if line.of_table(names.booked[table], names.booked.values())]
    if analyst is not None:
        known = sorted({line.analyst for line in lines if line.analyst is not None})
        lines = [line for line in lines if line.analyst == analyst]
        if not lines and analyst not in known:
            close = difflib.get_close_matches(analyst, known, 1)
            raise BadQuery(
                "analyst-unknown",
                f"the ledger has no entry of an analyst {analyst!r}",
                fix=f"--analyst {close[0]}"
                if close
                else f"one of: {', '.join(known)}"
                if known
                else "leave it out",
            )
    return lines


def _write_csv(lines: list[HistoryLine], names: Names, stream: TextIO) -> None:
    import csv

    from lapcat.cli.ledger_view import line_json
    from lapcat.cli.streams import csv_cells

    heads = ("id", "kind", "time", "analyst", "tables", "what", "epsilon", "delta", "rho", "state", "hash")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(heads)
    for line in lines:
        said = line_json(line, names)
        cost, tables = said.pop("cost"), said.pop("tables")
        amounts = cost if isinstance(cost, dict) else {}
        row = {**said, **amounts, "tables": " ".join(tables) if isinstance(tables, list) else ""}
        writer.writerow(csv_cells([row.get(head) for head in heads], stream))
    stream.flush()


@contextmanager
def _written(output: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that is new: an export never replaces another."""
    from lapcat.cli.streams import machine_readable

    if output is None or output == "-":
        with printing():
            yield machine_readable()
            sys.stdout.flush()
        return
    try:
        with Path(output).open("x", encoding="utf-8", newline="\n") as file:
            yield file
    except FileExistsError:
        raise BadQuery(
            "output-exists", f"there is a file at {output} already", fix="-o with the name of a new file"
        ) from None
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"the ledger could not be written to {output}: {problem.strerror}",
            fix="-o with a place that can be written",
        ) from None


def _many(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
