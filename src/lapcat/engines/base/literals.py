"""Fixture rows as literals in a statement, for conformance tests. No table is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lapcat.engines.base.words import SQL, cast, column, constant, name, named, select
from lapcat.plan.schema import SQL_TYPES, Type, Value


def literal_rows(rows: Sequence[Mapping[str, Value | None]], types: Mapping[str, Type]) -> SQL:
    """Rows as a FROM clause, with the declared types of their columns."""

    def cell(value: Value | None) -> SQL:
        return exp.Null() if value is None else constant(value)

    tuples = [exp.Tuple(expressions=[cell(row[label]) for label in types]) for row in rows]
    alias = exp.TableAlias(this=name("made_up"), columns=[name(label) for label in types])
    cells = exp.Values(expressions=tuples, alias=alias)
    typed = [named(cast(column(label), SQL_TYPES[kind]), label) for label, kind in types.items()]
    return after_from(select(*typed, source=cells))


def after_from(rows: exp.Select) -> SQL:
    """A statement as a sub-query for FROM."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=name("made_up_rows")))
