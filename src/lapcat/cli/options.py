"""Options shared by commands: catalogue, analyst, question, price, output format."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from lapcat.cli.screen import Screen, StyledText
from lapcat.errors import BadArgument, BadQuery, EngineFailed

if TYPE_CHECKING:
    from lapcat.session import Session
    from lapcat.session.deployment import Deployment
    from lapcat.session.merged_query import MergedQuery
    from lapcat.session.question import Question

Command = TypeVar("Command", bound=Callable[..., object])

LONGEST_QUESTION = 64 * 1024
"""Bytes read from a file at most; longer questions are refused."""

catalogue_option = click.option(
    "-c",
    "--catalogue",
    envvar="LAPCAT_CATALOGUE",
    default="lapcat.toml",
    metavar="FILE",
    help="Catalogue; default LAPCAT_CATALOGUE, then ./lapcat.toml.",
)
analyst_option = click.option(
    "--as",
    "analyst",
    envvar="LAPCAT_ANALYST",
    metavar="ANALYST",
    help="Name of the analyst; default LAPCAT_ANALYST.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="JSON for programs, with exact numbers as strings."
)
plain_option = click.option("--plain", is_flag=True, help="Plain text: no colour, no drawn characters.")
reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Reason for the change; it stays in the ledger."
)


def question_options(command: Command) -> Command:
    """SQL | -f FILE | -"""
    command = click.option(
        "-f",
        "--file",
        "file",
        metavar="FILE",
        help="Read the question from a file; several, each ending with ;, are answered as one workload.",
    )(command)
    return click.argument("sql", required=False, metavar="[SQL|-]")(command)


def price_options(command: Command) -> Command:
    """The price of the question, or the accuracy of the answer. Kept as texts: exact decimals."""
    command = click.option(
        "--simultaneous",
        is_flag=True,
        help="Widen the error bars so that all hold at once with the stated confidence.",
    )(command)
    for name, help_text in (
        ("confidence", "Confidence of the error bars; default 0.95."),
        ("delta", "Delta for groups by private keys, such as 1e-7; no default."),
        ("rho", "Price in rho, if the budget is in rho."),
        ("error", "Wanted error, such as 500 or 5%; uses the smallest epsilon that gives it."),
        ("epsilon", "Price in epsilon, such as 0.1."),
    ):
        command = click.option(f"--{name}", metavar="NUMBER", help=help_text)(command)
    return command


def the_question(sql: str | None, file: str | None) -> str:
    """The text of the question, from the argument, a file or standard input."""
    if (sql is None) == (file is None):
        raise BadQuery(
            "question-missing",
            "the question is missing" if sql is None else "give the question once: in quotes, or in a file",
            fix='"SELECT COUNT(*) AS n FROM table", or -f FILE, or - to read standard input',
        )
    if sql is not None and sql != "-":
        return sql
    try:
        if file is None or file == "-":
            data = sys.stdin.buffer.read(LONGEST_QUESTION + 1)
        else:
            with Path(file).open("rb") as source:
                data = source.read(LONGEST_QUESTION + 1)
        return data.decode("utf-8-sig", "replace" if len(data) > LONGEST_QUESTION else "strict")
    except OSError as problem:
        raise BadQuery(
            "question-file",
            f"the question cannot be read from {file}: {problem.strerror}",
            fix="-f FILE with a file that exists",
        ) from None
    except UnicodeDecodeError:
        raise BadQuery("question-file", "the question is not UTF-8 text", fix="save it as UTF-8") from None


def asked_of(session: Session, text: str) -> Question | MergedQuery:
    """The question in a text; several statements form one workload, with one charge."""
    from lapcat.frontend.sql.script import statements

    queries = statements(text)
    return session.workload(queries) if len(queries) > 1 else session.sql(text)


def the_price(options: Mapping[str, str | None]) -> dict[str, str]:
    """The price options that were given; at most one of epsilon, rho and error."""
    given = {name: value for name, value in options.items() if value is not None}
    if sum(name in given for name in ("epsilon", "rho", "error")) > 1:
        raise _price_missing()
    return given


@contextmanager
def priced() -> Iterator[None]:
    """Rewords the error for a missing price for the command line."""
    try:
        yield
    except BadArgument as problem:
        if problem.code != "price-missing":
            raise
    else:
        return
    raise _price_missing()


def _price_missing() -> BadQuery:
    return BadQuery(
        "price-missing",
        "a question needs exactly one of --epsilon, --rho and --error",
        why="there is no default, because the price is a decision; only what follows from stored answers is free",
        fix="--epsilon 0.1",
    )


def one_form(**forms: bool) -> None:
    chosen = [f"--{name}" for name, given in forms.items() if given]
    if len(chosen) > 1:
        raise BadQuery(
            "forms-conflict", f"{' and '.join(chosen)} are different output formats", fix=chosen[0]
        )


def deployment_of(catalogue: str) -> Deployment:
    """The deployment, with its catalogue accepted."""
    from lapcat.session.files import open_deployment

    deployment = open_deployment(catalogue)
    show_note(deployment)
    deployment.require_acceptance()
    return deployment


def show_note(deployment: Deployment) -> None:
    """Prints the note on how the ledger was opened, except with --json."""
    context = click.get_current_context(silent=True)
    if deployment.ledger.note is not None and not (context and context.params.get("as_json")):
        from lapcat.cli.failing import paragraph

        screen = Screen.of(sys.stderr)
        screen.show(paragraph(StyledText("note: ", "bold"), deployment.ledger.note, screen.wrapping_width))


def session_of(catalogue: str, analyst: str | None) -> Session:
    """A session for asking questions, by an analyst if the catalogue names any."""
    if "lapcat.session" not in sys.modules:
        _load()
    from lapcat.session import as_analyst

    return as_analyst(deployment_of(catalogue), analyst)


def _load() -> None:
    """Imports what questions need, without looking for garbage in it: it stays until the process ends, and the search would take
    a quarter of the time of a preview."""
    gc.disable()
    try:
        for module in ("lapcat.session", "lapcat.frontend.sql.script"):
            import_module(module)
    finally:
        gc.freeze()
        gc.enable()


def read_only_session(catalogue: str, analyst: str | None) -> Session:
    """A session for public facts: without --as everything is shown, as to the steward."""
    from lapcat.session import Session, as_analyst

    deployment = deployment_of(catalogue)
    return Session(deployment) if analyst is None else as_analyst(deployment, analyst)


@contextmanager
def printing(plain: bool = False) -> Iterator[Screen]:
    """The screen to print on; a write error such as a full disk becomes an EngineFailed."""
    try:
        yield Screen.of(plain=plain)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"the output could not be written: {problem.strerror}",
            fix="ask the same question again: it is free and gives the same answer",
        ) from None
