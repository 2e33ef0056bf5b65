"""lapcat ledger: list, verify, back up, export and re-account the ledger."""

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
    "--store", metavar="PLACE", help="Ledger without a catalogue, from lapcat.table(…, ledger=PLACE)."
)


@click.group(short_help="List, verify, back up, export or re-account the ledger (steward).")
def command() -> None:
    """Inspect and maintain the ledger of spending (steward): an append-only, hash-chained log.

    These commands need the catalogue and the ledger, and lapcat.pub if it is signed, but neither the key nor the data.
    """


@command.command("list", short_help="List the entries.")
@click.option("--table", metavar="TABLE", help="Only entries about this table.")
@click.option("--analyst", metavar="NAME", help="Only entries of this analyst.")
@click.option("--since", type=click.IntRange(1), default=1, metavar="ID", help="Start at this entry.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="CSV, for spreadsheets.")
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
    """List the entries: id, time, who, what, cost and state."""
    from lapcat.cli.ledger_view import Names, history_lines, line_json
    from lapcat.ledger.history import history
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(json=as_json, csv=as_csv, plain=plain)
    opened = open_ledger_read_only(catalogue)
    names, lines = Names(opened.facts), history(opened.ledger.entries())
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


@command.command("verify", short_help="Verify hashes, signatures and witness.")
@json_option
@catalogue_option
def verified(as_json: bool, catalogue: str) -> None:
    """Verify every hash, everything derived from the entries, the signed checkpoints and the witness.

    Edited, removed or reordered entries are detected and named. Missing last entries (an older copy of the whole ledger) are
    detected only by a witness, or by a receipt: lapcat receipt verify FILE --ledger lapcat.toml
    """
    from lapcat.session.ledger_files import open_ledger_read_only

    opened = open_ledger_read_only(catalogue)
    result = opened.verified()
    if opened.guards.witness is None:
        unseen = ["missing last entries: an older copy of the ledger (only a receipt would show it)"]
    else:
        unseen = ["an older copy of both the ledger and its witness (only a receipt would show it)"]
    if not opened.guards.trusted:
        unseen.append("a completely rewritten ledger with new hashes: it is not signed")
    elif result.last_checkpoint < result.entries:
        unseen.append(f"entries rewritten after entry {result.last_checkpoint}, the last signed one")
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            witness = result.witness and {"lines": len(result.witness.heads), "torn": result.witness.torn}
            print_json(
                {
                    "entries": result.entries,
                    "checkpoints": result.checkpoints,
                    "last_checkpoint": result.last_checkpoint or None,
                    "witness": witness,
                    "not_detectable": unseen,
                }
            )
            return
        screen.say(f"{_counted(result.entries, 'entry', 'entries')}: all hashes and derived data are correct")
        if opened.guards.trusted:
            last = f", the last at entry {result.last_checkpoint}" if result.last_checkpoint else " yet"
            screen.say(f"{_counted(result.checkpoints, 'signed checkpoint', 'signed checkpoints')}{last}")
        if result.witness is not None:
            torn = (
                f" ({_counted(result.witness.torn, 'line was', 'lines were')} cut short by a crash)"
                if result.witness.torn
                else ""
            )
            screen.say(f"the witness agrees: {_counted(len(result.witness.heads), 'line', 'lines')}{torn}")
        screen.say("not detectable here:", *(f"  {what}" for what in unseen))


@command.command("backup", short_help="Write a consistent copy of the ledger.")
@click.argument("file")
@json_option
@catalogue_option
def backed_up(file: str, as_json: bool, catalogue: str) -> None:
    """Write a consistent copy of the ledger to a new file, even while others use it.

    A plain copy of lapcat.ledger is complete only with its lapcat.ledger-wal, and only while nobody writes. A ledger on a
    server is backed up with pg_dump; the error shows the command.
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
            screen.say(f"{file}: {_counted(entries, 'entry', 'entries')}, verified")


@command.command("adopt", short_help="Continue with an older copy.")
@reason_option
@store_option
@json_option
@catalogue_option
def adopted(reason: str, store: str | None, as_json: bool, catalogue: str) -> None:
    """Continue with the existing ledger although its witness has seen a newer one, or was lost.

    The spending of missing entries is no longer counted. So an entry records permanently what is missing and why, and every
    table is paused: lower its budget by what may have been spent since (lapcat accept), then lapcat resume.
    """
    from lapcat.session.lost_ledgers import adopt

    adoption = adopt(catalogue, reason, store)
    known = None if adoption.known is None else adoption.known[0]
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(
                {"entries": adoption.entries, "witness_had_seen": known, "paused": list(adoption.paused)}
            )
            return
        screen.say(f"the ledger continues after entry {adoption.entries}, and its witness starts there")
        if known is not None:
            screen.say(
                f"its witness had seen entry {known}: the spending of missing entries is not counted",
                *(f"  {table} is paused" for table in adoption.paused),
                "lower each budget in lapcat.toml by what may have been spent since; then lapcat accept and lapcat resume",
            )


@command.command("new", short_help="Start a new ledger in place of a lost one.")
@reason_option
@store_option
@json_option
@catalogue_option
def begun(reason: str, store: str | None, as_json: bool, catalogue: str) -> None:
    """Start an empty ledger in place of one that was lost, or is damaged and has no backup.

    Earlier spending is no longer counted: lower the budgets in lapcat.toml by what was spent, if it is known. The first entry
    records permanently that there was another ledger, and why it was replaced. A damaged file is moved aside.
    """
    from lapcat.session.lost_ledgers import begin_anew

    start = begin_anew(catalogue, reason, store)
    with printing() as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            before = None if start.before is None else start.before[0]
            aside = None if start.set_aside is None else str(start.set_aside)
            print_json({"ledger": start.place, "before": before, "set_aside": aside})
            return
        screen.say(f"a new ledger starts at {start.place}")
        if start.set_aside is not None:
            screen.say(f"the old file is now {start.set_aside}")
        if start.before is not None:
            screen.say(f"the old ledger had at least {_counted(start.before[0], 'entry', 'entries')}")
        screen.say(
            "earlier spending is not counted: lower the budgets in lapcat.toml by it before the next question",
            "refresh the tables before the next question: lapcat refresh",
        )


@command.command("export", short_help="Export the entries.")
@click.option(
    "--jsonl", "as_jsonl", is_flag=True, help="JSON lines (the default): id, kind, text, previous, hash."
)
@click.option("--csv", "as_csv", is_flag=True, help="Entries as shown by `list`, for spreadsheets.")
@click.option("-o", "--output", metavar="FILE", help="Output file; default standard output.")
@catalogue_option
def exported(as_jsonl: bool, as_csv: bool, output: str | None, catalogue: str) -> None:
    """Export the ledger. As JSON lines every entry is exactly as hashed, so the chain can be verified anywhere."""
    from lapcat.cli.ledger_view import Names
    from lapcat.cli.streams import json_text
    from lapcat.ledger.history import history
    from lapcat.ledger.receipts import entry_json
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(jsonl=as_jsonl, csv=as_csv)
    opened = open_ledger_read_only(catalogue)
    with _written(output) as stream:
        if as_csv:
            _write_csv(history(opened.ledger.entries()), Names(opened.facts), stream)
            return
        for entry in opened.ledger.entries():
            stream.write(json_text(entry_json(entry)) + "\n")


@command.command("account", short_help="Re-account the history by other theorems.")
@click.option(
    "--delta",
    default="1e-6",
    metavar="NUMBER",
    help="Delta for the theorems that need one; default 1e-6.",
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
    """Re-account the history, by table and analyst.

    The figures show what the questions would cost if they had been fixed beforehand; the guarantee is the cap. The figure of
    a table covers all analysts together, that of an analyst what the analyst has seen.
    """
    from lapcat.accounting import ACCOUNTANTS
    from lapcat.accounting.base import checked_delta
    from lapcat.cli.ledger_view import Names, account_json, account_lines
    from lapcat.core.exact import exact_text
    from lapcat.ledger.history import history
    from lapcat.ledger.reaccounting import BY, accounts
    from lapcat.session.ledger_files import open_ledger_read_only

    one_form(json=as_json, plain=plain)
    allowed = checked_delta(delta)
    opened = open_ledger_read_only(catalogue)
    names = Names(opened.facts)
    results = accounts(
        history(opened.ledger.entries()), ACCOUNTANTS if by is None else BY[by], allowed, names.scope
    )
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(
                {
                    "delta": exact_text(allowed),
                    "accounts": [account_json(account, names) for account in results],
                }
            )
        elif results:
            screen.show(account_lines(results, names, screen))
        else:
            screen.say("nothing has been charged")


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
                f"the ledger has no entry of analyst {analyst!r}",
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
        fields = line_json(line, names)
        cost, tables = fields.pop("cost"), fields.pop("tables")
        amounts = cost if isinstance(cost, dict) else {}
        row = {**fields, **amounts, "tables": " ".join(tables) if isinstance(tables, list) else ""}
        writer.writerow(csv_cells([row.get(head) for head in heads], stream))
    stream.flush()


@contextmanager
def _written(output: str | None) -> Iterator[TextIO]:
    """Standard output, or a new file: an export never overwrites one."""
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
            "output-exists", f"{output} already exists", fix="-o with the name of a new file"
        ) from None
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"the ledger could not be written to {output}: {problem.strerror}",
            fix="-o FILE in a writable folder",
        ) from None


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
