"""Budgets in a notebook: a table of what is left, and a burn-down chart of each with a caption."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from lapcat.drawing.burn_down import burn_svg
from lapcat.render.notebook import table
from lapcat.session.results import cost_text, left_text

if TYPE_CHECKING:
    from lapcat.session.budgets import Budget, Gauge


def shares_of(gauge: Gauge) -> list[float]:
    """Share of the cap left after each entry."""
    return [float(point.left / gauge.most) for point in gauge.burn_down] if gauge.most else []


def span_of(gauge: Gauge) -> str:
    """`3 entries from 2026-11-01 to 2026-11-16`, by the time of each request."""
    points = gauge.burn_down
    first, last = (point.date for point in (points[0], points[-1]))
    count = "1 entry" if len(points) == 1 else f"{len(points)} entries"
    return f"{count} on {first}" if first == last else f"{count} from {first} to {last}"


def html_budget(budget: Budget) -> str:
    """HTML without scripts or style sheets."""
    rows, pictures = [], ""
    for name, gauge in budget.gauges():
        remarks = [f"paused {budget.paused[name]}"] if name in budget.paused else []
        remarks += [] if gauge.pace is None else [str(gauge.pace)]
        rows.append(
            (name, left_text(gauge.left), cost_text(gauge.cap), cost_text(gauge.spent), "; ".join(remarks))
        )
        if gauge.burn_down:
            caption = f"{name}: {left_text(gauge.left)} left of {cost_text(gauge.cap)} after {span_of(gauge)}"
            pictures += f"<figure>{burn_svg(shares_of(gauge), caption)}<figcaption>{html.escape(caption)}</figcaption></figure>"
    note = f"<p><small>{html.escape(budget.note)}</small></p>" if budget.note else ""
    return table(("budget", "left", "of", "spent", ""), rows) + pictures + note
