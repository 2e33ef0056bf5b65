"""Receipts: what was released and under which guarantee, verifiable with the public key.

A receipt holds the debit's ledger entry, the contents of that entry as separate fields, the digest of the noisy numbers
released, and a signature over all of it (the canonical JSON without `signature`). All of it comes from the ledger, so a
repeated question has the same receipt, byte for byte. It depends on the data only through the released numbers: it holds
no execution time, no size and no digest of rows.

It names the analyst who asked first and the totals of the debited budgets at that time, also if the answer is now given to
another analyst.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.answers import is_cryptographic
from lapcat.core.exact import exact_text
from lapcat.errors import Error, IntegrityFailed
from lapcat.ledger.base import Entry, Spent
from lapcat.ledger.chain import Head, damaged, entry_hash, payload_of
from lapcat.ledger.payload_codec import digest, read_after
from lapcat.ledger.signing import Signer, is_signed
from lapcat.ledger.witness import rolled_back
from lapcat.stored.json_once import read_json

Fields = dict[str, object]

UNSAFE = "the noise came from seeded coins: for tests only, it protects nobody"
_PROOF = {"answer", "entry"}
_SEAL = {"public_key", "signature"}
_MARK = "UNSAFE"


@dataclass(frozen=True, slots=True)
class Proved:
    """A debit's entry and the answer that was released under it."""

    entry: Entry
    answer: bytes

    def proof(self) -> Fields:
        """The fields that a verifier needs: the entry, to recompute its hash, and the answer's digest."""
        return {"answer": digest(self.answer), "entry": entry_json(self.entry)}


def entry_json(entry: Entry) -> Fields:
    return {
        "id": entry.id,
        "kind": entry.kind,
        "text": entry.text,
        "previous": entry.previous,
        "hash": entry.hash,
    }


def receipt_fields_of(entry: Entry) -> Fields:
    """The receipt fields that follow from the entry."""
    match payload_of(entry):
        case {"question": str(question), "memo": dict(memo), "charges": list(charges)}:
            pass
        case _:
            raise damaged(entry.id, "is not a debit that lapcat wrote")
    spent = [
        {"scope": scope, "name": name, **_spent_json(Spent.of(after))}
        for scope, (name, after) in read_after(entry, charges).items()
    ]
    return {
        "id": entry.id,
        "hash": entry.hash,
        **memo,
        "identity": question,
        **({"spent": spent} if spent else {}),
    }


def receipt_of(paid: Proved, more: Mapping[str, object], signer: Signer | None) -> Fields:
    """The receipt of an answer with its own debit."""
    return _signed({**receipt_fields_of(paid.entry), **more, **paid.proof()}, signer)


def derived_receipt(
    fields: Mapping[str, object], sources: Sequence[tuple[Fields, Proved]], signer: Signer | None
) -> Fields:
    """The receipt of an answer from cache; each source answer has its own proof."""
    derived_from = [{**source, **paid.proof()} for source, paid in sources]
    last = sources[-1][1].entry
    return _signed({"id": last.id, "hash": last.hash, **fields, "derived_from": derived_from}, signer)


def _signed(fields: Fields, signer: Signer | None) -> Fields:
    if signer is None:
        return {**fields, "public_key": None, "signature": None}
    named = {**fields, "public_key": signer.public}
    return {**named, "signature": signer.sign(named)}


# -------------------------------------------------------------------------------------------- verifying


def read_receipt(text: str) -> Fields:
    """The receipt in a JSON text; duplicate keys are refused, because readers could disagree on which one counts."""
    try:
        receipt = read_json(text)
    except ValueError:
        receipt = None
    if not isinstance(receipt, dict) or not {"id", "hash", "signature"} <= set(receipt):
        raise _unreadable("it is not a receipt that lapcat wrote")
    return receipt


def check_receipt(receipt: Mapping[str, object], trusted: Sequence[str] | None) -> tuple[Entry, ...]:
    """The entries that a receipt proves; raises, naming what was forged.

    trusted: the trusted public keys, or None for a ledger without a key: then only consistency is checked.
    """
    entries = _entries(receipt)
    public, signature = receipt.get("public_key"), receipt.get("signature")
    if trusted is None:
        for key in _SEAL:
            if receipt.get(key) is not None:
                raise _mismatch("does not match the ledger, which has no key", key)
        return entries
    if public is None or signature is None:
        raise IntegrityFailed(
            "receipt-unsigned",
            "this receipt is not signed",
            why="anybody could have written it; a ledger with a key signs its receipts",
            fix="ask for the receipt again; without a key, compare it with the ledger: --ledger lapcat.toml",
        )
    if public not in trusted:
        raise IntegrityFailed(
            "receipt-key",
            f"this receipt is signed by another key ({str(public)[:8]}…)",
            why="only receipts signed by the given key are trusted",
            fix="--key FILE with the public key of the deployment that gave you the receipt (lapcat.pub)",
        )
    unsigned = {key: value for key, value in receipt.items() if key != "signature"}
    if not is_signed(unsigned, signature, public):
        raise IntegrityFailed(
            "receipt-signature",
            "the signature does not match the contents of this receipt",
            why="something in it was changed after it was signed",
            fix="ask for the receipt again: the same question is free, and has the same receipt",
        )
    return entries


