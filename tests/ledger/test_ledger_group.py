"""Works that share a transaction do what they would do one after the other, and write the same book."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_kit import STAFF, ask, keyed, laplace, own, table

from lapcat.core.exact import exact
from lapcat.errors import Error
from lapcat.ledger import Charge, SQLiteLedger, SQLLedger
from lapcat.ledger.base import IdempotencyKey, Request
from lapcat.ledger.chain import canonical, follow
from lapcat.ledger.fixed_point import NOTHING, cost_of
from lapcat.ledger.group_commit import PendingWork
from lapcat.ledger.payload_codec import Draft, read_debit
from lapcat.ledger.prices import price_of
from lapcat.plan.cached_statistics import Content, KeyContent
from lapcat.plan.schema import SpendingLimit

LIMIT = SpendingLimit(epsilon=exact("1.5"), delta=exact("0.002"))
Act = Callable[[SQLLedger], object]


def requests() -> st.SearchStrategy[Request]:
    prices = st.sampled_from([laplace("0.1"), laplace("0.5"), laplace("1/3"), keyed("0.5", 60)])
    keys = st.sampled_from(
        [None, None, None, IdempotencyKey("monday", "this"), IdempotencyKey("monday", "that")]
    )

    def made(question: str, price: Any, analyst: str | None, key: IdempotencyKey | None) -> Request:
        charges = (table(LIMIT), *((own(analyst, LIMIT),) if analyst else ()))
        content = Content((f"count of {question}", "rows"), (), ((),))
        return replace(ask(question, price, *charges, analyst=analyst), key=key, content=content)

    return st.builds(made, st.sampled_from("abcdefgh"), prices, st.sampled_from([None, "ana", "bob"]), keys)


def acts() -> st.SearchStrategy[tuple[str, Act]]:
    """What threads may do at the same time; all of them know the debits of before."""
    ids = st.integers(1, 3)
    debits = requests().map(
        lambda request: (f"debit {request.question}", lambda ledger: ledger.debit(request))
    )
    others = st.one_of(
        ids.map(lambda id: (f"looked {id}", lambda ledger: ledger.executing(id))),
        ids.map(lambda id: (f"answered {id}", lambda ledger: ledger.answered(id, b"42"))),
        ids.map(lambda id: (f"failed {id}", lambda ledger: ledger.failed(id))),
        ids.map(lambda id: (f"void {id}", lambda ledger: ledger.void(id, "why"))),
        ids.map(
            lambda id: (
                f"share {id}",
                lambda ledger: ledger.share([id], "bob", [own("bob", LIMIT)], [STAFF]),
            )
        ),
        st.just(("pause", lambda ledger: ledger.pause(STAFF, "why"))),
        st.just(("resume", lambda ledger: ledger.resume(STAFF, "why"))),
        st.just(("accept", lambda ledger: ledger.accept({"a": 1}, "why"))),
    )
    return st.integers(0, 3).flatmap(lambda which: others if which == 0 else debits)


def begun() -> SQLiteLedger:
    """A ledger with three debits, of which one is looked under and one is answered."""
    ledger = SQLiteLedger(clock=lambda: datetime(2024, 1, 1, tzinfo=UTC))
    for question in "axy":
        ledger.debit(ask(question, "0.2", table(LIMIT), own("ana", LIMIT), analyst="ana"))
    ledger.executing(2)
    ledger.executing(3)
    ledger.answered(3, b"43")
    return ledger


class Captured(Exception):
    """The work is kept instead of done."""


def together(
    ledger: SQLLedger, group: list[tuple[str, Act]], monkeypatch: pytest.MonkeyPatch
) -> list[object]:
    """Does all of them in one transaction; what each returned, or raised."""
    turns: list[PendingWork[Any]] = []

    def keep(work: Any, question: str | None = None) -> None:
        turns.append(PendingWork(work, question))
        raise Captured

    with monkeypatch.context() as patched:
        patched.setattr(ledger._store, "write", keep)
        for _, act in group:
            with pytest.raises(Captured):
                act(ledger)
    ledger._store._together([turns])  # type: ignore[attr-defined]
    return [told(lambda turn=turn: turn.result()[0]) for turn in turns]  # type: ignore[misc]


def told(act: Callable[[], object]) -> object:
    try:
        return act()
    except Error as error:
        return type(error), error.code, error.message


@settings(max_examples=150, deadline=None, derandomize=True)
@given(group=st.lists(acts(), min_size=2, max_size=9))
def test_a_group_does_what_its_works_would_do_one_after_the_other(group: list[tuple[str, Act]]) -> None:
    with begun() as reference, begun() as other, pytest.MonkeyPatch.context() as monkeypatch:
        expected = [told(lambda act=act: act(reference)) for _, act in group]  # type: ignore[misc]
        assert together(other, group, monkeypatch) == expected
        assert list(other.entries()) == list(reference.entries())
        assert other.verify() == reference.verify()


names = st.text(max_size=5)
scopes = st.lists(st.tuples(names, names, st.booleans()), min_size=1, max_size=3)
contents = st.none() | st.builds(
    Content,
    st.lists(names, max_size=2).map(tuple),
    st.lists(st.builds(KeyContent, names, st.none() | st.integers(0, 9), st.booleans()), max_size=2).map(
        tuple
    ),
    st.lists(st.lists(st.integers(0, 3), max_size=2).map(tuple), max_size=2).map(tuple),
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    scopes,
    names,
    st.none() | names,
    contents,
    st.dictionaries(names, st.none() | st.integers() | st.lists(names)),
    st.sampled_from([laplace("0.1"), laplace("1/3"), keyed("0.5")]),
)
def test_a_draft_is_the_canonical_text_of_what_is_read_back(
    charged: list[tuple[str, str, bool]],
    question: str,
    analyst: str | None,
    content: Content | None,
    memo: dict[str, object],
    event: Any,
) -> None:
    limit = SpendingLimit(epsilon=Fraction(3))
    charges = tuple(Charge(scope, name, limit, analyst=own) for scope, name, own in charged)
    request = Request(question, event, charges, (charges[0].scope,), memo, analyst, content)
    after = {scope: NOTHING + cost_of(event) for scope, _, _ in charged}
    text = Draft(request, "2024-01-01").text(after)
    assert text == canonical(json.loads(text))
    body = read_debit(follow((0, "0" * 64), "debit", text))
    assert (body.question, body.event, body.analyst, body.content) == (question, event, analyst, content)
    assert body.memo == memo and body.tables == request.tables
    assert body.charged == after == {scope: price_of(event).cost for scope in after}
