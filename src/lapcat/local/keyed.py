"""Coins that come again: words from a secret key, a person, a question and a value, so that encoding twice adds nothing.

Theorem: if the function is pseudo-random, the words of different (protocol, question, person, value) are as good as fresh
         coins to anybody without the key, and those of the same are the same. A person's reports to one question then are
         a function of one report for each distinct value they held: epsilon times the number of those, however often they
         are asked (permanent randomised response: Erlingsson, Pihur & Korolova 2014).
The parameters of the protocol are part of the input. Were they not, the reports at two epsilons would share their coins, and
a pair of them could give the value away.

HMAC-SHA-256 makes a tag of 96 bits for each input; AES-256 encrypts (tag, counter) to the words. Two tags are alike with
probability n^2 / 2^97, and two blocks of a permutation are never alike where fresh ones rarely are, by n^2 / 2^129.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from lapcat.errors import BadArgument
from lapcat.local.base import WORDS_AT_ONCE, Columns, Integers, Randomiser, Words, checked_values

KEY_BYTES = 32
_DOMAIN = b"lapcat local words 1\0"


@dataclass(frozen=True, slots=True)
class KeyedWords:
    """The words of one question under one protocol. The key is as secret as the values themselves.

    >>> from fractions import Fraction
    >>> from lapcat.local.response import Response
    >>> coins = KeyedWords(bytes(32), "smokes", Response(Fraction(1)))
    >>> again = KeyedWords(bytes(32), "smokes", Response(Fraction(1)))
    >>> bool((coins.words(["ann"], np.array([1])) == again.words(["ann"], np.array([1]))).all())
    True
    """

    key: bytes = field(repr=False)
    question: str
    randomiser: Randomiser

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise BadArgument(
                "local-key",
                f"a key has {KEY_BYTES} bytes, not {len(self.key)}",
                fix="let lapcat make the file: name one that is not there yet",
            )

    def words(self, people: Sequence[str], values: Integers) -> Words:
        """A row of words for each person and their value."""
        each = self.randomiser.words
        made = {"protocol": self.randomiser.name, **self.randomiser.parameters()}
        about = hashlib.sha256(json.dumps([self.question, made], sort_keys=True).encode()).digest()
        base = _DOMAIN + about
        key = self.key
        tags = b"".join(
            hmac.digest(key, base + value.to_bytes(8, "little") + person.encode(), "sha256")[:12]
            for person, value in zip(people, values.tolist(), strict=True)
        )
        blocks = np.empty((len(values), -(-each // 2), 16), np.uint8)
        blocks[:, :, :12] = np.frombuffer(tags, np.uint8).reshape(-1, 1, 12)
        blocks[:, :, 12:] = np.arange(blocks.shape[1], dtype="<u4").view(np.uint8).reshape(-1, 4)
        cipher = Cipher(algorithms.AES256(hmac.digest(key, _DOMAIN, "sha256")), modes.ECB()).encryptor()
        stream = np.frombuffer(cipher.update(blocks.tobytes()), "<u8")
        return stream.reshape(len(values), -1)[:, :each].astype(np.uint64)

    def reports(self, people: Sequence[str], values: Integers) -> Columns:
        """The report of each person's value, the same whenever it is made."""
        checked_values(self.randomiser, values)
        at_once = max(1, WORDS_AT_ONCE // self.randomiser.words)
        parts = [
            self.randomiser.encode(
                values[start : start + at_once],
                self.words(people[start : start + at_once], values[start : start + at_once]),
            )
            for start in range(0, max(1, len(values)), at_once)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
