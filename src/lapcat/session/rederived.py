"""Confirms the unsigned receipt of an answer from cache by deriving it again.

The entries prove the debits, but not that this question follows from them. So the question is parsed with the current
catalogue, and must follow from the entries that the receipt names. Nothing is charged.
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
_NOTES = frozenset({"bounds"})
"""Fields in words. All parameters have fields of their own."""
_VERSION = re.compile(r"[0-9]+(\.[0-9a-z]+)*")


def require_rederived(
    receipt: Mapping[str, object], entries: Sequence[int], deployment: Deployment
) -> tuple[str, ...]:
    """Raises unless the receipt's fields follow from these entries; UNSAFE and the entries themselves are checked before.

    Returns the fields that could not be compared: notes that another version of lapcat wrote in its own words.
    """
    question = receipt.get("question")
    if not isinstance(question, str):
        raise _unconfirmed("question")
    try:
        context = _context(question, deployment)
        prepared = context.prepared()
    except Error as error:
        raise _unconfirmed("question", error.code) from None
    expected = describe_sources(context, prepared)
    written, unread = receipt.get("lapcat"), frozenset[str]()
    if isinstance(written, str) and _VERSION.fullmatch(written) and written != expected["lapcat"]:
        expected["lapcat"], unread = written, _NOTES & set(receipt)
    for key in [*expected, *(key for key in receipt if key not in _BESIDE)]:
        if key in unread:
            continue
        if key not in receipt or key not in expected or not is_same(receipt[key], expected[key]):
            raise _unconfirmed(key)
    for cryptographic in (True, False):
        plans = derivations(
            prepared,
            lambda statistics: [
                answer
                for answer in deployment.ledger.find_cached_answers(statistics, None)
                if answer.id in entries
            ],
            cryptographic,
        )
        if any(plan.entries == tuple(entries) for plan in plans):
            return tuple(sorted(unread))
    raise _unconfirmed("derived_from")


def _context(question: str, deployment: Deployment) -> QueryContext:
    return QueryContext(
        deployment,
        None,
        question,
        lambda: understand(
            question, deployment.catalogue, deployment.scan, deployment.public, deployment.today
        ),
        whole_table,
        None,
    )


def _unconfirmed(key: str, code: str = "") -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-derived",
        f"the ledger does not confirm what this receipt says: {key!a:.60}{f' ({code})' if code else ''}",
        why="an unsigned answer from cache is derived again with the current catalogue, and this one does not follow: "
        "the receipt was changed, or the catalogue or the data version has changed since",
        fix="ask the question again without a price: it is free and has a new receipt",
    )
