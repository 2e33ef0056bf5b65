"""JSON and CSV output, streamed so that a million rows need no second copy."""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, TextIO

from lapcat.errors import harmless
from lapcat.session.results import loss_json

if TYPE_CHECKING:
    from lapcat.session.results import Answer

ROWS_AT_ONCE = 20_000


def machine_readable(stream: TextIO | None = None) -> TextIO:
    """Standard output as UTF-8, whatever the locale."""
    stream = sys.stdout if stream is None else stream
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="strict", newline="\n")
    return stream


_CONTROL = re.compile(r"[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""Control and invisible characters beyond those that JSON escapes."""


def json_text(value: object, indent: int | None = None) -> str:
    r"""JSON with control characters escaped, so that a program reads the same text.

    >>> print(json_text("a\x1b[31m\x9b1m"))
    "a\u001b[31m\u009b1m"
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_json(value: object) -> None:
    """Prints one indented JSON document."""
    stream = machine_readable()
    stream.write(json_text(value, indent=2) + "\n")
    stream.flush()


def write_json(answers: Sequence[Answer], stream: TextIO) -> None:
    """The document of `answer.as_json()`, row by row; several answers have a list of tables, and the rest once."""
    answer = answers[0]
    rest = {
        "cost": loss_json(answer.cost),
        "confidence": float(answer.confidence),
        "receipt": answer.receipt.as_json(),
        "budget": answer.budget.as_json(),
        "free": answer.free,
        **answer.about_json(),
    }
    stream.write("{")
    if len(answers) == 1:
        _write_table(answer, stream)
    else:
        for number, each in enumerate(answers):
            stream.write(",\n{" if number else '"answers": [{')
            _write_table(each, stream)
            stream.write("}")
        stream.write("]")
    stream.write(
        ",\n " + ",\n ".join(f"{json_text(key)}: {json_text(value)}" for key, value in rest.items()) + "}\n"
    )
    stream.flush()


def _write_table(answer: Answer, stream: TextIO) -> None:
    """The columns and rows of one answer, without the braces around them."""
    columns = [{"name": field.name, "type": field.type, "role": field.role} for field in answer.fields]
    stream.write(f'"columns": {json_text(columns)},\n "rows": [')
    names = answer.columns
    template = "{" + ", ".join(f"{json_text(name).replace('%', '%%')}: %s" for name in names) + "}"
    encoded = [_encoded(answer[name]) for name in names]
    before = "\n  "
    for piece in _pieces(zip(*encoded, strict=True)):
        stream.write(before + ",\n  ".join([template % row for row in piece]))
        before = ",\n  "
    stream.write("]")


def write_csv(answers: Sequence[Answer], stream: TextIO) -> None:
    """A header and the rows; numbers in full, dates as ISO 8601, texts as written by csv_cells. Several tables are separated by an
    empty line."""
    writer = csv.writer(stream, lineterminator="\n")
    for number, answer in enumerate(answers):
        if number:
            stream.write("\n")
        writer.writerow(csv_cells(answer.columns, stream))
        for piece in _pieces(zip(*(csv_cells(answer[name], stream) for name in answer.columns), strict=True)):
            writer.writerows(piece)
    stream.flush()


FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_cells(values: Sequence[Any], stream: TextIO) -> list[Any]:
    """Cells for output: a text that a spreadsheet would read as a formula gets a leading apostrophe, and control characters
    are replaced on a terminal."""
    on_a_terminal = stream.isatty()

    def cell(value: Any) -> Any:
        if isinstance(value, bool):
            return str(value).lower()
        if not isinstance(value, str):
            return value
        text = harmless(value) if on_a_terminal else value
        return f"'{text}" if text.startswith(FORMULA) else text

    plain = (int, float, NoneType)
    return [value if type(value) in plain else cell(value) for value in values]


def _encoded(values: list[Any]) -> Iterable[str]:
    """Each value as JSON; repeated texts and dates are encoded once."""
    if values and isinstance(values[0], (int, float)) and not isinstance(values[0], bool):
        return (repr(value) if value is not None else "null" for value in values)
    known: dict[Any, str] = {}
    for value in values:
        if value not in known:
            plain = value if isinstance(value, (bool, str, int, float)) or value is None else str(value)
            known[value] = json_text(plain)
    return [known[value] for value in values]


def _pieces(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    rows = iter(rows)
    while piece := list(itertools.islice(rows, ROWS_AT_ONCE)):
        yield piece
