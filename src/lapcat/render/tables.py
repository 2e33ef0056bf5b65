"""An answer as a table: plain text for terminals and logs, HTML with error bars for notebooks."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapcat.errors import harmless

if TYPE_CHECKING:
    from lapcat.session.results import Answer


NULL = "NULL"
"""Shown for a number that is undefined, such as a ratio to zero."""
ALL = "(all)"
"""Shown for the key of a total, which is NULL in SQL."""
DIGITS = 6
"""Significant digits of a derived number, which has no margin to say how many matter."""


def shown_key(value: Any, *, is_derived: bool = False) -> str:
    """A key or a selected value; a NULL key is a total over its values, unless it is derived from other columns."""
    if value is None:
        return NULL if is_derived else ALL
    if is_derived and isinstance(value, float):
        return f"{value:,.{DIGITS}g}".replace(",", " ")
    return str(value)


def one_line(text: str) -> str:
    """A name or key on one line, without terminal control characters."""
    return harmless(text).replace("\n", "�")


def margin_of(low: Any, high: Any) -> float:
    """Half the width of an interval; 0 (so that all digits are shown) if an end is open."""
    return 0.0 if low is None or high is None else float(high - low) / 2


def shown_interval(low: Any, high: Any) -> str:
    """`[41.5, 41.9]`; an open end is written as infinite."""
    margin = margin_of(low, high)
    bottom = "-inf" if low is None else shown_number(low, margin)
    top = "inf" if high is None else shown_number(high, margin)
    return f"[{bottom}, {top}]"


def shown_number(value: Any, margin: float) -> str:
    """A number rounded to the precision of its margin, with spaces between groups of three digits."""
    if value is None:
        return NULL
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    if not isinstance(value, float):
        return str(value)
    decimals = 0
    while decimals < 6 and margin * 10**decimals < 5 and margin > 0:
        decimals += 1
    return f"{value:,.{decimals}f}".replace(",", " ")


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A heading and its cells."""

    heading: str
    cells: list[str]
    ends: list[tuple[Any, Any, Any]] | None = None
    """For a column of intervals: low, value and high of each cell."""
    is_number: bool = False


def columns_of(answer: Answer, max_rows: int | None = None) -> list[TableColumn]:
    """Keys and selected values, and each number followed by its interval."""
    percent = f"{float(answer.confidence) * 100:.4g} % interval"
    columns = []
    for field in answer.fields:
        if field.role in ("key", "choice"):
            keys = answer[field.name][:max_rows]
            is_number = field.type in ("integer", "float")
            cells = [one_line(shown_key(key, is_derived=field.is_derived)) for key in keys]
            columns.append(TableColumn(one_line(field.name), cells, None, is_number))
        elif field.role == "value":
            ends = list(
                zip(*(answer[field.name + end][:max_rows] for end in ("_low", "", "_high")), strict=True)
            )
            numbers = [shown_number(value, margin_of(low, high)) for low, value, high in ends]
            columns.append(TableColumn(one_line(field.name), numbers, None, True))
            columns.append(TableColumn(percent, [shown_interval(low, high) for low, _, high in ends], ends))
    return columns


def plain_table(answer: Answer, max_rows: int | None = None) -> str:
    """Columns aligned with spaces; no colour, no box."""
    columns = columns_of(answer, max_rows)
    padded = []
    for column in columns:
        width = max(map(len, (column.heading, *column.cells)))
        padded.append([cell.ljust(width) for cell in (column.heading, *column.cells)])
    lines = ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]
    if max_rows is not None and len(answer) > max_rows:
        lines.append(f"… {len(answer) - max_rows} more rows")
    return "\n".join(lines)


def html_table(answer: Answer, max_rows: int = 50) -> str:
    """A table with an error bar beside each interval; no scripts, no style sheets."""
    head, columns = "", []
    for column in columns_of(answer, max_rows):
        heading, cells = html.escape(column.heading), [html.escape(cell) for cell in column.cells]
        style = f"text-align:{'right' if column.is_number else 'left'}"
        if column.is_number or column.ends:
            style += ";white-space:nowrap"
        head += f'<th style="{style}">{heading}</th>'
        bars = _bars(column.ends) if column.ends else []
        columns.append([f'<td style="{style}">{cell}</td>' for cell in cells])
        if bars:
            head += "<th></th>"
            columns.append([f"<td>{bar}</td>" for bar in bars])
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*columns, strict=True))
    more = f"<p>… {len(answer) - max_rows} more rows</p>" if len(answer) > max_rows else ""
    price = f"<p><b>{html.escape(answer.price)}</b></p>"
    note = f"intervals at {float(answer.confidence) * 100:.4g} % confidence; {answer.covered}; receipt {answer.receipt}"
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{price}"
        f"<p><small>{html.escape(note)}</small></p>"
    )


def _bars(intervals: list[tuple[Any, Any, Any]]) -> list[str]:
    """The intervals of one column on a common scale; none for a single interval."""
    whole = [ends for ends in intervals if None not in ends]
    if len(intervals) < 2 or not whole:
        return []
    bottom, top = min(low for low, _, _ in whole), max(high for _, _, high in whole)
    width = (top - bottom) or 1

    def x(number: float) -> float:
        return round(4 + 112 * float((number - bottom) / width), 1)

    drawn = []
    for ends in intervals:
        if None in ends:  # an open interval has no place on a common scale
            drawn.append("")
            continue
        low, middle, high = (x(number) for number in ends)
        words = f"{shown_number(ends[1], margin_of(ends[0], ends[2]))} {shown_interval(ends[0], ends[2])}"
        drawn.append(
            f'<svg style="min-width:120px" width="120" height="14" viewBox="0 0 120 14" role="img" '
            f'aria-label="{words}"><title>{words}</title>'
            f'<line x1="{low}" x2="{high}" y1="7" y2="7" stroke="currentColor"/>'
            f'<line x1="{low}" x2="{low}" y1="2" y2="12" stroke="currentColor"/>'
            f'<line x1="{high}" x2="{high}" y1="2" y2="12" stroke="currentColor"/>'
            f'<circle cx="{middle}" cy="7" r="3" fill="currentColor"/></svg>'
        )
    return drawn
