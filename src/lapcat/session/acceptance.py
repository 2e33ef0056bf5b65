"""The facts of a catalogue that the ledger must have accepted: all that the privacy guarantee depends on.

A budget, unit, relation, limit, key list or bound that differs from the last acceptance is refused until the steward accepts
the change with a reason: a cap cannot be raised by merely editing a file.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from lapcat.core.exact import exact_text
from lapcat.errors import IntegrityFailed
from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits
from lapcat.plan.schema import NO_WITNESS, Catalogue, PublicTable, SpendingLimit, Table
from lapcat.stored.declarations import kept

FORGOTTEN = "forgotten"
"""The fact that lists the accounts given up."""
NOBODY: Mapping[str, Mapping[str, str]] = MappingProxyType({})
WITNESS = "ledger.witness"
"""The fact that names the witness."""
LIMIT_KEYS = frozenset(key for key, _ in kept(SpendingLimit()))


def facts_of(
    catalogue: Catalogue,
    places: Mapping[str, str],
    accepted: Mapping[str, object] | None,
    booked: Mapping[str, str],
    forgotten: Mapping[str, Mapping[str, str]] = NOBODY,
) -> dict[str, object]:
    """The accepted facts of a catalogue as JSON. The ledger's place and the engine's settings are not among them, but the witness
    is: without it, replacing the ledger by an older copy would go undetected.

    `places` holds the actual place of each table's source. Spending is recorded under an account name that does not change when
    the source or the ledger is moved: `books` records permanently the account of each place, `protects` the privacy unit of
    each account, and `forgotten` the accounts that the steward gave up.
    """
    books, protects, gone = (_part(accepted, key) for key in ("books", "protects", FORGOTTEN))
    gone |= {account: dict(details) for account, details in forgotten.items()}
    return {
        "tables": {
            name: {**_declared(table, places[name]), "booked_as": booked[name]}
            for name, table in sorted(catalogue.tables.items())
        },
        "public": {
            name: {**_declared(table, places[name]), "booked_as": booked[name]}
            for name, table in sorted(catalogue.public.items())
        },
        "populations": {name: _json(limit) for name, limit in sorted(catalogue.populations.items())},
        "analysts": {name: _json(analyst) for name, analyst in sorted(catalogue.analysts.items())},
        "books": {**books, **{places[name]: booked[name] for name in places}},
        "protects": {
            **protects,
            **{booked[n]: protected(t) for n, t in catalogue.everything.items()},
        },
        **({} if (witness := elsewhere(catalogue.witness)) is None else {WITNESS: witness}),
        **({} if not (limits := _limits(catalogue.limits)) else {"limits": limits}),
        **({FORGOTTEN: gone} if gone else {}),
    }


def forgotten_in(accepted: Mapping[str, object] | None) -> dict[str, dict[str, str]]:
    """The accounts that the steward gave up: the table's name, the amount spent, and the reason."""
    return {
        account: {str(key): str(value) for key, value in _object(details).items()}
        for account, details in _part(accepted, FORGOTTEN).items()
    }


def lost_accounts(accepted: Mapping[str, object] | None, booked: Mapping[str, str]) -> dict[str, str]:
    """Account → the last name of its table, for every account that no table of the catalogue uses and that was not given up."""
    tables = {str(_object(facts).get("booked_as")): name for name, facts in _part(accepted, "tables").items()}
    accounts = {str(account) for account in _part(accepted, "books").values()}
    given_up = {*booked.values(), *forgotten_in(accepted)}
    return {account: tables.get(account, account) for account in sorted(accounts - given_up)}


def known_accounts(accepted: Mapping[str, object] | None) -> set[str]:
    return {str(account) for account in _part(accepted, "books").values()}


def _limits(limits: WorkLimits) -> dict[str, object]:
    """The limits that differ from the defaults, so that the acceptance in an older ledger implies the defaults."""
    usual = dict(kept(DEFAULT_LIMITS))
    return {key: _json(held) for key, held in kept(limits) if held != usual[key]}


def _declared(table: Table | PublicTable, place: str) -> dict[str, object]:
    """The declared facts of a table. A server's address may contain a user name, so it is replaced by the place."""
    facts = {**_object(_json(table)), "place": place}
    return {**facts, "source": place} if "://" in table.source else facts


def accounts_of(places: Mapping[str, str], accepted: Mapping[str, object] | None) -> dict[str, str]:
    """The account of each table: the name under which its spending is recorded.

    A known place keeps its account, whatever the table's name: spending follows the source. A table whose source moved to an
    unknown place keeps its account. Any other table is new, and its account is its place.
    """
    books, tables = _part(accepted, "books"), {**_part(accepted, "public"), **_part(accepted, "tables")}
    accounts = {}
    for name, place in places.items():
        moved = _object(tables.get(name, {})).get("booked_as", place)
        accounts[name] = str(books.get(place, place if place in books.values() else moved))
    return accounts


def protected(table: Table | PublicTable) -> list[str]:
    """The privacy unit and the neighbouring relation: losses add up only if these are the same."""
    if isinstance(table, PublicTable):
        return ["nobody", "public"]
    unit = table.unit
    way = "" if unit.through is None else f" through {'.'.join(unit.through)}"
    who = ["row" if unit.is_row else f"column {unit.column}{way}", str(table.relation)]
    if table.blocks is None:
        return who
    return [*who, f"in blocks by {table.blocks.column} ({table.columns[table.blocks.column].type})"]


