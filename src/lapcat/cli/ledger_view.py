"""Terminal output of the ledger: history in words, accounts by theorem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from lapcat.cli.budgets import loss_parts
from lapcat.cli.layout import LayoutColumn, table, total_width
from lapcat.cli.screen import Line as Shown
from lapcat.cli.screen import Screen, StyledText, visible
from lapcat.stored.scopes import Scope, ScopeKind

if TYPE_CHECKING:
    from lapcat.ledger.history import HistoryLine
    from lapcat.ledger.reaccounting import Account

MIN_WHAT = 20
"""Minimum width of the description column."""


class Names:
    """Table names of the last accepted catalogue, by the source under which spending is recorded."""

    def __init__(self, facts: Mapping[str, object]) -> None:
        self._facts = facts
        self.booked: dict[str, str] = {}
        """Table → the name under which its spending is recorded."""
        for kind in ("tables", "public"):
            for name, declared in _mapping(facts.get(kind)).items():
                self.booked[name] = str(_mapping(declared).get("booked_as", name))

    def table(self, source: str) -> str:
        """The table whose spending is recorded under a source."""
        return next((name for name, booked in self.booked.items() if booked == source), source)

    def read(self, scope: str) -> Scope:
        return Scope.read(scope, set(self.booked.values()))

    def scope(self, text: str) -> str:
        """`staff`, `visits 2024-01`, `population people`, `ana on staff`."""
        scope = self.read(text)
        if scope.kind is ScopeKind.POPULATION:
            return f"population {scope.name}"
        who = "" if scope.analyst is None else f"{scope.analyst} on "
        return who + self.table(scope.name) + ("" if scope.block is None else f" {scope.block}")

    def tables(self, line: HistoryLine) -> list[str]:
        """The tables that an entry concerns."""
        scopes = map(self.read, line.scopes)
        return sorted({self.table(scope.name) for scope in scopes if scope.kind is ScopeKind.TABLE})

    def cap(self, text: str) -> str | None:
        """`epsilon 3`, as last accepted; None if it is no longer declared."""
        scope = self.read(text)
        if scope.kind is ScopeKind.POPULATION:
            limit = _mapping(self._facts.get("populations")).get(scope.name)
        elif scope.analyst is not None:
            own = _mapping(_mapping(_mapping(self._facts.get("analysts")).get(scope.analyst)).get("tables"))
            limit = own.get(self.table(scope.name))
        else:
            declared = _mapping(_mapping(self._facts.get("tables")).get(self.table(scope.name)))
            limit = declared.get("limit")
        amounts = _mapping(limit)
        parts = [
            f"{kind} {amounts[kind]}"
            for kind in ("epsilon", "rho", "delta")
            if amounts.get(kind) not in (None, "0")
        ]
        return " and ".join(parts) or None


def words(line: HistoryLine, names: Names) -> str:
    """A description of an entry; for a debit, its question."""
    body = line.body
    debit, reason = body.get("debit"), body.get("reason")
    because = f": {reason}" if isinstance(reason, str) else ""
    match line.entry.kind:
        case "debit":
            asked = line.debit.memo.get("question") if line.debit is not None else None
            return " ".join(str(asked or "a question").split())
        case "share":
            return f"received the answer of entry {debit}"
        case "failed":
            return f"the question of entry {debit} failed{_whom(body, ' for ')}"
        case "void":
            return f"voided entry {debit}{because}"
        case "refresh":
            return f"{names.table(str(body.get('source')))}: version {body.get('version')}{_again(body)}"
        case "begin":
            return f"started in place of a lost ledger{_known(body.get('before'))}{because}"
        case "adopt":
            return f"continued after entry {body.get('last')} without the lost entries{_known(body.get('known'))}{because}"
        case "accept":
            return f"accepted the catalogue{because}"
        case "pause" | "resume" as verb:
            return f"{verb}d {names.scope(str(body.get('table')))}{_whom(body, ' for ')}{because}"
        case "checkpoint":
            return "signed all entries before this one"
        case kind:
            return f"{kind}{because}"


def _again(body: Mapping[str, object]) -> str:
    """A note for a version whose snapshot was written after it was declared."""
    memo = body.get("memo")
    if not isinstance(memo, dict) or not memo.get("same_version"):
        return ""
    return f", its missing snapshot: {memo.get('reason')}"


def _whom(body: Mapping[str, object], before: str) -> str:
    """The analyst of an entry, if any."""
    analyst = body.get("analyst")
    return f"{before}{analyst}" if isinstance(analyst, str) else ""


def _known(head: object) -> str:
    id = _mapping(head).get("id")
    return f" (the witness had seen entry {id})" if isinstance(id, int) and id > 0 else ""


def cost_of(line: HistoryLine, *, drawn: bool) -> str:
    return "" if line.event is None else loss_parts(line.event.loss, drawn=drawn)


def history_lines(lines: Sequence[HistoryLine], names: Names, screen: Screen) -> list[Shown]:
    """One line per entry; on a terminal the description is cut to fit."""
    columns = [
        LayoutColumn("id", [str(line.entry.id) for line in lines], right=True, style="bold"),
        LayoutColumn("time (UTC)", [_minutes(line.time) for line in lines]),
        LayoutColumn("who", [visible(line.analyst or "") for line in lines]),
        LayoutColumn("what", []),
        LayoutColumn("cost", [cost_of(line, drawn=screen.drawn) for line in lines]),
        LayoutColumn("state", [line.state for line in lines]),
    ]
    descriptions = [visible(words(line, names)) for line in lines]
    if screen.wrapping_width is not None:
        if total_width(columns) + MIN_WHAT > screen.width:
            columns[1] = LayoutColumn("day", [_minutes(line.time)[:10] for line in lines])
        room = max(MIN_WHAT, screen.width - total_width(columns) + len("what"))
        descriptions = [text if len(text) <= room else text[: room - 1] + "…" for text in descriptions]
    columns[3] = LayoutColumn("what", descriptions)
    return table(columns, screen.wrapping_width, keys=1)


def line_json(line: HistoryLine, names: Names) -> dict[str, object]:
    from lapcat.session.results import loss_json

    return {
        "id": line.entry.id,
        "kind": line.entry.kind,
        "time": line.time,
        "analyst": line.analyst,
        "tables": names.tables(line),
        "what": words(line, names),
        "cost": None if line.event is None else loss_json(line.event.loss),
        "state": line.state or None,
        "hash": line.entry.hash,
    }


def account_lines(accounts: Sequence[Account], names: Names, screen: Screen) -> list[Shown]:
    """For each budget the figure by each theorem, and when it holds."""
    epsilon, delta = ("ε", "δ") if screen.drawn else ("epsilon", "delta")
    rows: list[tuple[str, str, str, str, str, str]] = []
    for account in accounts:
        first = (account.name, str(account.many))
        for quote in account.quotes:
            figures = f"{float(quote.epsilon):.6g}", f"{float(quote.delta):.3g}"
            rows.append(
                (*first, quote.accountant, *figures, "if fixed beforehand" if quote.caveat else "always")
            )
            first = ("", "")
        if not account.quotes:
            rows.append((*first, "none", "-", "-", f"their own {delta} add up to {float(account.needs):.3g}"))
        cap = names.cap(account.scope)
        if cap is not None:
            rows.append(("", "", "the cap", cap.removeprefix("epsilon "), "", "always: the guarantee"))
    heads = ("budget", "questions", "by", epsilon, delta, "holds")
    columns = [
        LayoutColumn(head, [visible(row[place]) for row in rows], style="bold" if place == 0 else "")
        for place, head in enumerate(heads)
    ]
    footer = (
        "",
        " if fixed beforehand: valid only if these questions were fixed beforehand and",
        " none was chosen because of an earlier answer. The guarantee is the cap.",
        " The figures of a table cover all analysts together.",
    )
    return [*table(columns, screen.wrapping_width, keys=3), *([StyledText(line, "dim")] for line in footer)]


def worth(caveat: str) -> str:
    return "if these questions had been fixed beforehand" if caveat else "however they were chosen"


def account_json(account: Account, names: Names) -> dict[str, object]:
    from lapcat.core.exact import exact_text

    return {
        "scope": account.scope,
        "name": account.name,
        "questions": account.many,
        "cap": names.cap(account.scope),
        "quotes": [
            {
                "by": quote.accountant,
                "epsilon": exact_text(quote.epsilon),
                "delta": exact_text(quote.delta),
                "theorem": quote.theorem,
                "source": quote.source,
                "holds": worth(quote.caveat),
            }
            for quote in account.quotes
        ],
    }


def _minutes(time: str | None) -> str:
    """`2026-11-16 06:33`."""
    try:
        return f"{datetime.fromisoformat(time or ''):%Y-%m-%d %H:%M}"
    except ValueError:
        return ""


def _mapping(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, Mapping) else {}
