"""Private estimation of bounds: a charged question whose result is proposed as a line of the catalogue.

A column's values are counted in public buckets that cover all numbers: between 0 and ±1, 2 and 5 times the powers of ten;
dates by year. The bounds are the outer edges of the buckets that are non-empty with high confidence. For rows_per_unit, units
are counted in buckets by their number of rows; the result is the edge of the bucket that covers 95 % of the units in non-empty
buckets. A quantile over 1 .. 10 000 would be no better than chance for few units: nearly all candidates lie beyond every
unit, and each is nearly as likely as the right one.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from lapcat.core.exact import exact_text
from lapcat.errors import BadQuery
from lapcat.frontend.words import identifier
from lapcat.plan.schema import ColumnSpec, Table, Type
from lapcat.session.question import Question
from lapcat.session.results import loss_json

if TYPE_CHECKING:
    from lapcat.plan.compile import Query
    from lapcat.session import Session
    from lapcat.session.results import Answer

MIN_POWER, MAX_POWER = -6, 15  # powers of ten of the smallest and the largest edge
SURE = Fraction(999, 1000)  # confidence that every bucket considered non-empty is
SHARE = Fraction(95, 100)  # of the units that rows_per_unit covers
ROW_EDGES = (*range(1, 6), 7, *(d * 10**p for p in (1, 2, 3) for d in (1, 2, 3, 5, 7)), 10_000)
ROWS = "rows_per_unit"


@dataclass(frozen=True, slots=True)
class ProposedBounds:
    """Proposed bounds, as TOML; for rows_per_unit only `high`; None if the noise hid every bucket."""

    table: str
    column: str
    type: str | None
    low: str | None
    high: str | None
    answer: Answer
    beyond: bool = False
    """Whether there is no proposal because every value lies beyond the outermost edge."""

    @property
    def heading(self) -> str:
        """The TOML table of the catalogue that the line belongs to."""
        return f"tables.{_toml(self.table)}" + ("" if self.column == ROWS else ".columns")

    @property
    def line(self) -> str | None:
        if self.high is None:
            return None
        if self.column == ROWS:
            return f"{ROWS} = {self.high}"
        return f'{_toml(self.column)} = {{ type = "{self.type}", low = {self.low}, high = {self.high} }}'

    def as_json(self) -> dict[str, object]:
        return {
            "table": self.table,
            "column": self.column,
            "low": self.low,
            "high": self.high,
            "heading": f"[{self.heading}]",
            "line": self.line,
            "cost": loss_json(self.answer.cost),
            "free": self.answer.free,
            "receipt": self.answer.receipt.as_json(),
            "budget": self.answer.budget.as_json(),
        }


def find_bounds(session: Session, place: str, epsilon: object) -> ProposedBounds:
    """Estimates bounds for TABLE.COLUMN, or TABLE.rows_per_unit, at this price."""
    table, column = _named(session, place)
    if column is None:
        return _rows_of_a_unit(session, table, epsilon)
    if column.type.is_number:
        edges = number_edges(whole=column.type is Type.INTEGER)
        return _outer(session, table, column, _by_edges(column.name, edges), edges, epsilon)
    if column.type in (Type.DATE, Type.TIMESTAMP):
        return _outer(session, table, column, f"YEAR({identifier(column.name)})", None, epsilon)
    raise BadQuery(
        "type-mismatch",
        f"{column.name} is a {column.type}, which has keys and no bounds",
        fix=f'{_toml(column.name)} = {{ type = "{column.type}", keys = ["…"] }} in lapcat.toml',
    )


def number_edges(*, whole: bool) -> tuple[Fraction, ...]:
    """0 and ±1, 2 and 5 times the powers of ten, in order.

    >>> [str(edge) for edge in number_edges(whole=True)[-3:]]
    ['1000000000000000', '2000000000000000', '5000000000000000']
    """
    powers = range(0 if whole else MIN_POWER, MAX_POWER + 1)
    above = [digit * Fraction(10) ** power for power in powers for digit in (1, 2, 5)]
    return (*(-edge for edge in reversed(above)), Fraction(0), *above)


def _by_edges(column: str, edges: Sequence[Fraction]) -> str:
    """A CASE expression that numbers the buckets between the edges, including the open ones at both ends."""
    name = identifier(column)
    tests = [f"WHEN {name} < {exact_text(edge)} THEN {number}" for number, edge in enumerate(edges)]
    return " ".join(["CASE", *tests, f"WHEN {name} >= {exact_text(edges[-1])} THEN {len(edges)} END"])


def _outer(
    session: Session,
    table: Table,
    column: ColumnSpec,
    place: str,
    edges: Sequence[Fraction] | None,
    epsilon: object,
) -> ProposedBounds:
    """The outer edges of the non-empty buckets, with simultaneous confidence SURE (union bound)."""
    buckets = 9999 if edges is None else len(edges) + 1
    text = f"SELECT {place} AS place, COUNT(*) AS n FROM {identifier(table.name)} GROUP BY 1"
    answer = _of_all_years(session, text).run(epsilon, confidence=1 - (1 - SURE) / buckets)
    held = [row["place"] for row in answer if row["n_low"] > 0]
    if not held:
        return ProposedBounds(table.name, column.name, str(column.type), None, None, answer)
    first, last = min(held), max(held)
    if edges is not None and (last == 0 or first == len(edges)):
        return ProposedBounds(table.name, column.name, str(column.type), None, None, answer, beyond=True)
    if edges is None:
        low, high = datetime.date(first, 1, 1).isoformat(), datetime.date(last, 12, 31).isoformat()
    else:  # bucket i lies below edge i; values beyond the outermost edge are clamped to it
        low, high = exact_text(edges[max(first - 1, 0)]), exact_text(edges[min(last, len(edges) - 1)])
    return ProposedBounds(table.name, column.name, str(column.type), low, high, answer)


def _of_all_years(session: Session, text: str) -> Question:
    """The question, without the objection that it has a group for each year of the calendar."""
    from lapcat.frontend.sql import understand

    deployment = session._deployment

    def asks() -> Query:
        asked = understand(text, deployment.catalogue, deployment.scan, deployment.public, deployment.today)
        return replace(asked, objection=None)

    return Question(deployment, session._analyst, text, asks)


def _rows_of_a_unit(session: Session, table: Table, epsilon: object) -> ProposedBounds:
    unit = table.unit.column
    if unit is None or table.unit.through is not None:
        raise BadQuery(
            "unit-column",
            f"no column of {table.name} holds its unit, so rows per unit cannot be counted",
            fix="name a table whose unit is one of its columns",
        )
    each = (
        f"SELECT {identifier(unit)}, COUNT(*) AS n FROM {identifier(table.name)} GROUP BY {identifier(unit)}"
    )
    tests = [f"WHEN n <= {edge} THEN {bucket}" for bucket, edge in enumerate(ROW_EDGES)]
    buckets = " ".join(["CASE", *tests, f"WHEN n > {ROW_EDGES[-1]} THEN {len(ROW_EDGES)} END"])
    text = f"SELECT {buckets} AS place, COUNT(*) AS units FROM ({each}) GROUP BY 1"
    answer = session.sql(text).run(epsilon, confidence=1 - (1 - SURE) / (len(ROW_EDGES) + 1))
    held = sorted((row["place"], row["units"]) for row in answer if row["units_low"] > 0)
    if not held:
        return ProposedBounds(table.name, ROWS, None, None, None, answer)
    reached = list(accumulate(units for _, units in held))
    enough = next(i for i, units in enumerate(reached) if units >= SHARE * reached[-1])
    return ProposedBounds(
        table.name, ROWS, None, None, str(ROW_EDGES[min(held[enough][0], len(ROW_EDGES) - 1)]), answer
    )


def _named(session: Session, place: str) -> tuple[Table, ColumnSpec | None]:
    name, dot, column = place.rpartition(".")
    tables = session.catalogue.tables
    if not dot or name not in tables:
        raise BadQuery(
            "unknown-table",
            f"{place!r} is not TABLE.COLUMN of a private table",
            fix=f"{next(iter(tables), 'staff')}.{next(iter(next(iter(tables.values())).columns), 'age')}",
        )
    if column == ROWS:
        return tables[name], None
    if column not in tables[name].columns:
        raise BadQuery(
            "unknown-column",
            f"no column {column!r} is declared in {name}",
            fix=f"one of: {', '.join(tables[name].columns)}, or {ROWS}",
        )
    return tables[name], tables[name].columns[column]


# ------------------------------------------------------------------------------------------------ the catalogue


def written_into(text: str, proposal: ProposedBounds) -> str | None:
    """The catalogue's text with the proposed bounds; None if its line cannot be changed safely.

    The result is parsed again: nothing but the bounds may have changed.
    """
    if proposal.high is None:
        return None
    wanted = tomllib.loads(text)
    table = wanted.get("tables", {}).get(proposal.table, {})
    if proposal.column == ROWS:
        table[ROWS] = int(proposal.high)
    else:
        spec = table.get("columns", {}).get(proposal.column)
        if not isinstance(spec, dict):
            return None
        spec |= tomllib.loads(f"low = {proposal.low}\nhigh = {proposal.high}")
    changed = _changed(text, proposal)
    try:
        return changed if changed is not None and tomllib.loads(changed) == wanted else None
    except tomllib.TOMLDecodeError:
        return None


def _changed(text: str, proposal: ProposedBounds) -> str | None:
    lines = text.splitlines(keepends=True)
    inside = False
    name = re.escape(_toml(ROWS if proposal.column == ROWS else proposal.column))
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            inside = line.strip().split("#")[0].strip() == f"[{proposal.heading}]"
        elif inside and re.match(rf"\s*{name}\s*=", line):
            lines[number] = _with_bounds(line, proposal)
            return "".join(lines)
    return None


def _with_bounds(line: str, proposal: ProposedBounds) -> str:
    if proposal.column == ROWS:
        return re.sub(r"=\s*\d+", f"= {proposal.high}", line, count=1)
    for end, value in (("low", proposal.low), ("high", proposal.high)):
        line, changed = re.subn(rf"\b{end}\s*=\s*[^,}}\s]+", f"{end} = {value}", line, count=1)
        if not changed:
            line = re.sub(r"\s*,?\s*\}", f", {end} = {value} }}", line, count=1).replace("{,", "{")
    return line


def _toml(name: str) -> str:
    """A name as a TOML key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else '"' + name.replace('"', '\\"') + '"'
