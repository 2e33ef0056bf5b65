"""lapcat local: local differential privacy, where each person randomises their own value and no curator is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lapcat.cli.options import catalogue_option, json_option, one_form, plain_option, printing
from lapcat.errors import BadQuery, EngineFailed

if TYPE_CHECKING:
    from lapcat.cli.screen import Line, Screen
    from lapcat.local.protocol import Estimate, Protocol

confidence_option = click.option(
    "--confidence", default="0.95", show_default=True, metavar="NUMBER", help="Confidence of the error bars."
)
out_option = click.option("-o", "--output", required=True, metavar="FILE", help="Output file.")


@click.group(short_help="Collect and estimate under local differential privacy.")
def command() -> None:
    """Encode values as reports that are private before they leave a person, and estimate statistics from many reports."""


@command.command(short_help="Encode a report of each person's value.")
@click.argument("source", metavar="SOURCE")
@click.option("--column", required=True, metavar="NAME", help="Column to report.")
@click.option("--epsilon", required=True, metavar="NUMBER", help="Privacy loss of each report.")
@out_option
@click.option("--value", "values", multiple=True, metavar="TEXT", help="A possible value; repeat for each.")
@click.option("--values-from", metavar="FILE", help="File of possible values, one per line.")
@click.option("--low", metavar="NUMBER", help="Lower bound of a number.")
@click.option("--high", metavar="NUMBER", help="Upper bound of a number.")
@click.option("--alphabet", metavar="LETTERS", help="For free texts: their letters, and")
@click.option("--length", type=int, metavar="N", help="the number of letters reported of each text.")
@click.option("--missing", metavar="VALUE", help="Value to report if there is none.")
@click.option("--person", metavar="NAME", help="Column that identifies people; `row` for the row's position.")
@click.option("--question", metavar="TEXT", help="Question that the values answer; default the column name.")
@click.option(
    "--protocol", "protocol_name", metavar="NAME", help="Protocol; default the one with the smallest error."
)
@click.option(
    "--wave",
    metavar="NAME",
    help="Name of the wave, if the question is asked repeatedly; each wave costs epsilon again.",
)
@click.option(
    "--permanent",
    metavar="NUMBER",
    help="With --wave: keep one permanent report per value, at this epsilon, and randomise it again in each wave.",
)
@click.option(
    "--key",
    default="lapcat-local.key",
    show_default=True,
    metavar="FILE",
    help="Secret key that seeds the randomness; created if missing.",
)
@json_option
@plain_option
@catalogue_option
def encode(
    source: str,
    column: str,
    epsilon: str,
    output: str,
    values: tuple[str, ...],
    values_from: str | None,
    low: str | None,
    high: str | None,
    alphabet: str | None,
    length: int | None,
    missing: str | None,
    person: str | None,
    question: str | None,
    protocol_name: str | None,
    wave: str | None,
    permanent: str | None,
    key: str,
    as_json: bool,
    plain: bool,
    catalogue: str,
) -> None:
    """Write a randomised report of each person's value, and nothing else about them.

    The possible values are given as options or declared in the catalogue; they are never read from the data. The randomness
    comes from a secret key, so encoding the same data again reveals nothing more. Changed data need a new --wave.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.core.exact import exact
    from lapcat.local.choose import choose
    from lapcat.local.protocol import protocol_of
    from lapcat.session.local import declared_in, encode_file, the_domain

    listed = [*values, *_lines(values_from)]
    domain = the_domain(listed, low, high, alphabet, length, missing)
    declared = (
        None if domain is not None and person is not None else declared_in(Path(catalogue), source, column)
    )
    domain = domain if domain is not None or declared is None else declared.domain
    person = person if person is not None or declared is None else declared.person
    if domain is None:
        raise _no_domain(source, column)
    if person is None:
        raise BadQuery(
            "local-person-missing",
            f"no column identifies the person of a row of {source}",
            why="a person encoded again under another name draws fresh randomness and spends epsilon again",
            fix="--person COLUMN, or --person row if rows never change position",
        )
    name = question or column
    if protocol_name is None:
        chosen = choose(domain=domain, epsilon=epsilon, question=name, wave=wave, permanent=permanent)
        protocol = chosen.protocol
    else:
        lasting = None if permanent is None else exact(permanent)
        protocol = protocol_of(name, domain, protocol_name, exact(epsilon), wave, lasting)
    done = encode_file(
        source, column, protocol, person=person, key=Path(key), to=Path(output), missing=missing
    )
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json({"reports": done.n, "output": output, "key_made": done.key_made, **protocol.as_json()})
            return
        screen.say(
            f"{done.n} reports by {protocol.randomiser.name} in {output}",
            f"cost for each person: {protocol.cost}",
            *([f"created the secret key {key}: keep it, and keep it secret"] if done.key_made else []),
        )


