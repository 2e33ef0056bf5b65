"""lapcat statement: the public privacy statement of a catalogue and its releases."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from lapcat.cli.options import catalogue_option, deployment_of, printing
from lapcat.errors import EngineFailed, harmless


@click.command(
    short_help="Write the privacy statement for a paper or for participants (steward).",
    epilog="Every figure comes from the catalogue and the ledger; no row is read. Run it again after further questions.",
)
@click.option("--participants", is_flag=True, help="Write an HTML page for the people in the data.")
@click.option(
    "-o", "--output", metavar="FILE", help="Output file, overwritten if it exists; default standard output."
)
@catalogue_option
def command(participants: bool, output: str | None, catalogue: str) -> None:
    """Write a paragraph for a paper: privacy unit, releases, guarantee and odds (steward)."""
    from lapcat.render.statement import PrivacyStatement
    from lapcat.session.releases import forgotten_tables, lost_entries, protected_in

    deployment = deployment_of(catalogue)
    statement = PrivacyStatement(
        tuple(protected_in(deployment)), forgotten_tables(deployment), lost_entries(deployment)
    )
    if participants:
        text = statement.page
    else:
        text = "\n\n".join(map(_filled, statement.paragraph.split("\n\n"))) + "\n"
    if output is None:
        with printing():
            from lapcat.cli.streams import machine_readable

            stream = machine_readable()
            stream.write(harmless(text))
            stream.flush()
        return
    try:
        Path(output).write_text(harmless(text), encoding="utf-8")
    except OSError as problem:
        raise EngineFailed(
            "output-failed",
            f"the statement could not be written to {output}: {problem.strerror}",
            fix="-o FILE in a writable folder",
        ) from None
    with printing() as screen:
        what = "a page for participants (HTML)" if participants else "a paragraph for a paper (text)"
        released = sum(len(who.releases) for who in statement.protected)
        about = ", ".join(who.name for who in statement.protected)
        screen.say(f"wrote {output}: {what}, about {about}; answers released so far: {released}")


def _filled(paragraph: str) -> str:
    """Wrapped at 80 columns; line breaks never separate a number from its sign."""
    together = paragraph.replace(" %", "\u00a0%").replace(" = ", "\u00a0=\u00a0")
    return textwrap.fill(together, 80, break_on_hyphens=False).replace("\u00a0", " ")
