"""A receipt proves an entry with the public key alone; every kind of forgery has its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_kit import Place, Rows, asked, forge, made
from ledger_kit import ask, finish, own, raw, table

from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.chain import entry_hash
from lapcat.ledger.payload_codec import digest
from lapcat.ledger.receipts import (
    UNSAFE,
    Proved,
    check_in_ledger,
    check_receipt,
    derived_receipt,
    read_receipt,
    receipt_of,
)
from lapcat.ledger.signing import Signer, open_signer

Receipt = dict[str, Any]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return made(tmp_path)


def receipt_in(ledger: SQLiteLedger, id: int) -> Receipt:
    return receipt_of(Proved(*ledger.paid(id)), {}, ledger.signer)


def copied(receipt: Receipt) -> Receipt:
    """As it is read from a file."""
    return read_receipt(json.dumps(receipt, indent=2, ensure_ascii=False))


def refused(act: Callable[[], object], code: str) -> IntegrityFailed:
    try:
        act()
    except IntegrityFailed as error:
        assert error.code == code and error.fix, error
        return error
    raise AssertionError(f"assert that {code} is raised: it passed")


def test_a_receipt_says_what_was_asked_what_it_cost_and_what_was_spent_by_then(place: Place) -> None:
    with place.open() as ledger:
        asked(ledger, "a", "b")
        id = asked(ledger, "c")[0]
        document = receipt_in(ledger, id)
        entry, answer = ledger.paid(id)
    assert (document["id"], document["hash"], document["question"], document["identity"]) == (
        id,
        entry.hash,
        "c",
        "c",
    )
    assert document["answer"] == digest(answer) and document["entry"]["text"] == entry.text
    assert document.get("spent") == [
        {"scope": "table:staff.parquet", "name": "staff", "epsilon": "0.03", "delta": "0", "rho": "0.00015"},
        {
            "scope": "analyst:ana@staff.parquet",
            "name": "ana on staff",
            "epsilon": "0.03",
            "delta": "0",
            "rho": "0.00015",
        },
    ]
    assert check_receipt(copied(document), (place.signer().public,)) == (entry,)


def test_a_receipt_is_the_same_bytes_for_ever(place: Place) -> None:
    with place.open() as ledger:
        id = asked(ledger, "a")[0]
        first = json.dumps(receipt_in(ledger, id))
        asked(ledger, "b", "c")
        asked(ledger, "a", analyst="bob")  # who pays for it too, and sees who asked first
        assert json.dumps(receipt_in(ledger, id)) == first
    with place.open() as ledger:
        assert json.dumps(receipt_in(ledger, id)) == first


def test_what_was_spent_is_written_into_every_charge_and_is_checked(place: Place) -> None:
    with place.open(signed=False, witnessed=False) as ledger:
        asked(ledger, "a", "b")
        asked(ledger, "a", analyst="bob")
        (entry,) = [entry for entry in ledger.entries() if entry.kind == "share"]
        (charge,) = json.loads(entry.text)["charges"]
        assert charge["after"] == {"epsilon": 10_000_000, "delta": 0, "rho": 50_000_000}

    def larger(rows: Rows) -> Rows:
        return [
            (
                id,
                kind,
                body.replace(
                    '"after":{"delta":0,"epsilon":20000000', '"after":{"delta":0,"epsilon":20000001'
                ),
            )
            for id, kind, body in rows
        ]

    forge(place.ledger, larger)
    with place.open(signed=False, witnessed=False) as ledger:
        error = refused(ledger.verify, "ledger-damaged")
        assert "entry 4 of the ledger records a total" in error.message


def test_a_receipt_without_a_key_says_that_it_is_unsigned(place: Place) -> None:
    with place.open(signed=False) as ledger:
        id = asked(ledger, "a")[0]
        document = copied(receipt_in(ledger, id))
        assert document["signature"] is None and document["public_key"] is None
        refused(lambda: check_receipt(document, (place.signer().public,)), "receipt-unsigned")
        assert check_receipt(document, None) == check_in_ledger(
            document, ledger.head(), ledger.entry, ledger.answer
        )


def changed(key: str, value: object) -> Callable[[Receipt], object]:
    return lambda receipt: receipt.update({key: value})


def in_entry(key: str, value: object) -> Callable[[Receipt], object]:
    return lambda receipt: receipt["entry"].update({key: value})


def cheaper(receipt: Receipt) -> None:
    """The text, with the hash computed again."""
    entry = receipt["entry"]
    entry["text"] = entry["text"].replace('"guarantee":{"epsilon":"0.01"}', '"guarantee":{"epsilon":"9"}')
    entry["hash"] = receipt["hash"] = entry_hash(entry["id"], entry["kind"], entry["text"], entry["previous"])


FORGERIES: dict[str, tuple[str, Callable[[Receipt], object]]] = {
    "another question": ("receipt-fields", changed("question", "SELECT 1")),
    "another guarantee": ("receipt-fields", changed("guarantee", {"epsilon": "0.001"})),
    "another identity": ("receipt-fields", changed("identity", "0" * 64)),
    "another sum": ("receipt-fields", lambda receipt: receipt["spent"][0].update(epsilon="0")),
    "a field left out": ("receipt-fields", lambda receipt: receipt.pop("guarantee")),
    "the sums left out": ("receipt-fields", lambda receipt: receipt.pop("spent")),
    "another number": ("receipt-fields", changed("id", 99)),
    "another hash": ("receipt-fields", changed("hash", "0" * 64)),
    "another text": ("receipt-entry", lambda r: r["entry"].update(text=r["entry"]["text"].replace("ana", "bob"))),
    "another number of the entry": ("receipt-entry", in_entry("id", 99)),
    "another entry before": ("receipt-entry", in_entry("previous", "0" * 63 + "1")),
    "another hash of the entry": ("receipt-entry", in_entry("hash", "0" * 64)),
    "another kind": ("receipt-entry", in_entry("kind", "accept")),
    "an entry with a new hash": ("receipt-fields", cheaper),
    "another answer": ("receipt-signature", changed("answer", "0" * 64)),
    "something added": ("receipt-fields", changed("note", "certified")),
    "something added to the entry": ("receipt-unreadable", in_entry("note", "certified")),
    "a mark of tests": ("receipt-signature", changed("UNSAFE", UNSAFE)),
    "another mark": ("receipt-fields", changed("UNSAFE", "certified")),
    "a number that is a truth": ("receipt-unreadable", in_entry("id", True)),
    "a number with a point": ("receipt-fields", lambda receipt: receipt.update(id=float(receipt["id"]))),
    "another signature": ("receipt-signature", changed("signature", "0" * 128)),
    "no signature": ("receipt-unsigned", changed("signature", None)),
    "no key": ("receipt-unsigned", changed("public_key", None)),
    "no entry": ("receipt-unreadable", lambda receipt: receipt.pop("entry")),
    "half an entry": ("receipt-unreadable", lambda receipt: receipt["entry"].pop("text")),
    "derived from nothing": ("receipt-unreadable", changed("derived_from", [])),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES)
def test_every_kind_of_forgery_is_named(place: Place, forgery: str) -> None:
    code, change = FORGERIES[forgery]
    with place.open() as ledger:
        id = ledger.debit(
            replace(
                ask("a", "0.01", table(), own("ana", "2"), analyst="ana"),
                memo={"question": "a", "guarantee": {"epsilon": "0.01"}},
            )
        ).id
        finish(ledger, id)
        receipt = copied(receipt_in(ledger, id))
    trusted = (place.signer().public,)
    check_receipt(receipt, trusted)
    change(receipt)
    refused(lambda: check_receipt(receipt, trusted), code)


UNSIGNED: dict[str, tuple[str, Callable[[Receipt], object]]] = {
    "another answer": ("receipt-answer", changed("answer", "0" * 64)),
    "no answer": ("receipt-answer", lambda receipt: receipt.pop("answer")),
    "something added": ("receipt-fields", changed("result", "42 people")),
    "a mark of tests": ("receipt-fields", changed("UNSAFE", UNSAFE)),
    "a signature": ("receipt-fields", changed("signature", "0" * 128)),
    "a key": ("receipt-fields", changed("public_key", "0" * 64)),
}


@pytest.mark.parametrize("forgery", UNSIGNED)
def test_a_ledger_without_a_key_finds_every_kind_of_forgery(place: Place, forgery: str) -> None:
    code, change = UNSIGNED[forgery]
    with place.open(signed=False) as ledger:
        receipt = copied(receipt_in(ledger, asked(ledger, "a", "b")[0]))

        def check() -> None:
            check_receipt(receipt, None)
            check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer)

        check()
        change(receipt)
        refused(check, code)


def test_an_answer_of_seeded_coins_is_not_confirmed_without_its_mark(place: Place) -> None:
    with place.open(signed=False) as ledger:
        id = ledger.debit(ask("a", "0.01", table())).id
        finish(ledger, id, b"lapcat-cells 1 1 1 UNSAFE\n42")
        for marked in ({"UNSAFE": UNSAFE}, {}):
            receipt = copied(receipt_of(Proved(*ledger.paid(id)), marked, None))
            check = lambda: check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer)  # noqa: B023, E731
            if marked:
                check()
            else:
                refused(check, "receipt-fields")


def test_a_forgery_that_was_signed_anew_has_another_key(place: Place) -> None:
    with place.open() as ledger:
        id = asked(ledger, "a")[0]
        proved = Proved(*ledger.paid(id))
    other = open_signer(place.folder / "other" / "key", place.folder / "other.pub", place.ledger.parent)
    forged = receipt_of(proved, {"UNSAFE": UNSAFE}, other)
    check_receipt(forged, (other.public,))
    error = refused(lambda: check_receipt(forged, (place.signer().public,)), "receipt-key")
    assert other.public[:8] in error.message
    forged["public_key"] = place.signer().public
    refused(lambda: check_receipt(forged, (place.signer().public,)), "receipt-signature")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        '{"id": 1}',
        '{"id": 1, "id": 2, "hash": "", "signature": null}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_receipt_is_named(text: str) -> None:
    refused(lambda: read_receipt(text), "receipt-unreadable")


@pytest.mark.parametrize(
    "body", ["{}", "[]", "no json", '{"question": "q", "memo": {}, "charges": [{"after": 1}]}',
             '{"question": "q", "memo": {}, "charges": [{"scope": "s", "name": "n", "after": '
             '{"epsilon": -1, "delta": 0, "rho": 0}}]}']
)  # fmt: skip
def test_an_entry_that_lapcat_did_not_write_is_no_receipt(place: Place, body: str) -> None:
    hash = entry_hash(1, "debit", body, "0" * 64)
    entry = {"id": 1, "kind": "debit", "text": body, "previous": "0" * 64, "hash": hash}
    receipt = _signed({"id": 1, "hash": hash, "entry": entry}, place.signer())
    refused(lambda: check_receipt(receipt, (place.signer().public,)), "receipt-unreadable")


def _signed(fields: Receipt, signer: Signer) -> Receipt:
    named = {**fields, "public_key": signer.public}
    return {**named, "signature": signer.sign(named)}


def test_a_receipt_is_a_witness_too(place: Place) -> None:
    with place.open() as ledger:
        first, second = asked(ledger, "a", "b")
        receipts = [copied(receipt_in(ledger, id)) for id in (first, second)]
        for receipt in receipts:
            check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer)
    forge(place.ledger, lambda rows: rows[:3])
    with place.open(signed=False, witnessed=False) as ledger:
        check_in_ledger(receipts[0], ledger.head(), ledger.entry, ledger.answer)
        error = refused(
            lambda: check_in_ledger(receipts[1], ledger.head(), ledger.entry, ledger.answer),
            "ledger-rolled-back",
        )
        assert "ends with entry 3" in error.message
        ledger.accept({}, "the same number, but another entry")
        error = refused(
            lambda: check_in_ledger(receipts[1], ledger.head(), ledger.entry, ledger.answer),
            "ledger-rolled-back",
        )
        assert "entry 4 of the ledger is not the one" in error.message


def test_a_derived_receipt_proves_every_entry_it_follows_from(place: Place) -> None:
    trusted = (place.signer().public,)
    with place.open() as ledger:
        ids = asked(ledger, "a", "b")
        sources = []
        for id in ids:
            proved = Proved(*ledger.paid(id))
            sources.append(({"id": id, "hash": proved.entry.hash, "guarantee": None}, proved))
        document = copied(derived_receipt({"question": "both"}, sources, ledger.signer))
    assert [entry.id for entry in check_receipt(document, trusted)] == ids
    assert (document["id"], document["hash"]) == (ids[-1], sources[-1][1].entry.hash)
    for change, code in (
        (lambda r: r["derived_from"][0].update(guarantee={"epsilon": "0"}), "receipt-fields"),
        (lambda r: r["derived_from"][0].update(note="certified"), "receipt-fields"),
        (lambda r: r["derived_from"][0]["entry"].update(text="{}"), "receipt-entry"),
        (lambda r: r["derived_from"].pop(), "receipt-fields"),
        (lambda r: r["derived_from"].pop(0), "receipt-signature"),
        (lambda r: r.update(question="another"), "receipt-signature"),
        (lambda r: r.update(derived_from="nothing"), "receipt-unreadable"),
    ):
        forged = json.loads(json.dumps(document))
        change(forged)
        refused(lambda forged=forged: check_receipt(forged, trusted), code)  # type: ignore[misc]


def test_a_receipt_notices_that_the_stored_answer_was_swapped(place: Place) -> None:
    with place.open() as ledger:
        ids = asked(ledger, "a", "b")
        receipt = copied(receipt_in(ledger, ids[0]))
        check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer)
    connection = raw(str(place.ledger))
    connection.execute(
        "UPDATE debits SET answer = (SELECT answer FROM debits WHERE id = ?) WHERE id = ?", ids[::-1]
    )
    connection.close()
    with place.open() as ledger:
        check = lambda: check_in_ledger(receipt, ledger.head(), ledger.entry, ledger.answer)  # noqa: E731
        assert f"answer of entry {ids[0]}" in refused(check, "receipt-answer").message
