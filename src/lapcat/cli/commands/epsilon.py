"""lapcat epsilon 4: what a loss means for somebody in the data, in words. Reads no data."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, one_form, plain_option, printing
from lapcat.errors import BadArgument, BadQuery

PICTURE_WIDTH = 60
"""Width of the two pictures side by side."""

if TYPE_CHECKING:
    from lapcat.cli.screen import Line, Screen
    from lapcat.render.meaning import Meaning


@click.command(
    short_help="Explain what an epsilon means for somebody in the data.",
    epilog="In reverse: --posterior 0.75 gives the largest epsilon at which a 50 % suspicion grows to at most 75 %, --error 10 the "
    "smallest at which a count is within 10.",
)
@click.argument("epsilon", required=False)
@click.option("--delta", metavar="NUMBER", help="Probability that the guarantee fails; also with --rho.")
@click.option("--rho", metavar="NUMBER", help="Loss in rho instead of epsilon.")
@click.option(
    "--relation", type=click.Choice(["add-remove", "replace-one"]), default="add-remove", show_default=True
)
@click.option("--unit", default="person", show_default=True, help="Privacy unit: person, user-day, event …")
@click.option(
    "--releases", default=1, show_default=True, metavar="K", help="Number of releases with this loss each."
)
@click.option(
    "--household", default=1, show_default=True, metavar="K", help="Number of people who share a secret."
)
@click.option(
    "--table", "table_name", metavar="TABLE", help="Explain the cap of a table, or of its population."
)
@click.option("--posterior", metavar="NUMBER", help="In reverse: how sure somebody may become at most.")
@click.option(
    "--prior",
    default="0.5",
    show_default=True,
    metavar="NUMBER",
    help="With --posterior: how sure they are before.",
)
@click.option(
    "--error", metavar="NUMBER", help="In reverse: how far off a count may be, with 95 % confidence."
)
@json_option
@plain_option
@catalogue_option
def command(
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    relation: str,
    unit: str,
    releases: int,
    household: int,
    table_name: str | None,
    posterior: str | None,
    prior: str,
    error: str | None,
    as_json: bool,
    plain: bool,
    catalogue: str,
) -> None:
    """Explain what an epsilon means for somebody in the data: the odds, the best attack, and what no epsilon protects."""
    one_form(json=as_json, plain=plain)
    given = [value for value in (epsilon, rho, table_name, posterior, error) if value is not None]
    if len(given) != 1:
        raise BadQuery(
            "explain-loss",
            "lapcat epsilon takes exactly one of EPSILON, --rho, --table, --posterior and --error",
            fix="lapcat epsilon 1",
        )
    from lapcat.render.meaning import epsilon_for, explain

    target = ""
    if posterior is not None or error is not None:
        epsilon = str(float(epsilon_for(posterior=posterior, prior=prior, error=error)))
        target = (
            f"at most epsilon {epsilon}: then {prior} becomes no more than {posterior}"
            if posterior is not None
            else f"at least epsilon {epsilon}: then a count is within {error}, 95 times in 100"
        )
    if table_name is not None:
        meaning = _of_table(table_name, catalogue, household)
    else:
        try:
            meaning = explain(
                epsilon,
                delta=delta,
                rho=rho,
                relation=relation,
                unit=unit,
                releases=releases,
                household=household,
            )
        except BadArgument as problem:
            if problem.code != "epsilon-range":
                raise
            raise BadQuery(problem.code, problem.message, fix="lapcat epsilon 1") from None
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(meaning.as_json())
            return
        if target:
            screen.say(f" {target}", style="bold")
        screen.show(meaning_lines(meaning, screen))


def _of_table(name: str, catalogue: str, household: int) -> Meaning:
    """The cap of a table, or of its population if it has one."""
    from lapcat.cli.naming import the_table
    from lapcat.render.meaning import CAP, meaning_of
    from lapcat.session.releases import protected_in

    deployment = deployment_of(catalogue)
    table = the_table(deployment.catalogue, name)
    whose = next(who for who in protected_in(deployment) if table in who.tables)
    return meaning_of(whose.gauge.cap, whose.unit, whose.relation, CAP, household=household)


def short_lines(meaning: Meaning, screen: Screen) -> list[Line]:
    """The verdict, the picture, and one sentence per secret."""
    from lapcat.cli.screen import StyledText
    from lapcat.render.meaning import in_percent

    width = min(screen.width, 100)
    lines = _picture(meaning, screen, width)
    for side in meaning.sides:
        sentence = f"{side.about}: from 50 % to {in_percent(side.posterior(0.5))} at most, from 1 % to {in_percent(side.posterior(0.01))}"
        lines += [[StyledText(f" {line}")] for line in textwrap.wrap(sentence, width - 2)]
    return lines


def _picture(meaning: Meaning, screen: Screen, width: int) -> list[Line]:
    """The verdict, and a hundred dots before and after if they fit."""
    from lapcat.cli.screen import StyledText
    from lapcat.drawing.icons import icons_text

    lines: list[Line] = [
        [StyledText(f" {line}", "bold")] for line in textwrap.wrap(meaning.verdict, width - 2)
    ]
    if screen.drawn and width >= PICTURE_WIDTH:
        before, after = icons_text(0.5), icons_text(meaning.sides[0].posterior(0.5))
        lines += [[StyledText("")], [StyledText(f"  {'how sure before':<29}how sure after, at worst", "dim")]]
        lines += [
            [StyledText(f"  {left}    "), StyledText(right, "yellow")]
            for left, right in zip(before, after, strict=True)
        ]
        lines.append([StyledText("")])
    return lines


def meaning_lines(meaning: Meaning, screen: Screen) -> list[Line]:
    from lapcat.cli.layout import sentence_lines
    from lapcat.cli.screen import StyledText

    width = screen.wrapping_width or 10_000
    lines = _picture(meaning, screen, width)
    if lines[-1] == [StyledText("")]:
        lines.pop()
    for heading, sentences in meaning.paragraphs():
        lines.append([StyledText("")])
        lines += sentence_lines(heading, screen.wrapping_width, "bold")
        for sentence in sentences:
            lines += sentence_lines(sentence, screen.wrapping_width, indent="   ")
    return lines
