"""Terminal output of an answer: numbers with intervals, error bars on a common scale, and the cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from lapcat.cli.budgets import gauge_part, loss_parts, you_part
from lapcat.cli.layout import GAP, LayoutColumn, flowing, table, total_width
from lapcat.cli.screen import Line, Screen, StyledText, visible
from lapcat.cli.strokes import BAR_WIDTH, NARROW_BAR, Scale, error_bar
from lapcat.plan.notes import Weight, weight_of
from lapcat.render.tables import margin_of, shown_interval, shown_key, shown_number
from lapcat.session.results import entries_text

if TYPE_CHECKING:
    from lapcat.session.budgets import Gauge
    from lapcat.session.results import Answer

MAX_ROWS = 50
"""Rows shown on a terminal."""
MAX_PIPED_ROWS = 10_000
"""Rows shown in a pipe or file; --csv and --json write all of them."""


def answers_lines(answers: Sequence[Answer], screen: Screen) -> list[Line]:
    """The tables of the answers to one workload, and their cost."""
    lines: list[Line] = []
    for number, answer in enumerate(answers, 1):
        if len(answers) > 1:
            lines.append([StyledText(f" {number}", "bold")])
        lines += shown_lines(answer, screen)
    return [*lines, *closing_lines(answers[0], screen)]


def answer_lines(answer: Answer, screen: Screen) -> list[Line]:
    """The table, the number of rows left out, and the cost."""
    return answers_lines([answer], screen)


def shown_lines(answer: Answer, screen: Screen) -> list[Line]:
    """The table, and the number of rows left out."""
    max_rows = MAX_ROWS if screen.terminal else MAX_PIPED_ROWS
    lines = table_lines(answer, screen, max_rows)
    if len(answer) > max_rows:
        more = shown_number(len(answer) - max_rows, 0)
        lines.append([StyledText(f" … {more} more rows; --csv or --json writes all of them", "dim")])
    return lines


def closing_lines(answer: Answer, screen: Screen) -> list[Line]:
    """What the intervals cover, and the cost."""
    lines: list[Line] = []
    if answer.covered and any(field.role == "value" for field in answer.fields):
        lines += [[StyledText(f" {line}", "dim")] for line in wrap(answer.covered, screen.width - 2)]
    lines += [
        [StyledText(f" {note}", "bold red")] for note in answer.notes if weight_of(note) is Weight.SEVERE
    ]
    return [*lines, *spent_lines(answer, screen)]


def table_lines(answer: Answer, screen: Screen, max_rows: int) -> list[Line]:
    """The columns, with as many error bars as fit: for every value, for the last one, or for none."""
    keys, values = key_columns(answer, max_rows), value_columns(answer, max_rows)
    width = screen.width if screen.terminal else None
    plain = [*keys, *(column for value in values for column in (value.number, value.interval))]
    room = screen.width - total_width(plain)
    each = min(BAR_WIDTH, room // len(values) - GAP) if values else 0
    if not screen.drawn or room < NARROW_BAR + GAP or not values:
        return table(plain, width, len(keys))
    if each >= NARROW_BAR:
        drawn = [column for value in values for column in (value.number, value.interval, value.bar(each))]
        return table([*keys, *drawn], width, len(keys))
    return table([*plain, values[-1].bar(min(BAR_WIDTH, room - GAP))], width, len(keys))


def key_columns(answer: Answer, max_rows: int) -> list[LayoutColumn]:
    columns = []
    for field in answer.fields:
        if field.role in ("key", "choice"):
            values = answer[field.name][:max_rows]
            cells = [visible(shown_key(value, is_derived=field.is_derived)) for value in values]
            columns.append(LayoutColumn(visible(field.name), cells, right=field.type in ("integer", "float")))
    return columns


@dataclass(frozen=True, slots=True)
class ValueCells:
    """The columns of a value: number, interval, and error bar of a given width."""

    number: LayoutColumn
    interval: LayoutColumn
    rows: list[tuple[Any, Any, Any]]

    def bar(self, width: int) -> LayoutColumn:
        """Empty for NULL and for open intervals, which have no place on a common scale."""
        whole = [row for row in self.rows if None not in row]
        scale = Scale(
            min((low for low, _, _ in whole), default=0),
            max((high for _, _, high in whole), default=0),
            width,
        )
        bars = ["" if None in row else error_bar(*row, scale) for row in self.rows]
        return LayoutColumn("", bars, style="cyan", with_previous=True)


def value_columns(answer: Answer, max_rows: int) -> list[ValueCells]:
    percent = f"{float(answer.confidence) * 100:.4g} % interval"
    columns = []
    for field in answer.fields:
        if field.role != "value":
            continue
        rows = list(zip(*(answer[field.name + end][:max_rows] for end in ("_low", "", "_high")), strict=True))
        columns.append(
            ValueCells(
                LayoutColumn(
                    visible(field.name),
                    [shown_number(value, margin_of(low, high)) for low, value, high in rows],
                    right=True,
                ),
                LayoutColumn(
                    percent,
                    [shown_interval(low, high) for low, _, high in rows],
                    style="dim",
                    with_previous=True,
                ),
                rows,
            )
        )
    return columns


def spent_lines(answer: Answer, screen: Screen) -> list[Line]:
    """`spent ε 0.2   staff ███░░ 2.8 of 3 left   you 0.8 of 1   receipt 142:9f3c…`"""
    parts: list[Line]
    if answer.derived_from:
        parts = [
            [StyledText("free", "bold green"), StyledText(f": from {entries_text(answer.derived_from)}")]
        ]
    elif answer.free:
        parts = [[StyledText("free", "bold green"), StyledText(": answered before")]]
    else:
        parts = [
            [StyledText("spent ", "bold"), StyledText(loss_parts(answer.cost, drawn=screen.drawn), "bold")]
        ]
    read = _tables_read(answer)
    names = [name for name in read if name in answer.budget.tables]
    parts += [gauge_part(name, _read_of(answer, name, answer.budget.tables[name]), screen) for name in names]
    gauges_of = answer.budget.populations
    parts += [
        gauge_part(f"population {who}", gauges_of[who], screen)
        for who in dict.fromkeys(read.values())
        if who in gauges_of
    ]
    for gauges in answer.budget.analysts.values():
        for name in names:
            if name in gauges:
                own = you_part(_read_of(answer, name, gauges[name]), screen)
                parts.append(own if len(names) == 1 else [*own, StyledText(f" on {name}")])
    parts.append(
        [
            StyledText(
                f"receipt {answer.receipt.id}:{answer.receipt.hash[:4]}{'…' if screen.drawn else '...'}",
                "dim",
            )
        ]
    )
    lines = flowing(parts, screen.width if screen.terminal else None)
    if answer.budget.note:
        lines.append([StyledText(f" {answer.budget.note}", "dim")])
    if "UNSAFE" in answer.receipt.fields:
        lines.append([StyledText(f" UNSAFE: {answer.receipt.fields['UNSAFE']}", "bold red")])
    return lines


def _read_of(answer: Answer, name: str, gauge: Gauge) -> Gauge:
    """The gauge of a table; for a table with blocks, that of the charged block with the least left."""
    fields = answer.receipt.fields
    tables = fields.get("tables", [fields])
    assert isinstance(tables, list)
    blocks = [gauge.blocks.get(str(b)) for t in tables if t.get("table") == name for b in t.get("blocks", ())]
    return min(
        (own for own in blocks if own is not None),
        key=lambda own: own.left.epsilon or own.left.rho or 0,
        default=gauge,
    )


def _tables_read(answer: Answer) -> dict[str, str]:
    """The private tables in the receipt, each with its population: one in its own fields, several in a list."""
    fields = answer.receipt.fields
    tables = fields.get("tables", [fields])
    assert isinstance(tables, list)
    return {str(table["table"]): str(table.get("population", "")) for table in tables if "table" in table}
