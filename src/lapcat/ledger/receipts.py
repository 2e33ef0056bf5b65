"""Receipts: what was released, under which guarantee, in a form that anybody can check who has the public key.

A receipt holds the debit's entry as it stands in the book, what that entry says in fields of its own, the digest of the
noisy numbers that were released, and a signature over all of it (the canonical JSON without `signature`). All of it
comes from the book, so a repeated question has the same receipt, byte for byte. It holds nothing that depends on the
data but by the released numbers: no time of the look, no size, no digest of rows.

It names who asked first, and what the debited budgets had spent by then: a receipt of an answer that somebody else paid
for says so too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.answers import is_cryptographic
from lapcat.core.exact import exact_text
from lapcat.core.json_once import read_json
from lapcat.errors import Error, IntegrityFailed
from lapcat.ledger.base import Entry, Spent
from lapcat.ledger.chain import Head, damaged, entry_hash, payload_of
from lapcat.ledger.payload_codec import digest, read_after
from lapcat.ledger.signing import Signer, is_signed
from lapcat.ledger.witness import rolled_back

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
        """What a verifier needs of it: the entry, so that its hash can be computed again, and the answer's digest."""
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
    """The fields of a receipt that its entry says."""
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
    """The receipt of an answer that was paid for."""
    return _signed({**receipt_fields_of(paid.entry), **more, **paid.proof()}, signer)


def derived_receipt(
    fields: Mapping[str, object], sources: Sequence[tuple[Fields, Proved]], signer: Signer | None
) -> Fields:
    """The receipt of an answer that follows from others, each of which is proved by itself."""
    derived_from = [{**said, **paid.proof()} for said, paid in sources]
    last = sources[-1][1].entry
    return _signed({"id": last.id, "hash": last.hash, **fields, "derived_from": derived_from}, signer)


def _signed(fields: Fields, signer: Signer | None) -> Fields:
    if signer is None:
        return {**fields, "public_key": None, "signature": None}
    named = {**fields, "public_key": signer.public}
    return {**named, "signature": signer.sign(named)}


# -------------------------------------------------------------------------------------------- verifying


def read_receipt(text: str) -> Fields:
    """The receipt in a file; a key that stands there twice could mean one thing to people and another to a program."""
    try:
        found = read_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not {"id", "hash", "signature"} <= set(found):
        raise _unreadable("it is not a receipt that lapcat wrote")
    return found


