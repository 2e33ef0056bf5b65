"""lapcat audit: tests the guarantee of a deployment on synthetic rows, through the code path of real answers."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lapcat.cli.options import catalogue_option, deployment_of, json_option, one_form, plain_option, printing
from lapcat.errors import EngineFailed


@click.command(short_help="Audit the deployment on synthetic rows (steward).")
@click.option("-o", "--out", metavar="FILE", help="Write the report to FILE, signed if the ledger is.")
@click.option(
    "--questions",
    default=10,
    show_default=True,
    metavar="K",
    help="Additional random questions per table.",
)
@json_option
@plain_option
@catalogue_option
def command(out: str | None, questions: int, as_json: bool, plain: bool, catalogue: str) -> None:
    """Ask every kind of question on synthetic neighbouring tables with this catalogue's schema, and check the answers (steward).

    Reads none of your rows and spends nothing: the audit uses its own rows and ledgers. Exit code 1 if a check fails, so it
    can run in CI.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.audit.deployment import audit_deployment
    from lapcat.cli.audits import progress_of_checks

    deployment = deployment_of(catalogue)
    with progress_of_checks() as progress:
        report = audit_deployment(deployment.catalogue, questions, progress)
    written = report.signed(deployment.ledger.signer)
    if out is not None:
        try:
            Path(out).write_text(json.dumps(written, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        except OSError as problem:
            raise EngineFailed(
                "output-failed",
                f"the report could not be written to {out}: {problem.strerror}",
                fix="-o FILE in a writable folder",
            ) from None
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(written)
        else:
            from lapcat.cli.audits import report_lines

            screen.show(report_lines(report, screen))
    if not report.passed:
        raise click.exceptions.Exit(1)
