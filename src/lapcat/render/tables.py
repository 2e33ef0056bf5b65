"""An answer as a table: plain text for terminals and logs, HTML with drawn error bars for notebooks."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapcat.errors import harmless

if TYPE_CHECKING:
    from lapcat.session.results import Answer


NULL = "NULL"
"""A number that could not be computed, such as a ratio to zero."""
ALL = "(all)"
"""The key of a total over all of its values; in SQL it is NULL."""


def shown_key(value: Any) -> str:
    return ALL if value is None else str(value)


def one_line(text: str) -> str:
    """A name or a key as a table shows it: on one line, and without what a terminal would obey."""
    return harmless(text).replace("\n", "�")


def margin_of(low: Any, high: Any) -> float:
    """Half the width of an interval; 0, and so all digits, where an end is open."""
    return 0.0 if low is None or high is None else float(high - low) / 2


def shown_interval(low: Any, high: Any) -> str:
    """`[41.5, 41.9]`; an end that the noise leaves open is written as infinite."""
    margin = margin_of(low, high)
    bottom = "-inf" if low is None else shown_number(low, margin)
    top = "inf" if high is None else shown_number(high, margin)
    return f"[{bottom}, {top}]"


def shown_number(value: Any, margin: float) -> str:
    """A number to the digit that its error bar can carry, with thin groups of three."""
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
    """What is shown under one heading."""

    heading: str
    cells: list[str]
    ends: list[tuple[Any, Any, Any]] | None = None
    """Of a column of intervals: low, value and high of each."""
    is_number: bool = False


def columns_of(answer: Answer, most: int | None = None) -> list[TableColumn]:
    """Keys and choices, and each value followed by its interval."""
    percent = f"{float(answer.confidence) * 100:.4g} % interval"
    found = []
    for field in answer.fields:
        if field.role in ("key", "choice"):
            keys = answer[field.name][:most]
            is_number = field.type in ("integer", "float")
            found.append(
                TableColumn(one_line(field.name), [one_line(shown_key(key)) for key in keys], None, is_number)
            )
        elif field.role == "value":
            ends = list(zip(*(answer[field.name + end][:most] for end in ("_low", "", "_high")), strict=True))
            numbers = [shown_number(value, margin_of(low, high)) for low, value, high in ends]
            found.append(TableColumn(one_line(field.name), numbers, None, True))
            found.append(TableColumn(percent, [shown_interval(low, high) for low, _, high in ends], ends))
    return found


def plain_table(answer: Answer, most: int | None = None) -> str:
    """Columns aligned by spaces; no colour, no box."""
    columns = columns_of(answer, most)
    padded = []
    for column in columns:
        width = max(map(len, (column.heading, *column.cells)))
        padded.append([cell.ljust(width) for cell in (column.heading, *column.cells)])
    lines = ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]
    if most is not None and len(answer) > most:
        lines.append(f"… {len(answer) - most} more rows")
    return "\n".join(lines)


def html_table(answer: Answer, most: int = 50) -> str:
    """A table with a drawing of each interval beside it; no script, no style sheet."""
    head, columns = "", []
    for column in columns_of(answer, most):
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
    more = f"<p>… {len(answer) - most} more rows</p>" if len(answer) > most else ""
    price = f"<p><b>{html.escape(answer.price)}</b></p>"
    note = f"intervals at {float(answer.confidence) * 100:.4g} % confidence; {answer.covered}; receipt {answer.receipt}"
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{price}"
        f"<p><small>{html.escape(note)}</small></p>"
    )


def _bars(intervals: list[tuple[Any, Any, Any]]) -> list[str]:
    """The intervals of one column on one common scale; of a single interval there is nothing to compare."""
    whole = [ends for ends in intervals if None not in ends]
    if len(intervals) < 2 or not whole:
        return []
    bottom, top = min(low for low, _, _ in whole), max(high for _, _, high in whole)
    width = (top - bottom) or 1

    def x(number: float) -> float:
        return round(4 + 112 * float((number - bottom) / width), 1)

    drawn = []
    for ends in intervals:
        if None in ends:  # an interval without an end has no place on a common scale
            drawn.append("")
            continue
        low, middle, high = (x(number) for number in ends)
        words = f"{shown_number(ends[1], margin_of(ends[0], ends[2]))} {shown_interval(ends[0], ends[2])}"
        drawn.append(
            f'<svg style="min-width:120px" width="120" height="14" viewBox="0 0 120 14" role="img" aria-label="{words}"><title>{words}</title>'
            f'<line x1="{low}" x2="{high}" y1="7" y2="7" stroke="currentColor"/>'
            f'<line x1="{low}" x2="{low}" y1="2" y2="12" stroke="currentColor"/>'
            f'<line x1="{high}" x2="{high}" y1="2" y2="12" stroke="currentColor"/>'
            f'<circle cx="{middle}" cy="7" r="3" fill="currentColor"/></svg>'
        )
    return drawn
