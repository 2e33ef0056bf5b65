"""An answer as a table: plain text for terminals and logs, HTML with drawn error bars for notebooks."""

from __future__ import annotations

import html
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


def cells_of(answer: Answer, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Headings and rows in which each value is followed by its interval."""
    percent = f"{float(answer.confidence) * 100:.4g} % interval"
    heads: list[str] = []
    for column in answer.fields:
        if column.role in ("key", "choice", "value"):
            heads.append(one_line(column.name))
        elif column.role == "low":
            heads.append(percent)
    rows = []
    for row in answer.rows[:most]:
        shown: list[str] = []
        for column in answer.fields:
            value = row[column.name]
            if column.role in ("key", "choice"):
                shown.append(one_line(shown_key(value)))
            elif column.role == "value":
                low, high = row[column.name + "_low"], row[column.name + "_high"]
                shown.append(shown_number(value, margin_of(low, high)))
                shown.append(shown_interval(low, high))
        rows.append(shown)
    return heads, rows


def plain_table(answer: Answer, most: int | None = None) -> str:
    """Columns aligned by spaces; no colour, no box."""
    heads, rows = cells_of(answer, most)
    widths = [max(len(line[i]) for line in [heads, *rows]) for i in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [heads, *rows]
    ]
    if most is not None and len(answer) > most:
        lines.append(f"… {len(answer) - most} more rows")
    return "\n".join(lines)


def html_table(answer: Answer, most: int = 50) -> str:
    """A table with an inline drawing of each error bar; no script, no style sheet."""
    heads, rows = cells_of(answer, most)
    bars = _bars(answer, most)
    head = "".join(f"<th>{html.escape(h)}</th>" for h in heads) + ("<th></th>" if bars else "")
    body = ""
    for index, row in enumerate(rows):
        cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
        body += f"<tr>{cells}{f'<td>{bars[index]}</td>' if bars else ''}</tr>"
    more = f"<p>… {len(answer) - most} more rows</p>" if len(answer) > most else ""
    note = f"intervals at {float(answer.confidence) * 100:.4g} % confidence; {answer.covered}; receipt {answer.receipt}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}<p><small>{html.escape(note)}</small></p>"


def _bars(answer: Answer, most: int) -> list[str]:
    """For the first value column: each row's interval on one common scale."""
    value = next((column.name for column in answer.fields if column.role == "value"), None)
    if value is None or len(answer) < 2:
        return []
    rows = answer.rows[:most]
    triples = [(row[value + "_low"], row[value], row[value + "_high"]) for row in rows]
    whole = [triple for triple in triples if None not in triple]
    if not whole:
        return []
    bottom, top = min(low for low, _, _ in whole), max(high for _, _, high in whole)
    width = (top - bottom) or 1

    def x(number: float) -> float:
        return round(4 + 112 * (number - bottom) / width, 1)

    drawn = []
    for ends in triples:
        if None in ends:  # an interval without an end has no place on a common scale
            drawn.append("")
            continue
        low, middle, high = (x(number) for number in ends)
        title = f"{value}: {shown_number(ends[1], margin_of(ends[0], ends[2]))}"
        drawn.append(
            f'<svg width="120" height="14" role="img"><title>{html.escape(title)}</title>'
            f'<line x1="{low}" x2="{high}" y1="7" y2="7" stroke="currentColor"/>'
            f'<line x1="{low}" x2="{low}" y1="3" y2="11" stroke="currentColor"/>'
            f'<line x1="{high}" x2="{high}" y1="3" y2="11" stroke="currentColor"/>'
            f'<circle cx="{middle}" cy="7" r="3" fill="currentColor"/></svg>'
        )
    return drawn
