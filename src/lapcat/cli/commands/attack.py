"""lapcat attack: known attacks on synthetic people under a budget."""

from __future__ import annotations

from pathlib import Path

import click

from lapcat.cli.options import json_option, one_form, plain_option, printing
from lapcat.cli.screen import Line, Screen, StyledText
from lapcat.errors import BadQuery

DEFAULT_BUDGET = "1"


@click.command(short_help="Run known attacks on synthetic people.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--epsilon", metavar="NUMBER", help="Budget for all answers together; default 1.")
@click.option("-c", "--catalogue", metavar="FILE", help="Use the largest budget of this catalogue instead.")
@click.option("--pictures", metavar="FOLDER", help="Write SVG charts of the results to this folder.")
@json_option
@plain_option
def command(
    names: tuple[str, ...],
    epsilon: str | None,
    catalogue: str | None,
    pictures: str | None,
    as_json: bool,
    plain: bool,
) -> None:
    """Run known attacks on synthetic people: compare what exact answers reveal with what lapcat reveals.

    Reads none of your rows and spends none of your budget. Exit code 1 if an attack breaks the guarantee.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.audit.attacks import ATTACKS

    for name in names:
        if name not in ATTACKS:
            raise BadQuery("usage", f"no attack {name!r}", fix=f"one of: {', '.join(ATTACKS)}")
    budget = _budget(epsilon, catalogue)
    findings = []
    with printing(plain) as screen:
        for name in names or ATTACKS:
            finding = ATTACKS[name](budget)
            findings.append(finding)
            if not as_json:
                screen.show(_lines(finding, screen))
            if pictures is not None:
                Path(pictures).mkdir(parents=True, exist_ok=True)
                for file, svg in finding.pictures.items():
                    (Path(pictures) / file).write_text(svg + "\n", encoding="utf-8")
        broken = [finding.name for finding in findings if finding.held is False]
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(
                {"epsilon": budget, "attacks": [finding.as_json() for finding in findings], "broken": broken}
            )
        else:
            screen.show(
                [[], [StyledText(_sum(len(findings), broken), "bold red" if broken else "bold green")]]
            )
    if broken:
        raise click.exceptions.Exit(1)


def _budget(epsilon: str | None, catalogue: str | None) -> str:
    from lapcat.core.exact import exact, exact_text

    if epsilon is not None and catalogue is not None:
        raise BadQuery(
            "usage", "give the budget by --epsilon or by a catalogue, not by both", fix="--epsilon 1"
        )
    if catalogue is None:
        return exact_text(exact(epsilon or DEFAULT_BUDGET))
    from lapcat.session.files import open_deployment

    limits = [table.limit for table in open_deployment(catalogue).catalogue.tables.values()]
    budgets = [limit.epsilon for limit in limits if limit.epsilon is not None]
    if not budgets:
        raise BadQuery(
            "usage", "no table of this catalogue has a budget in epsilon", fix="lapcat attack --epsilon 1"
        )
    return exact_text(max(budgets))


def _lines(finding: object, screen: Screen) -> list[Line]:
    from lapcat.audit.attacks.finding import Finding

    assert isinstance(finding, Finding)
    verdict, style = {
        True: ("held", "bold green"),
        False: ("GOT THROUGH", "bold red"),
        None: ("not promised", "bold yellow"),
    }[finding.held]
    rows = (("tried", finding.tried), ("exact answers", finding.exact), ("lapcat", finding.lapcat))
    return [
        [],
        [StyledText(f" {finding.name}: "), StyledText(verdict, style)],
        *(
            [StyledText(f"   {label + ':':<15}", "dim"), StyledText(_ascii(text, screen))]
            for label, text in rows
        ),
    ]


def _ascii(text: str, screen: Screen) -> str:
    return text if screen.drawn else text.replace("ε", "epsilon").replace("−", "-")


def _sum(number: int, broken: list[str]) -> str:
    attacks = "1 attack" if number == 1 else f"{number} attacks"
    return f" {attacks}; got through: {', '.join(broken)}" if broken else f" {attacks}; nothing got through"
