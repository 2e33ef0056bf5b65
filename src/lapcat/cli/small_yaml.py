"""The YAML subset of metadata files: indented mappings, plain and quoted scalars, comments.

Lists, anchors, tags and block texts are refused with their line. A full parser would be a dependency for a command that
is used once; and where a file says who is protected, refusing is better than guessing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn

from lapcat.errors import BadQuery, Place

Scalar = str | bool | Decimal | None
Node = Scalar | dict[str, "Node"]

_ENTRY = re.compile(
    r"""(?P<key>'(?:[^']|'')*'|"(?:[^"\\]|\\["\\])*"|[^\s'"#&*!|>%@`\[\]{},?-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(?P<value>\S.*?))?\s*"""
)
_QUOTED = re.compile(r"""('(?:[^']|'')*'|"(?:[^"\\]|\\["\\])*")(?:\s+\#.*)?""")
_TRUE, _FALSE = r"true|True|TRUE|yes|Yes|YES|on|On|ON", r"false|False|FALSE|no|No|NO|off|Off|OFF"


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    indent: int
    text: str


def read_yaml(text: str) -> dict[str, Node]:
    """The mapping in a file; numbers are exact decimals.

    >>> read_yaml("people:\\n  age: {}\\n".replace("{}", "0.1   # years"))
    {'people': {'age': Decimal('0.1')}}
    """
    reader = _Reader(text)
    return reader.mapping(reader.lines[0].indent) if reader.lines else {}


class _Reader:
    """A line-based parser; `at` is the index of the next line."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.lines: list[_Line] = []
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            bare = line.strip()
            if not bare or bare.startswith("#") or (bare == "---" and not self.lines):
                continue
            if "\t" in line[: len(line) - len(line.lstrip())]:
                self.bad(number, "a line is indented with a tab", "indent with spaces")
            self.lines.append(_Line(number, len(line) - len(line.lstrip(" ")), bare))

    def mapping(self, indent: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while self.at < len(self.lines) and self.lines[self.at].indent >= indent:
            line = self.lines[self.at]
            if line.indent > indent:
                self.bad(
                    line.number,
                    "a line is indented further than the line above",
                    "align it with the line above",
                )
            entry = _ENTRY.fullmatch(line.text)
            if entry is None:
                self.bad(line.number, "only lines of the form key: value are supported", "name: value")
            key = str(_unquoted(entry["key"]))
            if key in entries:
                self.bad(line.number, f"{key!r} appears twice in one mapping", "remove one of them")
            self.at += 1
            value = entry["value"]
            inner = self.lines[self.at].indent if self.at < len(self.lines) else 0
            if (value is None or value.startswith("#")) and inner > indent:
                entries[key] = self.mapping(inner)
            else:
                entries[key] = self.scalar(value or "", line.number)
        return entries

    def scalar(self, written: str, number: int) -> Scalar:
        if written[:1] in ("'", '"'):
            quoted = _QUOTED.fullmatch(written)
            if quoted is None:
                self.bad(number, "a quote is not closed", 'name: "value"')
            return _unquoted(quoted[1])
        plain = re.sub(r"(?:^|\s+)#.*", "", written)
        if plain == "{}":
            self.bad(number, "the mapping is empty", "remove the line")
        if plain[:1] in tuple("[{&*!|>%@`-?") and not re.fullmatch(r"-[\d.].*", plain):
            self.bad(number, "lists, anchors, tags and block texts are not supported", "name: value")
        if re.fullmatch(_TRUE, plain) or re.fullmatch(_FALSE, plain):
            return re.fullmatch(_TRUE, plain) is not None
        if plain in ("", "~", "null", "Null", "NULL"):
            return None
        # 010 is octal in YAML: it stays a text, which is not a valid bound
        if re.fullmatch(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?", plain):
            return Decimal(plain)
        return plain

    def bad(self, number: int, message: str, fix: str) -> NoReturn:
        raise BadQuery("yaml-syntax", message, fix=fix, place=Place(self.text, number, 1))


def _unquoted(written: str) -> str:
    if written[:1] == "'":
        return written[1:-1].replace("''", "'")
    if written[:1] == '"':
        return re.sub(r"\\(.)", r"\1", written[1:-1])
    return written
