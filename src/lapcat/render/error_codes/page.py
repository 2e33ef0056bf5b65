"""The error codes as a page of the reference."""

from __future__ import annotations

from collections.abc import Iterable

from lapcat.render.error_codes.entry import FAMILIES, ErrorCode

_HEAD = """\
# Errors

<!-- Made from src/lapcat/render/error_codes by `python -m lapcat.render.error_codes > docs/reference/errors.md`. -->

Every error of lapcat derives from `lapcat.Error` and belongs to one of six families. It says what, where, why, and how to
mend it, and carries these parts as fields: `code`, `message`, `why`, `fix`, `place`. It quotes the question and the
catalogue, never a cell of data. Codes are stable: scripts may depend on them. `lapcat error CODE` prints an entry of this
page; with `--json` a command prints its error on standard error as
`{"error": {"family", "code", "message", "fix", "line", "column"}}`.

A bad argument of a Python call is a `BadArgument`: a `BadQuery` that is also a `ValueError`. Exit code 130 means that
somebody pressed Ctrl-C.
"""


def as_markdown(entries: Iterable[ErrorCode]) -> str:
    """The whole page: a table of families, then every code under its family."""
    listed = list(entries)
    lines = [_HEAD, "| family | exit code | meaning |", "|---|---|---|"]
    lines += [f"| {family} | {code} | {meaning} |" for family, (code, meaning) in FAMILIES.items()]
    for family in FAMILIES:
        lines += ["", f"## {family}"]
        for entry in sorted((e for e in listed if e.family == family), key=lambda e: e.code):
            lines += ["", f"### {entry.code}", "", entry.means, "", f"What to do: {entry.mend}"]
            if entry.example:
                lines += ["", f"Example: `{entry.example}`"]
    return "\n".join(lines) + "\n"
