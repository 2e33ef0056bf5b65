"""Prompts for the three required decisions of a catalogue: privacy unit, contribution bound, budget."""

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
    """Asks the steward for each decision, with a suggestion."""
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
            _say(f"{choice.column} refers to a row of {choice.through[0]}, which identifies the person.")
        chosen = _unit(name, choice, tables)
        if chosen.column != "row":
            _say(
                f"\nHow many rows may one {visible(chosen.column) if chosen.through is None else 'person'} contribute? "
                "Larger contributions are scaled down to this. The noise grows with it."
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
            f"\nTables with {', '.join(sorted(shared))} are about the same people: one budget covers them all."
        )
    return Decisions(choices, _epsilon())


def _unit(name: str, choice: UnitChoice, tables: Mapping[str, Intake]) -> UnitChoice:
    """The column entered, or `column through table.key`; asks again until it exists."""
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
    from lapcat.mechanisms.odds import worst_posterior
    from lapcat.render.meaning import in_percent

    _say(
        "\nWhat is the budget for all questions of all analysts? Epsilon limits what anyone can learn about one person. "
        "An attacker who thinks it 50 % likely that somebody is in the data becomes at most this sure:"
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
        _say("enter a number above 0 and at most 10: beyond that nobody is protected")


class AtTheTerminal:
    """Asks the user at the terminal."""

    def confirm(self, question: str) -> bool:
        *before, last = question.splitlines()
        for sentence in before:
            _say(sentence)
        return click.confirm(last)

    def names(self, count: int) -> tuple[str, ...]:
        """The column names of a file without a header; empty for column1, column2, …"""
        _say(f"Name the {count} columns, separated by commas, or press Enter for column1, column2, …")
        while True:
            typed = str(click.prompt("names", default="", show_default=False))
            names = tuple(name.strip() for name in typed.split(",")) if typed.strip() else ()
            if not names or (len(names) == count == len({name.casefold() for name in names}) and all(names)):
                return names
            _say(f"enter {count} different names")


def _say(text: str) -> None:
    for paragraph in text.split("\n"):
        indent = " " * (len(paragraph) - len(paragraph.lstrip()))
        click.echo("\n".join(textwrap.wrap(paragraph, WIDTH, subsequent_indent=indent)))