def check_in_ledger(
    receipt: Mapping[str, object],
    head: Head,
    entry_of: Callable[[int], Entry | None],
    answer_of: Callable[[int], bytes | None],
) -> tuple[Entry, ...]:
    """The entries of a receipt, each of which must be in the ledger with its answer: a receipt is a witness too."""
    entries = _entries(receipt)
    derived = receipt.get("derived_from")
    parts = derived if isinstance(derived, list) else [receipt]
    cryptographic = True
    for entry, part in zip(entries, parts, strict=True):
        if entry.id > head[0]:
            raise rolled_back(
                f"the ledger ends with entry {head[0]}, and this receipt is for entry {entry.id}",
                "the receipt",
            )
        if entry_of(entry.id) != entry:
            raise rolled_back(f"entry {entry.id} of the ledger is not the one of this receipt", "the receipt")
        stored = answer_of(entry.id)
        if stored is None or part.get("answer") != digest(stored):
            raise IntegrityFailed(
                "receipt-answer",
                f"the answer of entry {entry.id} in the ledger does not match this receipt",
                why="the receipt holds the digest of the released numbers, and the ledger stores other numbers",
                fix="lapcat ledger verify shows whether the ledger was changed; if it is intact, the receipt was",
            )
        cryptographic = cryptographic and is_cryptographic(stored.partition(b"\n")[0])
    if (_MARK in receipt) == cryptographic:
        raise _mismatch("does not match the answers in the ledger", _MARK)
    return entries


def _entries(receipt: Mapping[str, object]) -> tuple[Entry, ...]:
    """The entries in a receipt, each checked against its hash and against the receipt's fields."""
    derived = receipt.get("derived_from")
    if derived is None:
        entry = _entry(receipt.get("entry"))
        expected = _expected(entry)
        _require_same(receipt, expected, entry)
        _require_known(receipt, {*expected, *_PROOF, *_SEAL, _MARK})
        return (entry,)
    if not isinstance(derived, list) or not derived:
        raise _unreadable("it does not name its sources")
    entries = []
    for source in derived:
        entry = _entry(source.get("entry") if isinstance(source, dict) else None)
        expected = _expected(entry)
        shown = {key: expected.get(key) for key in ("id", "hash", "guarantee")}
        _require_same(source, shown, entry)
        _require_known(source, {*shown, *_PROOF})
        entries.append(entry)
    _require_same(receipt, {"id": entries[-1].id, "hash": entries[-1].hash}, entries[-1])
    return tuple(entries)


def _entry(value: object) -> Entry:
    match value:
        case {
            "id": int(id),
            "kind": str(kind),
            "text": str(text),
            "previous": str(previous),
            "hash": str(hash),
            **more,
        } if not more and type(id) is int:
            entry = Entry(id, kind, text, previous, hash)
        case _:
            raise _unreadable("it holds no ledger entry")
    if entry.hash != entry_hash(id, kind, text, previous):
        raise IntegrityFailed(
            "receipt-entry",
            f"entry {id} in this receipt was changed: its hash does not match its text",
            why="an entry's hash is computed from its number, kind, text and the previous entry's hash",
            fix="ask for the receipt again: the same question is free, and has the same receipt",
        )
    if kind != "debit":
        raise _unreadable(f"its entry {id} is no debit")
    return entry


def _expected(entry: Entry) -> Fields:
    try:
        return receipt_fields_of(entry)
    except Error:
        raise _unreadable(f"its entry {entry.id} is no debit that lapcat wrote") from None


def _require_same(fields: Mapping[str, object], expected: Mapping[str, object], entry: Entry) -> None:
    for key, value in expected.items():
        if key not in fields or not is_same(fields[key], value):
            raise _mismatch(f"does not match its entry {entry.id}", key)


def _require_known(fields: Mapping[str, object], known: set[str]) -> None:
    """Refuses unknown fields: a reader would take them as verified."""
    for key in fields:
        if key not in known:
            raise _mismatch("is not one that lapcat writes", key)
    if _MARK in fields and fields[_MARK] != UNSAFE:
        raise _mismatch("is not the one that lapcat writes", _MARK)


def is_same(left: object, right: object) -> bool:
    """Whether two values are the same JSON (in Python True == 1 == 1.0)."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _mismatch(how: str, key: str) -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-fields",
        f"a field of this receipt {how}: {key!a:.60}",
        why="a receipt states exactly what its ledger entry states",
        fix="ask for the receipt again: the same question is free, and has the same receipt",
    )


def _spent_json(spent: Spent) -> dict[str, str | None]:
    def text(amount: Fraction | None) -> str | None:
        return None if amount is None else exact_text(amount)

    return {"epsilon": text(spent.epsilon), "delta": text(spent.delta), "rho": text(spent.rho)}


def _unreadable(what: str) -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-unreadable",
        f"this receipt cannot be checked: {what}",
        fix='to write a receipt: lapcat ask "SELECT …" --epsilon 0.1 --receipt receipt.json',
    )
