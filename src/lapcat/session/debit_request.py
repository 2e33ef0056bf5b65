"""The debit request of a priced question, and the receipt fields of the tables it reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

from lapcat.errors import BadArgument
from lapcat.ledger.base import IdempotencyKey, Request
from lapcat.ledger.chain import canonical
from lapcat.plan.compile import Prepared, Program
from lapcat.plan.nodes import Public, private_scans, scan_of, scans_of
from lapcat.session.query_context import QueryContext
from lapcat.session.results import loss_json
from lapcat.session.strategies import content_held
from lapcat.workload.strategic import strategy_in

LONGEST_KEY = 200


def request_of(
    context: QueryContext, program: Program, more: Mapping[str, object] = MappingProxyType({})
) -> Request:
    """The debit request of a program; `more` is added to its memo."""
    tables = context.tables(program.prepared)
    charges = context.charges(program.prepared)
    strategy = strategy_in(program)
    memo: dict[str, object] = {
        "question": context.text,
        **sources_of(context, program.prepared),
        "relation": str(scan_of(program.plan).relation),
        "guarantee": loss_json(program.loss),
        "measurements": program.event.as_json(),
        **({} if strategy is None else {"strategy": strategy.name}),
        "bounds": list(program.prepared.asked.notes),
        **more,
        "engine": context.deployment.engine_name,
        "lapcat": context.deployment.version,
    }
    scopes = tuple(dict.fromkeys(map(context.deployment.scope, tables)))
    return Request(
        context.identity(program.prepared),
        program.event,
        charges,
        scopes,
        memo,
        context.analyst,
        content_held(program),
        accepted=context.deployment.accepted,
    )


def sources_of(context: QueryContext, prepared: Prepared) -> dict[str, object]:
    """The receipt fields of the tables read: flat for one table, a list for several."""
    blocks = context.blocks(prepared)
    private = [
        {
            "table": scan.table,
            "source": scan.source,
            "version": scan.version,
            "unit": str(scan.unit),
            **({} if scan.unit.of is None else {"population": scan.unit.of}),
            "rows_per_unit": scan.rows_per_unit,
            **({"blocks": list(blocks[scan.table])} if scan.table in blocks else {}),
        }
        for scan in private_scans(prepared.plan)
    ]
    public = [
        {"table": scan.table, "source": scan.source, "version": scan.version}
        for scan in dict.fromkeys(scans_of(prepared.plan))
        if isinstance(scan, Public)
    ]
    fields: dict[str, object] = dict(private[0]) if len(private) == 1 else {"tables": private}
    return {**fields, "public": public} if public else fields


def key_of(context: QueryContext, name: str, *price: object) -> IdempotencyKey:
    """The idempotency key of this question at this price, which includes the error target and confidence."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_KEY or not name.isprintable():
        raise BadArgument(
            "request-key",
            f"a key is a text of 1 to {LONGEST_KEY} printable characters, not {name!r:.60}",
            fix='key="monday-report-1"',
        )
    asked = [context.identity(context.prepared()), *(None if part is None else str(part) for part in price)]
    return IdempotencyKey(name, hashlib.sha256(canonical(asked).encode()).hexdigest())
