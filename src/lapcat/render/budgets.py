"""A budget in a notebook: a table of what is left, and a picture of how each was spent, with the same said in words."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from lapcat.drawing.burn_down import burn_svg
from lapcat.render.notebook import table
from lapcat.session.results import cost_text, left_text

if TYPE_CHECKING:
    from lapcat.session.budgets import Budget, Gauge


def shares_of(gauge: Gauge) -> list[float]:
    """What was left after each entry, as a part of the cap."""
    return [float(point.left / gauge.most) for point in gauge.burn_down] if gauge.most else []


def span_of(gauge: Gauge) -> str:
    """`3 entries from 2026-11-01 to 2026-11-16`, by the clock at each request."""
    points = gauge.burn_down
    first, last = (point.date for point in (points[0], points[-1]))
    many = "1 entry" if len(points) == 1 else f"{len(points)} entries"
    return f"{many} on {first}" if first == last else f"{many} from {first} to {last}"


def html_budget(budget: Budget) -> str:
    """No script, no style sheet."""
    rows, pictures = [], ""
    for name, gauge in budget.gauges():
        said = [f"paused {budget.paused[name]}"] if name in budget.paused else []
        said += [] if gauge.pace is None else [str(gauge.pace)]
        rows.append(
            (name, left_text(gauge.left), cost_text(gauge.cap), cost_text(gauge.spent), "; ".join(said))
        )
        if gauge.burn_down:
            told = f"{name}: {left_text(gauge.left)} left of {cost_text(gauge.cap)} after {span_of(gauge)}"
            pictures += f"<figure>{burn_svg(shares_of(gauge), told)}<figcaption>{html.escape(told)}</figcaption></figure>"
    note = f"<p><small>{html.escape(budget.note)}</small></p>" if budget.note else ""
    return table(("budget", "left", "of", "spent", ""), rows) + pictures + note
