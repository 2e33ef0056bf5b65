"""Declarations that error messages propose: lines of lapcat.toml, or arguments of `lapcat.table`.

LOW, HIGH and … are placeholders: bounds and keys come from public knowledge, never from rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from lapcat.plan.schema import Type
from lapcat.plan.words import toml_key


@dataclass(frozen=True, slots=True)
class Declaring:
    """Where the tables of a question are declared."""

    in_python: bool = False

    @property
    def place(self) -> str:
        return "lapcat.table" if self.in_python else "lapcat.toml"

    def argument(self, argument: str) -> str:
        """An argument of the call that made the table.

        >>> Declaring(in_python=True).argument("rows_per_unit=10")
        'lapcat.table(..., rows_per_unit=10)'
        """
        return f"lapcat.table(..., {argument})"

    def column(self, table: str, column: str, facts: str) -> str:
        """The line of a column."""
        return f"{toml_key(column)} = {{ {facts} }} under [tables.{table}.columns]"

    def bounds(
        self, table: str, column: str, kind: Type, low: str | None = None, high: str | None = None
    ) -> str:
        """The bounds of a column.

        >>> print(Declaring().bounds("staff", "age", Type.INTEGER))
        age = { type = "integer", low = LOW, high = HIGH } under [tables.staff.columns]
        >>> print(Declaring(in_python=True).bounds("data", "age", Type.INTEGER))
        lapcat.table(..., bounds={'age': (LOW, HIGH)})
        """
        low, high = low or "LOW", high or "HIGH"
        if self.in_python:
            return self.argument(f"bounds={{{column!r}: ({low}, {high})}}")
        return self.column(table, column, f'type = "{kind}", low = {low}, high = {high}')

    def keys(self, table: str, column: str, kind: Type) -> str:
        """The public values of a column.

        >>> print(Declaring().keys("staff", "name", Type.TEXT))
        name = { type = "text", keys = ["…"] } under [tables.staff.columns]
        """
        if self.in_python:
            return self.argument(f'keys={{{column!r}: ["…"]}}')
        return self.column(table, column, f'type = "{kind}", keys = ["…"]')

    def private_keys(self, table: str, column: str, kind: Type) -> str:
        """Groups of a column by a threshold.

        >>> print(Declaring().private_keys("staff", "city", Type.TEXT))
        city = { type = "text", keys = "private" } under [tables.staff.columns]
        """
        if self.in_python:
            return self.argument(f"keys={{{column!r}: 'private'}}")
        return self.column(table, column, f'type = "{kind}", keys = "private"')


IN_THE_CATALOGUE = Declaring()
