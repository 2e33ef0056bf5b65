"""CURRENT_DATE: the date that the steward gave with the version of the data, a constant of the question.

Never a clock, a file's time or the maximum of a column: a clock would make a repeated question a new one, and the others depend on
rows. NOW() and CURRENT_TIMESTAMP are midnight of that date.
"""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Callable

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.text import Text
from lapcat.plan.expressions import Literal
from lapcat.plan.schema import Catalogue, Table, Type

DateOf = Callable[[Table], datetime.date | None]
"""The date that the steward gave with the declared version of a table."""
Today = Callable[[exp.Expression], datetime.date]
"""The current date of a question, for the node that asks for it."""

_DATES = frozenset({"TODAY", "CURDATE", "SYSDATE", "GETDATE"})
_MOMENTS = frozenset({"NOW", "LOCALTIMESTAMP"})


def today_of(select: exp.Expression, text: Text, catalogue: Catalogue, date_of: DateOf) -> Today:
    """The current date of a question: that of every private table that it names."""

    def today(node: exp.Expression) -> datetime.date:
        named = {table.name.casefold() for table in select.find_all(exp.Table)}
        dates = {name: date_of(table) for name, table in catalogue.tables.items() if name.casefold() in named}
        missing = next((name for name, date in dates.items() if date is None), None)
        if missing is not None:
            command = f"lapcat refresh {shlex.quote(missing)} --today 2024-06-30"
            raise BadQuery(
                "today-missing",
                f"{text.quoted(node)} is the date that the steward gives with the data, and {missing} has none",
                why="a clock would make every repeated question a new one, and a date among the rows is somebody's",
                fix=text.declaring.argument('today="2024-06-30"') if catalogue.in_python else command,
                place=text.place(node),
            )
        given = {date for date in dates.values() if date is not None}
        if len(given) != 1:
            raise BadQuery(
                "today-differs",
                f"{text.quoted(node)} is not one date: {', '.join(f'{date} for {name}' for name, date in dates.items())}",
                why="the question reads several tables, and the steward gave them different dates",
                fix=f"DATE '{max(given)}', or another date that you mean" if given else "DATE '2024-06-30'",
                place=text.place(node),
            )
        return given.pop()

    return today


def current_moment(text: Text, node: exp.Expression) -> Literal | None:
    """CURRENT_DATE, NOW() and their names in other tools as a constant; None for anything else."""
    name = str(node.this).upper() if isinstance(node, exp.Anonymous) and not node.expressions else ""
    if isinstance(node, exp.CurrentDate) or name in _DATES:
        return Literal(_today(text, node), Type.DATE)
    if isinstance(node, exp.CurrentTimestamp) or name in _MOMENTS:
        return Literal(datetime.datetime.combine(_today(text, node), datetime.time()), Type.TIMESTAMP)
    return None


def _today(text: Text, node: exp.Expression) -> datetime.date:
    zone = None if isinstance(node, exp.Anonymous) else node.args.get("this")
    if text.today is None or zone is not None:
        raise text.unsupported(node, text.quoted(node), "CURRENT_DATE in a question about a table")
    return text.today(node)
