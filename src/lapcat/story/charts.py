"""An answer as a Vega-Lite chart: each number with its error bar, beside its group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapcat.errors import BadArgument
from lapcat.story.tables import shown_key

if TYPE_CHECKING:
    from lapcat.session.results import Answer

COLOUR = "#0072b2"  # colour-blind safe, and dark enough on white and light enough on black
MOST = 500
"""Groups that are drawn: beyond them a picture shows nothing."""


def vega_lite(answer: Answer, column: str | None = None) -> dict[str, Any]:
    """The chart of one column of numbers, by default the first, as Vega-Lite reads it."""
    values = [field.name for field in answer.fields if field.role == "value"]
    if not values or (column is not None and column not in values):
        raise BadArgument(
            "chart-column",
            f"{column or 'this answer'} has no numbers with intervals to draw",
            fix=f"one of: {', '.join(values)}" if values else "ask for a COUNT, SUM, AVG …",
        )
    name = column or values[0]
    keys = [field.name for field in answer.fields if field.role == "key"]
    rows = [
        {
            "group": " · ".join(shown_key(row[key]) for key in keys) or name,
            "value": row[name],
            "low": row[name + "_low"],
            "high": row[name + "_high"],
        }
        for row in answer.rows[:MOST]
    ]
    group = {"field": "group", "type": "nominal", "sort": None, "title": ", ".join(keys) or None}
    percent = f"{float(answer.confidence) * 100:.4g} % interval"

    def number(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "title": name, "scale": {"zero": False}}

    tooltip = [
        {"field": "group"},
        {"field": "value", "title": name},
        {"field": "low", "title": f"{percent}, from"},
        {"field": "high", "title": "to"},
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": f"{name} with its {percent}" + (f" by {', '.join(keys)}" if keys else ""),
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "color": COLOUR},
                "encoding": {"y": group, "x": number("low"), "x2": {"field": "high"}, "tooltip": tooltip},
            },
            {
                "mark": {"type": "point", "filled": True, "color": COLOUR, "size": 60},
                "encoding": {"y": group, "x": number("value"), "tooltip": tooltip},
            },
        ],
    }
