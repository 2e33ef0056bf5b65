"""The three decisions that a catalogue cannot do without, asked on a terminal: who, how many rows each, how much in all."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from lapcat.cli.draft import PEOPLE, Decisions, UnitChoice, suggestions
from lapcat.cli.screen import visible

if TYPE_CHECKING:
    from lapcat.cli.intake import Intake

WIDTH = 79


def interview(tables: Mapping[str, Intake]) -> Decisions:
    """Asks a steward, says why, and offers what is likely."""
    choices: dict[str, UnitChoice] = {}
    for name, choice in suggestions(tables).items():
        intake = tables[name]
        _say("")
        _say(f"{name}: {intake.source} has {len(intake.types)} columns")
        _say(f"  {', '.join(map(visible, intake.types))}")
        _say(
            "\nWho is protected? Name the column that identifies a person: all rows with the same value are theirs. "
            "Or type row, if every row is a different person."
        )
        if choice.through is not None:
            _say(f"{choice.column} leads to a row of {choice.through[0]}, which says whose it is.")
        chosen = _unit(name, choice, tables)
        if chosen.column != "row":
            _say(
                f"\nHow many rows may one {visible(chosen.column) if chosen.through is None else 'person'} count for? "
                "Somebody with more is scaled down to this. The noise grows with it."
            )
            chosen = replace(chosen, rows=click.prompt("rows", default=10, type=click.IntRange(1)))
        choices[name] = chosen
    columns = [choice.column for choice in choices.values() if choice.through is None]
    shared = {column for column in columns if column != "row" and columns.count(column) > 1}
    choices = {
        name: replace(choice, of=PEOPLE if choice.through is None and choice.column in shared else None)
        for name, choice in choices.items()
    }
    if shared:
        _say(
            f"\nTables with {', '.join(sorted(shared))} are about the same people: one limit covers them all."
        )
    return Decisions(choices, _epsilon())


def _unit(name: str, choice: UnitChoice, tables: Mapping[str, Intake]) -> UnitChoice:
    """The column that was typed, or `column through table.key`; asked again until there is one."""
    while True:
        typed = str(click.prompt("column, or row", default=str(choice))).strip()
        column, _, way = typed.partition(" through ")
        table, _, key = way.strip().rpartition(".")
        if column == "row" and not way:
            return UnitChoice()
        known = column in tables[name].types
        if known and (not way or (table in tables and table != name and key in tables[table].types)):
            return UnitChoice(column, (table, key) if way else None)
        _say(f"{name} has no column {visible(column)}" if not known else f"no column {visible(way)}")


def _epsilon() -> str:
    from lapcat.core.odds import worst_posterior
    from lapcat.render.meaning import in_percent

    _say(
        "\nHow much may be spent in all, by everyone who asks? Epsilon limits what anyone can learn about one person. "
        "An attacker who starts at 50 % that somebody is in the data becomes at most this sure:"
    )
    for epsilon in (0.1, 1, 3, 10):
        _say(f"  epsilon {epsilon:<4} {in_percent(worst_posterior(epsilon, 0.5))}")
    _say("More epsilon means better answers and less protection.")
    while True:
        typed = str(click.prompt("epsilon", default="1")).strip()
        try:
            if 0 < float(typed) <= 10 and typed.replace(".", "", 1).isdigit():
                return typed
        except ValueError:
            pass
        _say("a number above 0, and 10 at most: beyond that nobody is protected")


class AtTheTerminal:
    """Somebody who says what a file does not say about itself."""

    def confirm(self, question: str) -> bool:
        *before, last = question.splitlines()
        for sentence in before:
            _say(sentence)
        return click.confirm(last)

    def names(self, many: int) -> tuple[str, ...]:
        """The names of the columns of a file without a header; none where they are to be called by their places."""
        _say(f"Name the {many} columns, with commas between, or press Enter for column1, column2, …")
        while True:
            typed = str(click.prompt("names", default="", show_default=False))
            names = tuple(name.strip() for name in typed.split(",")) if typed.strip() else ()
            if not names or (len(names) == many == len({name.casefold() for name in names}) and all(names)):
                return names
            _say(f"{many} different names, please")


def _say(text: str) -> None:
    for paragraph in text.split("\n"):
        indent = " " * (len(paragraph) - len(paragraph.lstrip()))
        click.echo("\n".join(textwrap.wrap(paragraph, WIDTH, subsequent_indent=indent)))
