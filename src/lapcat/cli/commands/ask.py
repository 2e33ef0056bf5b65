"""lapcat ask: debits the ledger, executes the query, adds noise, and prints the answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import (
    analyst_option,
    asked_of,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    price_options,
    priced,
    printing,
    question_options,
    session_of,
    the_price,
    the_question,
)
from lapcat.errors import BadQuery, EngineFailed

if TYPE_CHECKING:
    from lapcat.session.results import Answer


@click.command(
    short_help="Ask a question; charges the budget.",
    epilog="Repeating a question is free and gives the same answer. Without a price, only what follows from stored answers is returned.",
)
@question_options
@price_options
@json_option
@click.option(
    "--csv", "as_csv", is_flag=True, help="Only the table, as CSV; the cost goes to standard error."
)
@plain_option
@click.option("--receipt", "receipt_file", metavar="FILE", help="Save the receipt as JSON.")
@click.option(
    "--key",
    metavar="TEXT",
    help="Idempotency key: a retry with the same key is never charged as another request.",
)
@click.option(
    "--timeout",
    type=click.IntRange(min=1),
    metavar="SECONDS",
    help="Longer timeout than the default, up to the table's max_timeout.",
)
@catalogue_option
@analyst_option
def command(
    sql: str | None,
    file: str | None,
    as_json: bool,
    as_csv: bool,
    plain: bool,
    receipt_file: str | None,
    key: str | None,
    timeout: int | None,
    catalogue: str,
    analyst: str | None,
    simultaneous: bool,
    **price: str | None,
) -> None:
    """Ask a question: charge the budget, and print each number with its error bar."""
    one_form(json=as_json, csv=as_csv, plain=plain)
    given = the_price(price)
    text = the_question(sql, file)
    if receipt_file is not None:
        _require_place(Path(receipt_file))
    with priced():
        question = asked_of(session_of(catalogue, analyst), text)
        result = question.run(simultaneous=simultaneous, key=key, timeout=timeout, **given)
    answers = result if isinstance(result, list) else [result]
    if receipt_file is not None:
        _save_receipt(answers[0], receipt_file)
    with printing(plain) as screen:
        if as_json or as_csv:
            from lapcat.cli.streams import machine_readable, write_csv, write_json

            (write_json if as_json else write_csv)(answers, machine_readable())
        else:
            from lapcat.cli.answers import answers_lines

            screen.show(answers_lines(answers, screen))
    if as_csv:
        _show_cost(answers[0])


def _show_cost(answer: Answer) -> None:
    from lapcat.cli.answers import spent_lines
    from lapcat.cli.screen import Screen

    screen = Screen.of(sys.stderr)
    screen.show(spent_lines(answer, screen))


def _require_place(path: Path) -> None:
    """Checked before anything is charged."""
    folder = path.absolute().parent
    target = path if path.exists() else folder
    if path.is_dir() or not folder.is_dir() or not os.access(target, os.W_OK):
        raise BadQuery(
            "receipt-file",
            f"a receipt cannot be written to {path}",
            why="nothing was spent",
            fix="--receipt receipt.json",
        )


def _save_receipt(answer: Answer, path: str) -> None:
    try:
        answer.receipt.save(path)
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"the receipt could not be written to {path}: {problem.strerror}",
            fix="ask the same question again: it is free and gives the same answer and receipt",
        ) from None