def differences(accepted: Mapping[str, object], proposed: Mapping[str, object]) -> list[str]:
    """The differences between the accepted and the proposed facts, one sentence each."""
    derived = ("books", "protects", FORGOTTEN)
    old, new = ({k: v for k, v in facts.items() if k not in derived} for facts in (accepted, proposed))
    return _differ(old, new, ())


def require_unchanged(changes: Sequence[str], *, in_python: bool = False) -> None:
    """Raises if a file, or a call of `lapcat.table`, differs from the accepted facts."""
    if not changes:
        return
    listed = "\n    ".join([*changes[:20], *([f"and {len(changes) - 20} more"] if len(changes) > 20 else [])])
    fix = 'review the change, then run: lapcat accept --reason "why"'
    if in_python:
        fix = 'use the accepted arguments; or start a new budget, in addition to the old one: ledger="another file"'
    raise IntegrityFailed(
        "catalogue-unaccepted",
        f"the {'declaration' if in_python else 'catalogue'} changed since it was last accepted:\n    {listed}",
        why="the privacy guarantee depends on these declarations, so a change must be accepted with a reason",
        fix=fix,
    )


def require_witness(accepted: Mapping[str, object], witness: str | None) -> None:
    """Raises if a file drops the accepted witness or names another. Adding a first witness is allowed."""
    if accepted.get(WITNESS) is not None:
        require_unchanged(_differ(accepted[WITNESS], elsewhere(witness), (WITNESS,)))


def elsewhere(witness: str | None) -> str | None:
    """The witness file that a catalogue names, which must be accepted; None for the default witness or none."""
    return None if witness == NO_WITNESS else witness


def _differ(old: object, new: object, path: tuple[str, ...]) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        if old != new and {*old, *new} >= LIMIT_KEYS:
            return [f"{_what(path)}: accepted {_limit(old)}, the file says {_limit(new)}{_way(old, new)}"]
        changes: list[str] = []
        for key in sorted({*old, *new}):
            changes += _differ(old.get(key), new.get(key), (*path, str(key)))
        return changes
    if old == new:
        return []
    if isinstance(old, list) and isinstance(new, list):
        return [f"{_what(path)}: {_changed(old, new)}"]
    return [f"{_what(path)}: accepted {_short(old)}, the file says {_short(new)}"]


def _what(path: tuple[str, ...]) -> str:
    """The fact at a path, in words.

    >>> _what(("tables", "staff", "columns", "age", "bounds", "high"))
    'column age of staff, high'
    """
    match path:
        case ["tables", table, "limit"]:
            return f"the budget of {table}"
        case ["populations", name]:
            return f"the budget of the population {name}"
        case ["analysts", analyst, "tables", table]:
            return f"the budget of {analyst} on {table}"
        case ["tables" | "public", table, "columns", column, *rest]:
            return ", ".join([f"column {column} of {table}", *_key(rest)])
        case ["tables" | "public", table, *rest]:
            return ", ".join([f"table {table}", *_key(rest)])
    return " ".join(path)


def _key(path: list[str]) -> list[str]:
    """The key of the catalogue at the end of a path: `bounds.high` is high, `keys.values` keys."""
    plain = [part for part in path if part not in ("bounds", "values")] or path[:1]
    return [" ".join(plain)] if plain else []


def _changed(old: list[object], new: list[object]) -> str:
    added, gone = [v for v in new if v not in old], [v for v in old if v not in new]
    parts = [f"{how} {_short(values)}" for how, values in (("added", added), ("removed", gone)) if values]
    return ", ".join(parts) or "in another order"


def _limit(limit: Mapping[str, object]) -> str:
    """`epsilon 3 and delta 1e-7, at most 0.5 for one question`."""
    text = " and ".join(
        f"{kind} {limit[kind]}" for kind in ("epsilon", "rho", "delta") if limit.get(kind) not in (None, "0")
    )
    if limit.get("per_query") is not None:
        text += f", at most {limit['per_query']} for one question"
    if limit.get("i_understand") is not None:
        text += f', understood as "{_short(limit["i_understand"])}"'
    return text


def _way(old: Mapping[str, object], new: Mapping[str, object]) -> str:
    """Whether a changed limit was raised or lowered; empty if both or neither."""
    pairs = [(old.get(kind), new.get(kind)) for kind in ("epsilon", "rho", "delta", "per_query")]
    changed = [(a, b) for a, b in pairs if a != b]
    if not changed or any(a is None or b is None for a, b in changed):
        return ""
    more = {Fraction(str(b)) > Fraction(str(a)) for a, b in changed}
    return "" if len(more) > 1 else " (raised)" if more == {True} else " (lowered)"


def _part(facts: Mapping[str, object] | None, key: str) -> dict[str, object]:
    return _object(facts.get(key, {})) if facts is not None else {}


def _object(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, Mapping) else {}


def _short(value: object) -> str:
    text = _plain(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _plain(value: object) -> str:
    """A fact in words: `type integer, low 0, high 109`; lists by commas.

    >>> _plain({"type": "integer", "bounds": {"low": "0", "high": "109"}, "unique": False, "null": None})
    'type integer, low 0, high 109'
    """
    if value in (None, {}, []):
        return "nothing"
    match value:
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(map(_plain, value))
        case dict():
            parts = [
                _plain(item) if isinstance(item, dict) else f"{key} {_plain(item)}"
                for key, item in value.items()
                if item not in (None, False, {}, [])
            ]
            return ", ".join(parts)
    return str(value)


def _json(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {key: _json(held) for key, held in kept(value)}
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, Fraction):
        return exact_text(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value