def _lines(file: str | None) -> list[str]:
    if file is None:
        return []
    try:
        return [line for line in Path(file).read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "local-values-file",
            f"the values cannot be read from {file}",
            fix="a UTF-8 file with one value per line",
        ) from None


def _no_domain(source: str, column: str) -> BadQuery:
    return BadQuery(
        "local-domain-missing",
        f"the possible values of {column} are not declared",
        why="values read from the data would reveal somebody's answer",
        fix=f"--low 0 --high 110 for numbers, or --value yes --value no for texts; or declare keys, or low and high, of {column} "
        f"in the catalogue, for the table with source {source}",
    )


@command.command(short_help="Estimate from a file of reports.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--questions", metavar="FILE", help="Questions file of the survey page, if FILE holds its answers."
)
@click.option(
    "--project", is_flag=True, help="Also show the nearest shares that are non-negative and add up to 1."
)
@confidence_option
@json_option
@plain_option
def estimate(
    files: tuple[str, ...], questions: str | None, project: bool, confidence: str, as_json: bool, plain: bool
) -> None:
    """Estimate shares or a mean from a file of reports, with intervals.

    With --questions, FILE holds answers sent from a survey page: JSON, one answer per line, or one per file.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.session.local import estimate_answers, estimate_file

    left_out = 0
    if questions is not None:
        answered = estimate_answers([Path(file) for file in files], Path(questions), confidence)
        estimates, left_out = answered.estimates, answered.left_out
    else:
        estimates = [estimate_file(Path(file), confidence) for file in files]
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            shown = [estimate_json(*each, project=project) for each in estimates]
            if questions is not None:
                shown = [{**body, "left_out": left_out} for body in shown]
            print_json(shown[0] if len(shown) == 1 else shown)
            return
        for each in estimates:
            _show(screen, *each, project=project)
        if left_out:
            screen.say(f" {left_out} answers were skipped: they do not belong to these questions")


def estimate_json(
    protocol: Protocol, n: int, result: Estimate, *, project: bool = False
) -> dict[str, object]:
    """The JSON output."""
    from lapcat.local.domain import Values
    from lapcat.local.means import MeanEstimate
    from lapcat.local.shares import Shares

    head: dict[str, object] = {"question": protocol.question, "protocol": protocol.randomiser.name, "n": n}
    if protocol.wave is not None:
        head["wave"] = protocol.wave
    match result:
        case MeanEstimate():
            return {**head, "mean": result.value, "low": result.low, "high": result.high, "sd": result.sd}
        case Shares():
            assert isinstance(protocol.domain, Values)
            rows: list[dict[str, object]] = [
                {"value": text, "share": e.value, "low": e.low, "high": e.high}
                for text, e in zip(protocol.domain.texts, result.estimates, strict=True)
            ]
            if project:
                for row, share in zip(rows, result.projected, strict=True):
                    row["projected"] = share
            return {**head, "shares": rows}
    return {
        **head,
        "found": [
            {"text": f.text, "share": f.share.value, "low": f.share.low, "high": f.share.high} for f in result
        ],
    }


def _show(screen: Screen, protocol: Protocol, n: int, result: Estimate, *, project: bool) -> None:
    from lapcat.cli.layout import LayoutColumn, table
    from lapcat.cli.screen import StyledText
    from lapcat.core.exact import exact_text
    from lapcat.errors import harmless
    from lapcat.local.domain import Values
    from lapcat.local.means import MeanEstimate
    from lapcat.local.shares import Shares

    asked = harmless(protocol.question if protocol.wave is None else f"{protocol.question}, {protocol.wave}")
    lines: list[Line] = [
        [
            StyledText(
                f" {asked}: {n} reports by {protocol.randomiser.name}, epsilon {exact_text(protocol.epsilon)} each"
            )
        ]
    ]
    if isinstance(result, MeanEstimate):
        lines.append(
            [StyledText(f" mean {result.value:.6g}   [{result.low:.6g}, {result.high:.6g}]", "bold")]
        )
    else:
        if isinstance(result, Shares):
            assert isinstance(protocol.domain, Values)
            texts, shares = [harmless(text) for text in protocol.domain.texts], list(result.estimates)
        else:
            texts, shares = [harmless(f.text) for f in result], [f.share for f in result]
        columns = [
            LayoutColumn("value", texts),
            LayoutColumn("share", [f"{100 * e.value:.2f} %" for e in shares], right=True, style="bold"),
            LayoutColumn(
                "interval", [f"[{100 * e.low:.2f}, {100 * e.high:.2f}]" for e in shares], with_previous=True
            ),
        ]
        if project and isinstance(result, Shares):
            columns.append(
                LayoutColumn("projected", [f"{100 * s:.2f} %" for s in result.projected], right=True)
            )
        lines += table(columns, screen.wrapping_width, keys=1)
        if not shares:
            lines.append([StyledText(" no text is frequent enough to stand out from the noise")])
    lines.append(
        [
            StyledText(
                " the intervals cover the noise of the reports, not the sampling of the people",
                "dim",
            )
        ]
    )
    screen.show(lines)


@command.command(short_help="Write a survey page that randomises answers in the browser.")
@click.argument("questions", metavar="QUESTIONS.toml")
@out_option
@json_option
@plain_option
def survey(questions: str, output: str, as_json: bool, plain: bool) -> None:
    """Write an HTML file that asks the questions and randomises the answers in the browser, before anything is sent."""
    one_form(json=as_json, plain=plain)
    from lapcat.core.exact import exact_text
    from lapcat.session.local import open_survey

    opened = open_survey(Path(questions))
    try:
        Path(output).write_text(opened.page(), encoding="utf-8")
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"{output} could not be written: {problem.strerror}",
            fix="-o FILE in a folder that exists",
        ) from None
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(opened.as_json())
            return
        screen.say(
            f"{output} asks {len(opened.protocols)} questions; answering all of them costs epsilon {exact_text(opened.epsilon)}"
            f"{', once' if opened.wave is None else ' for each wave'}",
            *(
                f"  {p.question}: {p.randomiser.name}, epsilon {exact_text(p.epsilon)}"
                for p in opened.protocols
            ),
            f"estimate with: lapcat local estimate answers.jsonl --questions {questions}",
        )


@command.command(short_help="Compare the error with and without a trusted curator.")
@click.option("--n", required=True, type=int, metavar="PEOPLE", help="Number of people.")
@click.option("--epsilon", required=True, metavar="NUMBER", help="Epsilon in both models.")
@click.option("--values", default=2, show_default=True, metavar="K", help="Number of possible values.")
@click.option("--svg", metavar="FILE", help="Also write a chart as SVG.")
@json_option
@plain_option
def compare(n: int, epsilon: str, values: int, svg: str | None, as_json: bool, plain: bool) -> None:
    """Compare the error of a share in the central and the local model. Reads no data."""
    one_form(json=as_json, plain=plain)
    from lapcat.local.compare import compare as compare_models

    result = compare_models(n=n, epsilon=epsilon, values=values)
    with printing(plain) as screen:
        if svg is not None:
            from lapcat.drawing.models import models_svg

            picture = models_svg([(s.n, s.central, s.local) for s in result.sides])
            Path(svg).write_text(picture + "\n", encoding="utf-8")
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(result.as_json())
            return
        from lapcat.cli.layout import LayoutColumn, table
        from lapcat.cli.screen import StyledText
        from lapcat.core.exact import exact_text
        from lapcat.render.tables import shown_number

        sides = result.sides
        columns = [
            LayoutColumn("people", [shown_number(s.n, 0) for s in sides], right=True),
            LayoutColumn("central", [f"{s.central:.2g}" for s in sides], style="bold"),
            LayoutColumn("local", [f"{s.local:.2g}" for s in sides], style="bold"),
        ]
        if screen.drawn:
            columns.append(LayoutColumn("● central  ○ local: further right is worse", result.bars()))
        screen.show(
            [
                [
                    StyledText(
                        f" error of a rare value's share: {result.values} values, epsilon {exact_text(result.epsilon)}; "
                        f"local by {result.protocol.randomiser.name}"
                    )
                ],
                *table(columns, None),
                [
                    StyledText(
                        f" without a curator, {shown_number(result.local_people, 0)} people are needed for the accuracy of "
                        f"{shown_number(result.asked.n, 0)} with one",
                        "dim",
                    )
                ],
            ]
        )