def check_receipt(receipt: Mapping[str, object], trusted: Sequence[str] | None) -> tuple[Entry, ...]:
    """The entries that a receipt proves; raises and says what was forged.

    trusted: the public keys to believe, or None where nothing signs: it must not contradict itself then.
    """
    entries = _entries(receipt)
    public, signature = receipt.get("public_key"), receipt.get("signature")
    if trusted is None:
        for key in _SEAL:
            if receipt.get(key) is not None:
                raise _otherwise("the ledger, which has no key", key)
        return entries
    if public is None or signature is None:
        raise IntegrityFailed(
            "receipt-unsigned",
            "this receipt is not signed",
            why="anybody could have written it; what a ledger with a key gives is signed",
            fix="ask for the receipt again; without a key, compare it with the ledger: --ledger lapcat.toml",
        )
    if public not in trusted:
        raise IntegrityFailed(
            "receipt-key",
            f"this receipt is signed by another key ({str(public)[:8]}…)",
            why="only what the holder of the given key signed is believed",
            fix="--key FILE with the public key of whoever gave you the receipt (lapcat.pub)",
        )
    unsigned = {key: value for key, value in receipt.items() if key != "signature"}
    if not is_signed(unsigned, signature, public):
        raise IntegrityFailed(
            "receipt-signature",
            "the signature of this receipt is not of what it says",
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
    """The entries of a receipt, each of which must be in the book with its answer: a receipt is a witness too."""
    entries = _entries(receipt)
    derived = receipt.get("derived_from")
    parts = derived if isinstance(derived, list) else [receipt]
    cryptographic = True
    for entry, said in zip(entries, parts, strict=True):
        if entry.id > head[0]:
            raise rolled_back(
                f"the ledger ends with entry {head[0]}, and this receipt is of entry {entry.id}",
                "the receipt",
            )
        if entry_of(entry.id) != entry:
            raise rolled_back(f"entry {entry.id} of the ledger is not the one of this receipt", "the receipt")
        stored = answer_of(entry.id)
        if stored is None or said.get("answer") != digest(stored):
            raise IntegrityFailed(
                "receipt-answer",
                f"the answer of entry {entry.id} in the ledger is not the one that this receipt was given for",
                why="the receipt holds the digest of the numbers that were released, and the ledger stores other numbers",
                fix="lapcat ledger verify shows whether the ledger was changed; if it is whole, the receipt was",
            )
        cryptographic = cryptographic and is_cryptographic(stored.partition(b"\n")[0])
    if (_MARK in receipt) == cryptographic:
        raise _otherwise("the answers in the ledger", _MARK)
    return entries


def _entries(receipt: Mapping[str, object]) -> tuple[Entry, ...]:
    """The entries that a receipt holds, each checked against its hash and against what the receipt says of it."""
    derived = receipt.get("derived_from")
    if derived is None:
        entry = _entry(receipt.get("entry"))
        told = _told(entry)
        _require_same(receipt, told, entry)
        _require_known(receipt, {*told, *_PROOF, *_SEAL, _MARK})
        return (entry,)
    if not isinstance(derived, list) or not derived:
        raise _unreadable("it does not say what it was derived from")
    found = []
    for said in derived:
        entry = _entry(said.get("entry") if isinstance(said, dict) else None)
        told = _told(entry)
        shown = {key: told.get(key) for key in ("id", "hash", "guarantee")}
        _require_same(said, shown, entry)
        _require_known(said, {*shown, *_PROOF})
        found.append(entry)
    _require_same(receipt, {"id": found[-1].id, "hash": found[-1].hash}, found[-1])
    return tuple(found)


def _entry(said: object) -> Entry:
    match said:
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
            raise _unreadable("it holds no entry of a ledger")
    if entry.hash != entry_hash(id, kind, text, previous):
        raise IntegrityFailed(
            "receipt-entry",
            f"entry {id} in this receipt is not what was written: its hash is that of another text",
            why="an entry's hash is computed from its number, kind, text and the entry before it",
            fix="ask for the receipt again: the same question is free, and has the same receipt",
        )
    if kind != "debit":
        raise _unreadable(f"its entry {id} is no debit")
    return entry


def _told(entry: Entry) -> Fields:
    try:
        return receipt_fields_of(entry)
    except Error:
        raise _unreadable(f"its entry {entry.id} is no debit that lapcat wrote") from None


def _require_same(said: Mapping[str, object], told: Mapping[str, object], entry: Entry) -> None:
    for key, value in told.items():
        if key not in said or not is_same(said[key], value):
            raise _otherwise(f"its entry {entry.id}", key)


def _require_known(said: Mapping[str, object], known: set[str]) -> None:
    """A field that lapcat never writes would be read as if it were vouched for."""
    for key in said:
        if key not in known:
            raise _otherwise("lapcat, which writes no such field", key)
    if _MARK in said and said[_MARK] != UNSAFE:
        raise _otherwise("lapcat", _MARK)


def is_same(said: object, told: object) -> bool:
    """Whether two values are the same JSON: Python takes True for 1, and 1.0 too."""
    return json.dumps(said, sort_keys=True) == json.dumps(told, sort_keys=True)


def _otherwise(than: str, key: str) -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-fields",
        f"this receipt says otherwise than {than}: {key!a:.60}",
        why="what a receipt says of a question is what its entry in the ledger says, and nothing more",
        fix="ask for the receipt again: the same question is free, and has the same receipt",
    )


def _spent_json(spent: Spent) -> dict[str, str | None]:
    def text(amount: Fraction | None) -> str | None:
        return None if amount is None else exact_text(amount)

    return {"epsilon": text(spent.epsilon), "delta": text(spent.delta), "rho": text(spent.rho)}


def _unreadable(what: str) -> IntegrityFailed:
    return IntegrityFailed(
        "receipt-unreadable",
        f"this is no receipt that can be checked: {what}",
        fix='a receipt is written by: lapcat ask "SELECT …" --epsilon 0.1 --receipt receipt.json',
    )
