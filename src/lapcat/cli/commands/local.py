"""lapcat local: the local model, where everybody randomises their own value and nobody has to be trusted."""

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
    "--confidence", default="0.95", show_default=True, metavar="NUMBER", help="Of the error bars."
)
out_option = click.option("-o", "--output", required=True, metavar="FILE", help="Where to write it.")


@click.group(short_help="The local model: everybody randomises their own value.")
def command() -> None:
    """Reports that are private before they leave a person, and what can be said from many of them."""


@command.command(short_help="Make a report of each person's value.")
@click.argument("source", metavar="SOURCE")
@click.option("--column", required=True, metavar="NAME", help="Which values are reported.")
@click.option("--epsilon", required=True, metavar="NUMBER", help="What a report costs whoever gives it.")
@out_option
@click.option(
    "--value", "values", multiple=True, metavar="TEXT", help="One of the values; repeat it for each."
)
@click.option("--values-from", metavar="FILE", help="The values, a line each.")
@click.option("--low", metavar="NUMBER", help="The least number that anybody can have.")
@click.option("--high", metavar="NUMBER", help="The largest.")
@click.option("--alphabet", metavar="LETTERS", help="For texts too many to list: their letters,")
@click.option("--length", type=int, metavar="N", help="and how many are told of each text at most.")
@click.option("--missing", metavar="VALUE", help="What counts where there is none of these.")
@click.option("--person", metavar="NAME", help="The column that names people; `row` if a row's place does.")
@click.option("--question", metavar="TEXT", help="What the values answer; the column's name, unless given.")
@click.option("--protocol", "protocol_name", metavar="NAME", help="Instead of the one with the least error.")
@click.option(
    "--wave",
    metavar="NAME",
    help="Of a question that is asked again: another name each time, and another epsilon.",
)
@click.option(
    "--permanent",
    metavar="NUMBER",
    help="With --wave: keep a first report of each value, at this epsilon, and randomise it again in each wave.",
)
@click.option(
    "--key",
    default="lapcat-local.key",
    show_default=True,
    metavar="FILE",
    help="The secret that coins are made from; made if it is not there.",
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
    """Write a randomised report of each person's value, and nothing else of them.

    The values are those given, or those that the catalogue declares for this source: they are never read from the data. The
    coins come from a secret key, so that encoding the same again adds nothing. If anything has changed it takes a --wave.
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
            f"nothing says which person a row of {source} belongs to",
            why="somebody who is encoded again under another name gets fresh coins, and pays epsilon again",
            fix="--person COLUMN, or --person row where the rows never change their places",
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
            f"each person pays {protocol.cost}",
            *([f"a new secret key is in {key}: keep it, and keep it secret"] if done.key_made else []),
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
            fix="a UTF-8 file with a value in each line",
        ) from None


def _no_domain(source: str, column: str) -> BadQuery:
    return BadQuery(
        "local-domain-missing",
        f"nothing says which values {column} can have",
        why="values that are read from the data are somebody's answers",
        fix=f"--low 0 --high 110 for numbers, or --value yes --value no for texts; or keys, or low and high, for {column} "
        f"in the catalogue's table of {source}",
    )


@command.command(short_help="Estimate from a file of reports.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--questions", metavar="FILE", help="Of a survey page whose answers these are.")
@click.option(
    "--project", is_flag=True, help="Also the nearest shares that are not negative and add up to 1."
)
@confidence_option
@json_option
@plain_option
def estimate(
    files: tuple[str, ...], questions: str | None, project: bool, confidence: str, as_json: bool, plain: bool
) -> None:
    """Show what a file of reports says about those who gave them: shares or a mean, with intervals.

    With --questions, FILE holds what people sent from a survey page: JSON, an answer a line, or one in each file.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.session.local import estimate_answers, estimate_file

    left_out = 0
    if questions is not None:
        answered = estimate_answers([Path(file) for file in files], Path(questions), confidence)
        found, left_out = answered.estimates, answered.left_out
    else:
        found = [estimate_file(Path(file), confidence) for file in files]
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            shown = [estimate_json(*one, project=project) for one in found]
            if questions is not None:
                shown = [{**one, "left_out": left_out} for one in shown]
            print_json(shown[0] if len(shown) == 1 else shown)
            return
        for one in found:
            _tell(screen, *one, project=project)
        if left_out:
            screen.say(f" {left_out} answers were left out: no page of these questions sends them")


def estimate_json(protocol: Protocol, n: int, found: Estimate, *, project: bool = False) -> dict[str, object]:
    """The contract of `--json`."""
    from lapcat.local.domain import Values
    from lapcat.local.means import MeanEstimate
    from lapcat.local.shares import Shares

    head: dict[str, object] = {"question": protocol.question, "protocol": protocol.randomiser.name, "n": n}
    if protocol.wave is not None:
        head["wave"] = protocol.wave
    match found:
        case MeanEstimate():
            return {**head, "mean": found.value, "low": found.low, "high": found.high, "sd": found.sd}
        case Shares():
            assert isinstance(protocol.domain, Values)
            rows: list[dict[str, object]] = [
                {"value": text, "share": e.value, "low": e.low, "high": e.high}
                for text, e in zip(protocol.domain.texts, found.estimates, strict=True)
            ]
            if project:
                for row, share in zip(rows, found.projected, strict=True):
                    row["projected"] = share
            return {**head, "shares": rows}
    return {
        **head,
        "found": [
            {"text": f.text, "share": f.share.value, "low": f.share.low, "high": f.share.high} for f in found
        ],
    }


def _tell(screen: Screen, protocol: Protocol, n: int, found: Estimate, *, project: bool) -> None:
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
    if isinstance(found, MeanEstimate):
        lines.append([StyledText(f" mean {found.value:.6g}   [{found.low:.6g}, {found.high:.6g}]", "bold")])
    else:
        if isinstance(found, Shares):
            assert isinstance(protocol.domain, Values)
            texts, shares = [harmless(text) for text in protocol.domain.texts], list(found.estimates)
        else:
            texts, shares = [harmless(f.text) for f in found], [f.share for f in found]
        columns = [
            LayoutColumn("value", texts),
            LayoutColumn("share", [f"{100 * e.value:.2f} %" for e in shares], right=True, style="bold"),
            LayoutColumn(
                "interval", [f"[{100 * e.low:.2f}, {100 * e.high:.2f}]" for e in shares], with_previous=True
            ),
        ]
        if project and isinstance(found, Shares):
            columns.append(
                LayoutColumn("projected", [f"{100 * s:.2f} %" for s in found.projected], right=True)
            )
        lines += table(columns, screen.wrapping_width, keys=1)
        if not shares:
            lines.append([StyledText(" no text is frequent enough to be told from noise")])
    lines.append(
        [
            StyledText(
                " the intervals cover the noise of these reports; not that those who gave them may be a sample",
                "dim",
            )
        ]
    )
    screen.show(lines)


@command.command(short_help="A page on which people answer, and randomise themselves.")
@click.argument("questions", metavar="QUESTIONS.toml")
@out_option
@json_option
@plain_option
def survey(questions: str, output: str, as_json: bool, plain: bool) -> None:
    """Write one HTML file that asks the questions and randomises the answers in the browser, before anything is sent."""
    one_form(json=as_json, plain=plain)
    from lapcat.core.exact import exact_text
    from lapcat.session.local import open_survey

    held = open_survey(Path(questions))
    try:
        Path(output).write_text(held.page(), encoding="utf-8")
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"{output} could not be written: {problem.strerror}",
            fix="-o FILE in a folder that exists",
        ) from None
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(held.as_json())
            return
        screen.say(
            f"{output} asks {len(held.protocols)} questions; to answer all costs epsilon {exact_text(held.epsilon)}"
            f"{', once' if held.wave is None else ' for each wave'}",
            *(
                f"  {p.question}: {p.randomiser.name}, epsilon {exact_text(p.epsilon)}"
                for p in held.protocols
            ),
            f"estimate with: lapcat local estimate answers.jsonl --questions {questions}",
        )


