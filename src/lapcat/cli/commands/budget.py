"""lapcat budget: spending and what is left."""

from __future__ import annotations

import click

from lapcat.cli.options import (
    analyst_option,
    catalogue_option,
    json_option,
    one_form,
    plain_option,
    printing,
    read_only_session,
)


@click.command(short_help="Show spending and what is left.")
@json_option
@plain_option
@catalogue_option
@analyst_option
def command(as_json: bool, plain: bool, catalogue: str, analyst: str | None) -> None:
    """Show spending and what is left, by table and analyst."""
    one_form(json=as_json, plain=plain)
    budget = read_only_session(catalogue, analyst).budget()
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(budget.as_json())
        else:
            from lapcat.cli.budgets import budget_lines

            screen.show(budget_lines(budget, screen))
