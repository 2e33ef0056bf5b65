"""lapcat ask: pays, looks, blurs, and prints the answer."""

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
    short_help="Pay for a question and get its answer.",
    epilog="Asked again, the same question is free and gives the same answer. Without a price: what follows from stored answers.",
)
@question_options
@price_options
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="The table alone; what was spent goes to standard error.")
@plain_option
@click.option("--receipt", "receipt_file", metavar="FILE", help="Save the receipt as JSON.")
@click.option(
    "--key",
    metavar="TEXT",
    help="Your name for this request: tried again under it, it never becomes another one.",
)
@click.option(
    "--timeout",
    type=click.IntRange(min=1),
    metavar="SECONDS",
    help="How long it may take: more than usual, up to the table's max_timeout.",
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
    """Ask a question: pay for it, and get each number with its error bar."""
    one_form(json=as_json, csv=as_csv, plain=plain)
    given = the_price(price)
    text = the_question(sql, file)
    if receipt_file is not None:
        _require_place(Path(receipt_file))
    with priced():
        question = asked_of(session_of(catalogue, analyst), text)
        found = question.run(simultaneous=simultaneous, key=key, timeout=timeout, **given)
    answers = found if isinstance(found, list) else [found]
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
        _tell_spent(answers[0])


def _tell_spent(answer: Answer) -> None:
    from lapcat.cli.answers import spent_lines
    from lapcat.cli.screen import Screen

    screen = Screen.of(sys.stderr)
    screen.show(spent_lines(answer, screen))


def _require_place(path: Path) -> None:
    """Seen before anything is paid."""
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