@command.command(short_help="The error with a trusted curator, and without.")
@click.option("--n", required=True, type=int, metavar="PEOPLE", help="How many report.")
@click.option("--epsilon", required=True, metavar="NUMBER", help="In both models.")
@click.option("--values", default=2, show_default=True, metavar="K", help="How many values there are.")
@click.option("--svg", metavar="FILE", help="Also write the picture.")
@json_option
@plain_option
def compare(n: int, epsilon: str, values: int, svg: str | None, as_json: bool, plain: bool) -> None:
    """Show the error of a share in the central and in the local model, for a number of people; reads no data."""
    one_form(json=as_json, plain=plain)
    from lapcat.local.compare import compare as both

    found = both(n=n, epsilon=epsilon, values=values)
    with printing(plain) as screen:
        if svg is not None:
            from lapcat.drawing.models import models_svg

            picture = models_svg([(s.n, s.central, s.local) for s in found.sides])
            Path(svg).write_text(picture + "\n", encoding="utf-8")
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(found.as_json())
            return
        from lapcat.cli.layout import LayoutColumn, table
        from lapcat.cli.screen import StyledText
        from lapcat.core.exact import exact_text
        from lapcat.render.tables import shown_number

        sides = found.sides
        columns = [
            LayoutColumn("people", [shown_number(s.n, 0) for s in sides], right=True),
            LayoutColumn("central", [f"{s.central:.2g}" for s in sides], style="bold"),
            LayoutColumn("local", [f"{s.local:.2g}" for s in sides], style="bold"),
        ]
        if screen.drawn:
            columns.append(LayoutColumn("● central  ○ local: further right is worse", found.bars()))
        screen.show(
            [
                [
                    StyledText(
                        f" error of a rare value's share: {found.values} values, epsilon {exact_text(found.epsilon)}; "
                        f"local by {found.protocol.randomiser.name}"
                    )
                ],
                *table(columns, None),
                [
                    StyledText(
                        f" without a curator it takes {shown_number(found.local_people, 0)} people to be as exact as "
                        f"{shown_number(found.asked.n, 0)} with one",
                        "dim",
                    )
                ],
            ]
        )
