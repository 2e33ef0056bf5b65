"""What `lapcat init` proposes for a source: column types and formats of numbers and dates, for the steward to confirm.

It uses only whether all cells of a column fit; no value is shown or stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lapcat.engines.base.snapshots import proposed_types
from lapcat.engines.base.sources import PLAIN, Source
from lapcat.engines.base.steward import guess_statement
from lapcat.engines.duckdb.cells import has_decimal_comma, read_cell
from lapcat.engines.duckdb.connection import DuckDBStatements
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.duckdb.sources import reading
from lapcat.plan.schema import ReadOptions, Type

KINDS = (Type.INTEGER, Type.FLOAT, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP)
DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%y")
TIMES = ("%H:%M:%S", "%H:%M")

Fitting = Sequence[tuple[ReadOptions, Type]]
"""The types that all cells of a column fit, each with its read options."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The types of the columns, and how the file is read."""

    types: Mapping[str, Type]
    read: ReadOptions = PLAIN
    repeated: int = 0
    """Number of columns with a cell equal to the name in the first line, which then is probably a row."""


def propose(source: Source, *, guess_forms: bool = True) -> Proposal:
    """Types from the schema; for a text file, the first type that fits all cells of a column in the declared formats or, with
    `guess_forms`, in common ones."""
    if not source.is_text:
        with reading(source) as (_, relation):
            return Proposal(proposed_types(relation.physical, DUCKDB))
    tried = _tried(source.read) if guess_forms else [(source.read, KINDS)]
    with reading(source) as (connection, relation):
        ways = [partial(read_cell, kind=kind, options=form) for form, kinds in tried for kind in kinds]
        guess = guess_statement(relation, [has_decimal_comma, *ways], DUCKDB, not source.read.names)
        counts = iter(DuckDBStatements().run(connection, lambda: connection.execute(guess).fetchall())[0])
    repeated, commas = 0, False
    fitting: dict[str, Fitting] = {}
    for name in relation.physical:
        filled, again, comma = next(counts), next(counts), next(counts)
        fits = [(form, kind) for form, kinds in tried for kind in kinds if next(counts) == filled > 0]
        fitting[name], repeated = fits, repeated + (again > 0)
        commas |= comma > 0 and any(form.decimal_separator == "," and kind.is_number for form, kind in fits)
    read = _chosen(source.read, commas, list(fitting.values()))
    return Proposal({name: _first(read, fits) for name, fits in fitting.items()}, read, repeated)


def _tried(declared: ReadOptions) -> list[tuple[ReadOptions, Sequence[Type]]]:
    """Read options to try: as declared; with decimal commas; with each date format if none is declared."""
    tried: list[tuple[ReadOptions, Sequence[Type]]] = [(declared, KINDS)]
    if declared.decimal_separator == ".":
        tried.append((replace(declared, decimal_separator=","), KINDS[:2]))
    if declared.dateformat is None:
        tried += [(replace(declared, dateformat=day), (Type.DATE,)) for day in DATES]
    if declared.timestampformat is None:
        moments = [f"{day} {time}" for day in DATES for time in TIMES]
        tried += [(replace(declared, timestampformat=moment), (Type.TIMESTAMP,)) for moment in moments]
    return tried


def _chosen(declared: ReadOptions, commas: bool, columns: Sequence[Fitting]) -> ReadOptions:
    """The formats that fit most of the columns that are text otherwise; none on a tie: 05/06 may be June or May."""
    read = replace(declared, decimal_separator=",") if commas else declared
    texts = [fits for fits in columns if not any(form == declared for form, _ in fits)]
    for key in ("dateformat", "timestampformat"):
        written = Counter(
            getattr(form, key) for fits in texts for form, _ in fits if getattr(form, key) is not None
        )
        first = written.most_common(2)
        if first and (len(first) == 1 or first[0][1] > first[1][1]):
            read = replace(read, **{key: first[0][0]})
    return read


def _first(read: ReadOptions, candidates: Fitting) -> Type:
    """The first type that all cells fit in the chosen formats."""
    decides = dict.fromkeys(KINDS[:2], "decimal_separator") | {
        Type.DATE: "dateformat",
        Type.TIMESTAMP: "timestampformat",
    }
    fits = {
        kind
        for form, kind in candidates
        if kind not in decides or getattr(form, decides[kind]) == getattr(read, decides[kind])
    }
    return next((kind for kind in KINDS if kind in fits), Type.TEXT)
