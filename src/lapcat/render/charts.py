"""Charts of an answer: one error bar per group, as SVG or as an Altair chart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapcat.drawing.intervals import COLOUR, Interval, intervals_svg
from lapcat.errors import BadArgument
from lapcat.render.tables import one_line, shown_key
from lapcat.session.results import library

if TYPE_CHECKING:
    from lapcat.session.results import Answer

MAX_ALTAIR_GROUPS = 500
"""Beyond this many groups a chart is unreadable."""
MAX_SVG_GROUPS = 100
"""Groups in our own SVG, one below the other."""
SIGNS = {"epsilon": "ε", "rho": "ρ", "delta": "δ"}


@dataclass(frozen=True, slots=True)
class Plot:
    """One column of an answer with its error bars, as an SVG without scripts or network access."""

    answer: Answer
    column: str

    @classmethod
    def of(cls, answer: Answer, column: str | None) -> Plot:
        values = [field.name for field in answer.fields if field.role == "value"]
        if not values or (column is not None and column not in values):
            raise BadArgument(
                "chart-column",
                f"{column or 'this answer'} has no numbers with intervals to plot",
                fix=f"one of: {', '.join(values)}" if values else "ask for a COUNT, SUM, AVG …",
            )
        return cls(answer, column or values[0])

    @property
    def keys(self) -> list[str]:
        return [field.name for field in self.answer.fields if field.role == "key"]

    @property
    def title(self) -> str:
        return self.column + (f" by {', '.join(self.keys)}" if self.keys else "")

    @property
    def subtitle(self) -> str:
        """`95 % intervals, noise only · ε 0.5 · receipt 2:0ad17bad…`"""
        guarantee = self.answer.receipt.fields.get("guarantee")
        price = (
            ", ".join(f"{SIGNS[kind]} {amount}" for kind, amount in guarantee.items())
            if isinstance(guarantee, dict)
            else ""
        )
        percent = f"{float(self.answer.confidence) * 100:.4g} % intervals, noise only"
        shown = (
            f"the first {MAX_SVG_GROUPS} of {len(self.answer)} groups"
            if len(self.answer) > MAX_SVG_GROUPS
            else ""
        )
        return " · ".join(part for part in (percent, price, f"receipt {self.answer.receipt}", shown) if part)

    def rows(self, max_rows: int) -> list[Interval]:
        return [
            Interval(
                one_line(" · ".join(shown_key(row[key]) for key in self.keys)) or one_line(self.column),
                *(row[self.column + end] for end in ("_low", "", "_high")),
            )
            for row in self.answer.rows[:max_rows]
        ]

    def __repr__(self) -> str:
        return f'<plot of {self.title}; {self.subtitle}; .save("plot.svg") writes it>'

    def _repr_html_(self) -> str:
        return intervals_svg(
            self.rows(MAX_SVG_GROUPS), one_line(self.title), self.subtitle, one_line(self.column)
        )

    def save(self, path: str | Path) -> None:
        """Writes an SVG file."""
        page = self._repr_html_().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        Path(path).write_text(page + "\n", encoding="utf-8")

    def altair(self) -> Any:
        """The plot as an Altair chart, to change and combine. Its HTML loads scripts from the network unless they are embedded."""
        return library("altair", "plot").LayerChart.from_dict(self.vega_lite())

    def vega_lite(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification."""
        rows = [
            {"group": interval.label, "value": interval.value, "low": interval.low, "high": interval.high}
            for interval in self.rows(MAX_ALTAIR_GROUPS)
        ]
        group = {"field": "group", "type": "nominal", "sort": None, "title": ", ".join(self.keys) or None}
        percent = f"{float(self.answer.confidence) * 100:.4g} % interval"

        def number(field: str) -> dict[str, Any]:
            return {"field": field, "type": "quantitative", "title": self.column, "scale": {"zero": False}}

        tooltip = [
            {"field": "group"},
            {"field": "value", "title": self.column},
            {"field": "low", "title": f"{percent}, from"},
            {"field": "high", "title": "to"},
        ]
        ends = {"y": group, "x": number("low"), "x2": {"field": "high"}, "tooltip": tooltip}
        caps = [
            {
                "mark": {"type": "tick", "color": COLOUR, "thickness": 2, "size": 12},
                "encoding": {"y": group, "x": number(end)},
            }
            for end in ("low", "high")
        ]
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "title": {"text": self.title, "subtitle": self.subtitle, "anchor": "start"},
            "description": f"{self.column} with its {percent}"
            + (f" by {', '.join(self.keys)}" if self.keys else ""),
            "data": {"values": rows},
            "layer": [
                {"mark": {"type": "rule", "color": COLOUR, "strokeWidth": 2}, "encoding": ends},
                *caps,
                {
                    "mark": {"type": "point", "filled": True, "opacity": 1, "color": COLOUR, "size": 60},
                    "encoding": {"y": group, "x": number("value"), "tooltip": tooltip},
                },
            ],
        }
