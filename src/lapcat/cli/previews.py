"""Terminal output of previews and sensitivities."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from lapcat.cli.budgets import gauge_part, loss_parts, you_part
from lapcat.cli.layout import LayoutColumn, flowing, sentence_lines, table
from lapcat.cli.screen import Line, Screen, StyledText, visible
from lapcat.core.exact import exact_text
from lapcat.drawing.ways import ways_bars
from lapcat.plan.words import shown_margin
from lapcat.render.tables import shown_number
from lapcat.session.results import entries_text, is_overdrawn

if TYPE_CHECKING:
    from lapcat.session.budgets import Budget
    from lapcat.session.results import Amount, ForeseenColumn, Preview, SensitivityReport


def preview_lines(preview: Preview, budget: Budget, screen: Screen) -> list[Line]:
    """Price, margins, statistics, notes, and the budget left afterwards."""
    if preview.free and preview.derived is not None:
        price = [
            StyledText(" free", "bold green"),
            StyledText(
                f", from {entries_text(preview.derived.entries)}: it follows from what was released before"
            ),
        ]
    elif preview.free:
        price = [
            StyledText(" free", "bold green"),
            StyledText(": answered before; a repeat returns the same answer"),
        ]
    else:
        price = [
            StyledText(" would cost ", "bold"),
            StyledText(loss_parts(preview.cost, drawn=screen.drawn), "bold"),
        ]
        price.append(StyledText("; no row was read, nothing was spent"))
    lines: list[Line] = [price]
    percent = f"{float(preview.columns[0].confidence) * 100:.4g} % margin" if preview.columns else "margin"
    columns = [
        LayoutColumn("column", [visible(column.name) for column in preview.columns]),
        LayoutColumn(
            percent, [margin_words(column, screen) for column in preview.columns], with_previous=True
        ),
    ]
    lines += table(columns, None)
    if preview.derived is not None and not preview.free:
        margins = "; ".join(
            f"{visible(column.name)} {margin_words(column, screen)}" for column in preview.derived.columns
        )
        lines.append(
            [
                StyledText(" or free", "bold green"),
                StyledText(
                    f", from {entries_text(preview.derived.entries)}: {margins} (ask without a price)"
                ),
            ]
        )
    for sentence in preview.in_groups:
        lines += sentence_lines(sentence, screen.wrapping_width)
    if preview.ways:
        lines += _ways_lines(preview, screen)
    for sentence in (*preview.statistics, *preview.notes):
        lines += sentence_lines(sentence, screen.wrapping_width, "dim")
    return [*lines, *_left_lines(preview, budget, screen)]


def _ways_lines(preview: Preview, screen: Screen) -> list[Line]:
    """The expected error of each strategy, and the one taken."""
    ways = [(way.name, way.error, way.taken) for way in preview.ways]
    columns = [
        LayoutColumn("strategy", [visible(name) for name, _, _ in ways]),
        LayoutColumn("expected error", [shown_margin(error) for _, error, _ in ways], right=True),
        LayoutColumn("", ["taken" if taken else "" for _, _, taken in ways], style="bold green"),
    ]
    if screen.drawn:
        columns.insert(2, LayoutColumn("", ways_bars(ways), style="cyan"))
    note = "the error is the root mean square over all numbers"
    return [*table(columns, None), *sentence_lines(note, screen.wrapping_width, "dim")]


def margin_words(column: ForeseenColumn, screen: Screen) -> str:
    """`± 15`; or the margins for several row counts, if the row count is private; or that it depends on the answer."""
    sign = "±" if screen.drawn else "+-"
    if column.margin is not None:
        return f"{sign} {shown_margin(column.margin)}"
    if column.guarantee is not None:
        return column.guarantee.words.replace("±", sign)
    if not column.assuming:
        return "depends on the answer"
    return ", ".join(
        f"{sign} {shown_margin(m)} if n = {shown_number(n, 0)}" for n, m in column.assuming.items()
    )


def _left_lines(preview: Preview, budget: Budget, screen: Screen) -> list[Line]:
    parts: list[Line] = []
    short = False
    for name, left in preview.left_after.items():
        if name in budget.tables:
            parts.append(
                gauge_part(
                    name, replace(budget.tables[name], left=_no_less(left)), screen, suffix="left after"
                )
            )
            short = short or is_overdrawn(left)
    for name, left in preview.populations_left_after.items():
        if name in budget.populations:
            population = replace(budget.populations[name], left=_no_less(left))
            parts.append(gauge_part(f"population {name}", population, screen, suffix="left after"))
            short = short or is_overdrawn(left)
    for name, left in (preview.analyst_left_after or {}).items():
        for gauges in budget.analysts.values():
            if name in gauges:
                own = you_part(replace(gauges[name], left=_no_less(left)), screen)
                parts.append(own if len(preview.left_after) == 1 else [*own, StyledText(f" on {name}")])
        short = short or is_overdrawn(left)
    lines = flowing(parts, screen.wrapping_width) if parts else []
    if short:
        lines.append([StyledText(" more than the budget has left: it would be refused", "bold red")])
    return lines


def _no_less(left: Amount) -> Amount:
    def floor(value: Fraction | None) -> Fraction | None:
        return None if value is None else max(value, Fraction(0))

    return replace(left, epsilon=floor(left.epsilon), rho=floor(left.rho), delta=floor(left.delta))


def sensitivity_lines(report: SensitivityReport, screen: Screen) -> list[Line]:
    """The sensitivity of each statistic, and the reasons."""
    unit = "one row" if report.unit == "row" else f"one {report.unit}"
    lines: list[Line] = [
        [StyledText(f" sensitivity: the most that {unit} can change ({report.relation})", "bold")]
    ]
    labels = [visible(statistic.called) for statistic in report.statistics]
    l1 = [exact_text(statistic.l1) for statistic in report.statistics]
    squared = [exact_text(statistic.l2_squared) for statistic in report.statistics]
    if len(labels) > 1 and report.l1 is not None and report.l2_squared is not None:
        labels.append("the whole question")
        l1.append(exact_text(report.l1))
        squared.append(exact_text(report.l2_squared))
    heads = ("Δ₁", "Δ₂²") if screen.drawn else ("l1", "l2 squared")
    lines += table(
        [
            LayoutColumn("statistic", labels),
            LayoutColumn(heads[0], l1, right=True),
            LayoutColumn(heads[1], squared, right=True),
        ],
        None,
    )
    because = [*(reason for statistic in report.statistics for reason in statistic.because), *report.because]
    reasons = dict.fromkeys(reason.text for reason in because)
    if reasons:
        lines.append([StyledText(" because")])
        for reason in reasons:
            lines += sentence_lines(visible(reason), screen.wrapping_width, "dim", indent="   ")
    if len(report.statistics) > 1 and report.l1 is None:
        note = "the statistics have different units of measure, so they have no common sensitivity"
        lines += sentence_lines(note, screen.wrapping_width, "dim")
    return lines
