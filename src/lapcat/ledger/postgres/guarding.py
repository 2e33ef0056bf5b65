"""The triggers and functions of a ledger's schema: the server's and those of schema.py, in comparable form.

The server prints a trigger with other parentheses and capitals, and qualifies names depending on the search path; these are
normalized. It keeps a function's body unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lapcat.ledger.store import SelectReader

_TRIGGERS = """SELECT tgname, pg_get_triggerdef(pg_trigger.oid), tgenabled::text
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = to_regnamespace('lapcat') AND NOT tgisinternal"""
_FUNCTIONS = """SELECT proname, prosrc, lanname, prosecdef, proconfig IS NULL
    FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
    WHERE pronamespace = to_regnamespace('lapcat')"""
_FUNCTION = re.compile(
    r"FUNCTION lapcat\.(\w+)\(\) RETURNS trigger LANGUAGE (\w+) AS \$\$(.*)\$\$", re.DOTALL
)
_TRIGGER = re.compile(r"CREATE TRIGGER (\w+) ")


def guards_in(connection: SelectReader) -> dict[str, str]:
    """The guards on the server."""
    guards = {
        str(name): _plain(text) + ("" if enabled == "O" else ", switched off")
        for name, text, enabled in connection.execute(_TRIGGERS)
    }
    for name, body, language, definer, plain in connection.execute(_FUNCTIONS):
        guards[f"{name}()"] = f"{language}: {body}" + ("" if plain and not definer else ", with settings")
    return guards


def guards_of(schema: Sequence[str]) -> dict[str, str]:
    """The guards that the statements of a schema create."""
    made = {}
    for statement in schema:
        if function := _FUNCTION.search(statement):
            made[f"{function[1]}()"] = f"{function[2]}: {function[3]}"
        elif trigger := _TRIGGER.match(statement):
            made[trigger[1]] = _plain(statement)
    return made


def _plain(trigger: str) -> str:
    """
    >>> _plain("CREATE TRIGGER t BEFORE UPDATE ON lapcat.debits WHEN ((old.id > 0)) EXECUTE FUNCTION never('no')")
    "create trigger t before update on debits when old.id > 0 execute function never 'no'"
    """
    return " ".join(re.sub(r"[()]", " ", trigger.replace("lapcat.", "")).lower().split())
