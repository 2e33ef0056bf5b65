"""Text tables that fit a width; a table that is too wide is split into bands that repeat the key columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from lapcat.cli.screen import Line, StyledText, padded, width_of

GAP = 2


@dataclass(frozen=True, slots=True)
class LayoutColumn:
    """A heading and its cells. Numbers are right-aligned under a left-aligned heading."""

    head: str
    cells: Sequence[str]
    right: bool = False
    style: str = ""
    with_previous: bool = False
    """Keep in one band with the column before it, as an interval with its value."""

    @property
    def width(self) -> int:
        return max([width_of(self.head), *map(width_of, self.cells)])


def total_width(columns: Sequence[LayoutColumn]) -> int:
    """The width of the table, with one space at the left."""
    return 1 + sum(column.width for column in columns) + GAP * (len(columns) - 1) if columns else 0


def table(columns: Sequence[LayoutColumn], width: int | None, keys: int = 0) -> list[Line]:
    """The columns side by side; columns that do not fit follow in bands, each beginning with the first `keys` columns."""
    if width is None or total_width(columns) <= width:
        return _band(columns)
    repeated, blocks = list(columns[:keys]), _blocks(columns[keys:])
    lines: list[Line] = []
    band = list(repeated)
    for block in blocks:
        if len(band) > len(repeated) and total_width([*band, *block]) > width:
            lines += [*_band(band), [StyledText("")]]
            band = list(repeated)
        band += block
    return [*lines, *_band(band)]


def flowing(parts: Sequence[Line], width: int | None, *, indent: str = " ", gap: str = "   ") -> list[Line]:
    """Parts side by side, with line breaks between them where needed; parts are never split."""
    lines: list[Line] = [[StyledText(indent)]]
    used = len(indent)
    for part in parts:
        size = sum(width_of(span.text) for span in part)
        if width is not None and used > len(indent) and used + len(gap) + size > width:
            lines.append([StyledText(indent)])
            used = len(indent)
        if used > len(indent):
            lines[-1].append(StyledText(gap))
            used += len(gap)
        lines[-1] += part
        used += size
    return lines


def sentence_lines(text: str, width: int | None, style: str = "", indent: str = " ") -> list[Line]:
    """A sentence, wrapped to the width if there is one, with a hanging indent."""
    if width is None:
        return [[StyledText(indent + text, style)]]
    inner = indent + "  "
    broken = wrap(
        text, max(20, width), initial_indent=indent, subsequent_indent=inner, break_on_hyphens=False
    )
    return [[StyledText(line, style)] for line in broken]


def _blocks(columns: Sequence[LayoutColumn]) -> list[list[LayoutColumn]]:
    blocks: list[list[LayoutColumn]] = []
    for column in columns:
        if column.with_previous and blocks:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    return blocks


def _band(columns: Sequence[LayoutColumn]) -> list[Line]:
    gap = " " * GAP
    widths = [column.width for column in columns]
    head: Line = [StyledText(" ")]
    for column, size in zip(columns, widths, strict=True):
        head += [StyledText(padded(column.head, size), "bold"), StyledText(gap)]
    lines = [head[:-1]]
    bodies = [max(map(width_of, column.cells), default=0) for column in columns]
    for row in range(max((len(column.cells) for column in columns), default=0)):
        line: Line = [StyledText(" ")]
        for column, size, body in zip(columns, widths, bodies, strict=True):
            cell = padded(column.cells[row], body, right=column.right)
            line += [StyledText(padded(cell, size), column.style), StyledText(gap)]
        lines.append(line[:-1])
    return lines
