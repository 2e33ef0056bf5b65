"""Pauses of tables and analysts. Whether a question fails may depend on the rows, so each failure waits for the steward.

One failure pauses the analyst on the tables that were read; three failed analysts pause the table itself, so a single
analyst cannot block a table for others. Failures are counted per table (analysts) and per pair of table and analyst
(questions). Failures before lapcat 0.2 name no analyst: three of them pause a table.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from lapcat.errors import Refused
from lapcat.ledger.base import FAILURES_ALLOWED, Charge
from lapcat.ledger.store import Connection, SelectReader
from lapcat.stored.scopes import Scope

AFTER_FAILURES = f"after {FAILURES_ALLOWED} failed questions"
_ONE_MORE = (
    "INSERT INTO failures (scope, count) VALUES (?, 1) "
    "ON CONFLICT (scope) DO UPDATE SET count = failures.count + 1"
)
_NONE = "INSERT INTO failures (scope, count) VALUES (?, 0) ON CONFLICT (scope) DO UPDATE SET count = 0"


def pair(table: str, analyst: str | None) -> str:
    """The key of one analyst's failures on one table. It cannot collide with the name of a table or budget."""
    return json.dumps([table, analyst], ensure_ascii=False)


def count_failure(connection: Connection, table: str, analyst: str | None) -> None:
    if not failures_of(connection, pair(table, analyst)):
        connection.execute(_ONE_MORE, (table,))
    connection.execute(_ONE_MORE, (pair(table, analyst),))


def forget_failures(connection: Connection, table: str) -> None:
    """Resets the failures of all analysts on a table."""
    for analyst in failed_analysts(connection, table):
        connection.execute(_NONE, (pair(table, analyst),))
    connection.execute(_NONE, (table,))


def forget_failures_of(connection: Connection, table: str, analyst: str) -> None:
    if failures_of(connection, pair(table, analyst)):
        connection.execute(_NONE, (pair(table, analyst),))
        connection.execute("UPDATE failures SET count = count - 1 WHERE scope = ?", (table,))


def failures_of(connection: SelectReader, scope: str) -> int:
    """Failures since the last resume: number of analysts for a table, number of questions for a pair."""
    row = connection.execute("SELECT count FROM failures WHERE scope = ?", (scope,)).fetchone()
    return 0 if row is None else int(row[0])


def failed_analysts(connection: SelectReader, table: str) -> list[str | None]:
    """The analysts paused on a table; None stands for unnamed ones."""
    rows = connection.execute("SELECT scope FROM failures WHERE count > 0 ORDER BY scope", ()).fetchall()
    pairs = (json.loads(scope) for (scope,) in rows if scope.startswith("["))
    return [analyst for of, analyst in pairs if of == table]


def why_paused(connection: SelectReader, table: str) -> str | None:
    """Why a table is paused for everybody, phrased to follow "is paused"; None if it is not."""
    row = connection.execute("SELECT reason FROM pauses WHERE scope = ?", (table,)).fetchone()
    if row is not None:
        return f"by the steward: {row[0]}"
    return AFTER_FAILURES if failures_of(connection, table) >= FAILURES_ALLOWED else None


def why_paused_for(connection: SelectReader, table: str, analyst: str | None) -> str | None:
    """The same for one analyst, who may be paused individually."""
    because = why_paused(connection, table)
    if because is None and failures_of(connection, pair(table, analyst)):
        return "after a failed question" if analyst is None else f"for {analyst} after a failed question"
    return because


def refuse_paused(
    connection: SelectReader, tables: Sequence[str], charges: Sequence[Charge], analyst: str | None
) -> None:
    for table in tables:
        because = why_paused_for(connection, table, analyst)
        if because is None:
            continue
        name = _called(table, charges)
        what, why = f"{name} is paused {because}", "nothing was spent"
        if not because.startswith("by the steward"):
            why = f"whether a question fails may depend on the rows, so failures are limited; {why}"
        if why_paused(connection, table) is None and analyst is not None:
            raise Refused("analyst-paused", what, why=why, fix=_way_out(name, analyst))
        raise Refused("table-paused", what, why=why, fix=_way_out(name))


def _way_out(table: str, analyst: str | None = None) -> str:
    whom = "" if analyst is None else f" --analyst {shlex.quote(analyst)}"
    return f'the steward investigates, then runs: lapcat resume {table}{whom} --reason "what was wrong"'


def _called(table: str, charges: Sequence[Charge]) -> str:
    """Display name of the table of a scope, from its own charge or from that of one of its blocks."""
    source = Scope.read(table).name
    for charge in charges:
        scope = Scope.read(charge.scope, [source])
        if scope.is_of(source) and scope.analyst is None:
            return charge.table or charge.name
    return source
