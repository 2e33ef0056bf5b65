"""The error codes as a page of the reference documentation."""

from __future__ import annotations

from collections.abc import Iterable

from lapcat.render.error_codes.entry import FAMILIES, ErrorCode

_HEAD = """\
# Errors

<!-- Generated from src/lapcat/render/error_codes by `python -m lapcat.render.error_codes > docs/reference/errors.md`. -->

Every error of lapcat derives from `lapcat.Error` and belongs to one of six families. It says what
happened, where, why, and how to fix it, in the fields `code`, `message`, `place`, `why` and `fix`. It may quote the
question and the catalogue, never data. Codes are stable: scripts may depend on them. `lapcat error CODE` prints an entry
of this page; with `--json` a command prints its error on standard error as
`{"error": {"family", "code", "message", "fix", "line", "column"}}`.

An invalid argument of a Python call raises `BadArgument`: a `BadQuery` that is also a `ValueError`. Exit code 130 means
Ctrl-C.
"""


def as_markdown(entries: Iterable[ErrorCode]) -> str:
    """The whole page: a table of families, then every code under its family."""
    listed = list(entries)
    lines = [_HEAD, "| family | exit code | meaning |", "|---|---|---|"]
    lines += [f"| {family} | {code} | {meaning} |" for family, (code, meaning) in FAMILIES.items()]
    for family in FAMILIES:
        lines += ["", f"## {family}"]
        for entry in sorted((e for e in listed if e.family == family), key=lambda e: e.code):
            lines += ["", f"### {entry.code}", "", entry.means, "", f"What to do: {entry.fix}"]
            if entry.example:
                lines += ["", f"Example: `{entry.example}`"]
    return "\n".join(lines) + "\n"
