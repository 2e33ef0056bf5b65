"""Whether the ledger confirms a receipt of an answer that follows from others, where no key signed it.

The entries prove what was paid for, and not that this question follows from them. So it is derived again: the question is
understood by the catalogue as it is now, and must follow from the entries that the receipt names. Nothing is charged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lapcat.errors import Error, IntegrityFailed
from lapcat.frontend.sql import understand
from lapcat.ledger.receipts import is_same
from lapcat.session.answers_from_cache import describe_sources
from lapcat.session.cache_plan import derivations
from lapcat.session.deployment import Deployment
from lapcat.session.query_context import QueryContext, whole_table

_BESIDE = {"id", "hash", "derived_from", "public_key", "signature", "UNSAFE"}
_VERSION = re.compile(r"[0-9]+(\.[0-9a-z]+)*")


def require_rederived(receipt: Mapping[str, object], entries: Sequence[int], deployment: Deployment) -> None:
    """Raises where what the receipt says is not what these entries give; UNSAFE and the entries are checked before."""
    question = receipt.get("question")
    if not isinstance(question, str):
        raise _unconfirmed("question")
    try:
        context = _context(question, deployment)
        prepared = context.prepared()
    except Error as error:
        raise _unconfirmed("question", error.code) from None
    told = describe_sources(context, prepared)
    written = receipt.get("lapcat")
    if isinstance(written, str) and _VERSION.fullmatch(written):
        told["lapcat"] = written  # an earlier version gave the same receipt
    for key in [*told, *(key for key in receipt if key not in _BESIDE)]:
        if key not in receipt or key not in told or not is_same(receipt[key], told[key]):
            raise _unconfirmed(key)
    for cryptographic in (True, False):
        found = derivations(
            prepared,
            lambda statistics: [
                one for one in deployment.ledger.find_cached_answers(statistics, None) if one.id in entries
            ],
            cryptographic,
        )
        if any(one.entries == tuple(entries) for one in found):
            return
    raise _unconfirmed("derived_from")


def _context(question: str, deployment: Deployment) -> QueryContext:
    return QueryContext(
        deployment,
        None,
        question,
        lambda: understand(question, deployment.catalogue, deployment.scan, deployment.public),
        whole_table,
        None,
    )


def _unconfirmed(key: str, code: str = "") -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-derived",
        f"the ledger does not confirm what this receipt says: {key!a:.60}{f' ({code})' if code else ''}",
        why="without a key an answer from stored ones is derived again by the catalogue as it is now, and this one "
        "does not follow: the receipt was changed, or the catalogue or the version of the data was since",
        fix="ask the question again without a price: it is free, and has its receipt",
    )
