"""The public schema of a table, for analysts."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from lapcat.core.exact import exact_text
from lapcat.errors import harmless
from lapcat.plan.schema import (
    Bounds,
    ColumnSpec,
    Dates,
    ListedKeys,
    PrivateKeys,
    PublicTable,
    RangeKeys,
    Table,
)
from lapcat.plan.words import many_groups, many_rows

PUBLIC = "public"
"""The `relation` of a public table."""


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column and the operations it allows."""

    name: str
    type: str
    bounds: str
    keys: str
    null: str
    allows: str
    unique: str = ""

    @property
    def values(self) -> str:
        """Its possible values: bounds, keys, NULL and uniqueness."""
        null = f"NULL counts as {self.null}" if self.null else ""
        unique = f"unique {self.unique}".removesuffix(" yes") if self.unique else ""
        parts = [self.bounds, self.keys.removeprefix("keys "), null, unique]
        return "; ".join(part for part in parts if part)

    def as_json(self) -> dict[str, object]:
        return {field: getattr(self, field) or None for field in self.__slots__}


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table: its privacy unit, relation and columns."""

    name: str
    unit: str
    relation: str
    units: int | None
    rows_per_unit: int
    columns: tuple[ColumnInfo, ...]
    groups_per_unit: int | None = None
    population: str | None = None
    through: str | None = None
    """The table and column through which the unit is reached, if the table does not hold it itself."""
    blocks: str | None = None
    """The column that splits the table into blocks with separate budgets."""
    today: str | None = None
    """The date that CURRENT_DATE has in questions, if the steward gave one."""

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "unit": self.unit,
            "relation": self.relation,
            "units": self.units,
            "rows_per_unit": self.rows_per_unit,
            "groups_per_unit": self.groups_per_unit,
            "population": self.population,
            "through": self.through,
            "blocks": self.blocks,
            **({} if self.today is None else {"today": self.today}),
            "columns": [column.as_json() for column in self.columns],
        }

    @property
    def protects(self) -> str:
        """The privacy unit in words, on one line."""
        if self.relation == PUBLIC:
            return "nobody: it is public"
        if self.unit == "row":
            return "each row"
        people = f" of {self.population}" if self.population else ""
        groups = "" if self.groups_per_unit is None else f" and {many_groups(self.groups_per_unit)}"
        return f"each {self.unit}{people}, with at most {many_rows(self.rows_per_unit)}{groups}"

    @property
    def protects_how(self) -> str:
        """The same with the relation, the path to the unit and the blocks."""
        relation = "" if self.relation == PUBLIC else f" ({self.relation})"
        reached = f", reached through {self.through}" if self.through else ""
        blocks = f"; each {self.blocks} has its own budget" if self.blocks else ""
        today = f"; CURRENT_DATE is {self.today}" if self.today else ""
        return self.protects + relation + reached + blocks + today

    def __str__(self) -> str:
        lines = [f"{self.name}: protects {self.protects_how}"]
        for c in self.columns:
            line = "  ".join(part for part in (c.name, c.type, c.values, c.allows) if part)
            lines += wrap(line, 80, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
        return harmless("\n".join(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import schema_html

        return schema_html(self)


def describe_table(table: Table | PublicTable) -> TableInfo:
    """The schema of a table, from the catalogue alone; no row is read."""
    if isinstance(table, PublicTable):
        columns = tuple(_column(spec, table) for spec in table.columns.values())
        return TableInfo(table.name, "nobody", PUBLIC, None, 1, columns)
    return TableInfo(
        table.name,
        str(table.unit),
        str(table.relation),
        table.units,
        table.rows_per_unit,
        tuple(_column(spec, table) for spec in table.columns.values()),
        table.groups_per_unit,
        table.unit.of,
        None if table.unit.through is None else ".".join(table.unit.through),
        None if table.blocks is None else table.blocks.column,
    )


def _column(spec: ColumnSpec, table: Table | PublicTable) -> ColumnInfo:
    bounds = ""
    if isinstance(spec.bounds, Bounds):
        bounds = f"{exact_text(spec.bounds.low)}..{exact_text(spec.bounds.high)}"
    elif isinstance(spec.bounds, Dates):
        bounds = f"{spec.bounds.low}..{spec.bounds.high}"
    match spec.keys:
        case ListedKeys(values, other):
            shown = ", ".join(map(_shown, values[:8])) + (" …" if len(values) > 8 else "")
            keys = f"keys {shown}{', other' if other else ''}"
        case RangeKeys(low, high):
            keys = f"keys {low}..{high}"
        case PrivateKeys():
            keys = "private keys"
        case None:
            keys = ""
    allows = ["WHERE", "COUNT"]
    if isinstance(spec.bounds, Bounds) or spec.type == "boolean":
        allows += ["SUM", "AVG"]
    if (
        isinstance(spec.keys, (ListedKeys, RangeKeys))
        or spec.type == "boolean"
        or (spec.bounds and spec.type in ("integer", "date"))
    ):
        allows.append("GROUP BY")
    elif isinstance(spec.keys, PrivateKeys):
        allows.append("GROUP BY with delta")
    elif isinstance(spec.bounds, Dates):
        allows.append("GROUP BY DATE_TRUNC")
    null = "" if spec.null is None else exact_text(spec.null)
    key = next((key for key in table.unique or () if spec.name in key), ())
    if spec.unique or key or (isinstance(table, Table) and spec.name == table.unit.column):
        allows.append("JOIN")
    unique = "yes" if spec.unique else ""
    if key and not spec.unique:
        unique = f"with {', '.join(name for name in key if name != spec.name)}"
    return ColumnInfo(spec.name, str(spec.type), bounds, keys, null, ", ".join(allows), unique)


def _shown(value: object) -> str:
    """A key in a list, quoted if it contains a comma."""
    return f'"{value}"' if "," in str(value) else str(value)
