"""What may I ask? A table's public description, for analysts."""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.core.exact import exact_text
from lapcat.plan.schema import ColumnSpec, Dates, Interval, ListedKeys, PrivateKeys, RangeKeys, Table


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column and what can be done with it."""

    name: str
    type: str
    bounds: str
    keys: str
    null: str
    allows: str

    def as_json(self) -> dict[str, object]:
        return {field: getattr(self, field) or None for field in self.__slots__}


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table: who is protected, how, and its columns."""

    name: str
    unit: str
    relation: str
    units: int | None
    rows_per_unit: int
    columns: tuple[ColumnInfo, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "unit": self.unit,
            "relation": self.relation,
            "units": self.units,
            "rows_per_unit": self.rows_per_unit,
            "columns": [column.as_json() for column in self.columns],
        }

    def __str__(self) -> str:
        who = (
            "each row" if self.unit == "row" else f"each {self.unit}, with at most {self.rows_per_unit} rows"
        )
        lines = [f"{self.name}: protects {who} ({self.relation})"]
        for c in self.columns:
            parts = [c.name, c.type, c.bounds, c.keys, f"NULL counts as {c.null}" if c.null else "", c.allows]
            lines.append("  " + "  ".join(part for part in parts if part))
        return "\n".join(lines)

    __repr__ = __str__


def describe_table(table: Table) -> TableInfo:
    """All of it comes from the catalogue; no row is read."""
    return TableInfo(
        table.name,
        str(table.unit),
        str(table.relation),
        table.units,
        table.rows_per_unit,
        tuple(_column(spec) for spec in table.columns.values()),
    )


def _column(spec: ColumnSpec) -> ColumnInfo:
    bounds = ""
    if isinstance(spec.bounds, Interval):
        bounds = f"{exact_text(spec.bounds.low)}..{exact_text(spec.bounds.high)}"
    elif isinstance(spec.bounds, Dates):
        bounds = f"{spec.bounds.low}..{spec.bounds.high}"
    match spec.keys:
        case ListedKeys(values, other):
            shown = ", ".join(str(value) for value in values[:8]) + (" …" if len(values) > 8 else "")
            keys = f"keys {shown}{', other' if other else ''}"
        case RangeKeys(low, high):
            keys = f"keys {low}..{high}"
        case PrivateKeys():
            keys = "private keys"
        case None:
            keys = ""
    allows = ["WHERE", "COUNT"]
    if isinstance(spec.bounds, Interval) or spec.type == "boolean":
        allows += ["SUM", "AVG"]
    if (
        isinstance(spec.keys, (ListedKeys, RangeKeys))
        or spec.type == "boolean"
        or (spec.bounds and spec.type in ("integer", "date"))
    ):
        allows.append("GROUP BY")
    null = "" if spec.null is None else exact_text(spec.null)
    return ColumnInfo(spec.name, str(spec.type), bounds, keys, null, ", ".join(allows))
