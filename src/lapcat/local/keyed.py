"""Deterministic coins: words derived from a secret key, person, question, wave and value, so encoding twice costs nothing.

Theorem: if the function is pseudo-random, the words of different (question, domain, protocol, wave, person, value) are
         indistinguishable from fresh coins to anybody without the key, and equal inputs give equal words. So a wave can be
         encoded again at no cost as long as nobody's value has changed (key_file.py refuses the rest), and each wave costs
         what a fresh draw costs. The words of a permanent report (permanent.py) do not depend on the wave, and those of its
         rows do not depend on the value.
The domain and the parameters of the protocol are part of the input. Otherwise the reports at two epsilons, or about two
lists of values, would share their coins, and a pair of them could reveal the value.

HMAC-SHA-256 derives a 96-bit tag from each input; AES-256 encrypts (tag, counter) to the words. Two tags collide with
probability n^2 / 2^97; blocks of a permutation never collide, which differs from fresh words by n^2 / 2^129.
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
from lapcat.local.permanent import Permanent
from lapcat.local.protocol import Protocol

KEY_BYTES = 32
_WORDS, _ORDER = b"lapcat local words 2\0", b"lapcat local order 2\0"


@dataclass(frozen=True, slots=True)
class KeyedWords:
    """The words of one protocol in its wave. The key must be kept as secret as the values.

    >>> from lapcat.local.choose import choose
    >>> smokes = choose(domain=["yes", "no"], epsilon=1, question="smokes").protocol
    >>> coins, again = KeyedWords(bytes(32), smokes), KeyedWords(bytes(32), smokes)
    >>> bool((coins.words(["ann"], np.array([1])) == again.words(["ann"], np.array([1]))).all())
    True
    """

    key: bytes = field(repr=False)
    protocol: Protocol

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise BadArgument(
                "local-key",
                f"a key has {KEY_BYTES} bytes, not {len(self.key)}",
                fix="let lapcat create the file: name one that does not exist yet",
            )

    def words(self, people: Sequence[str], values: Integers) -> Words:
        """A row of words for each person and value."""
        randomiser = self.protocol.randomiser
        if not isinstance(randomiser, Permanent):
            return self._words(people, values, self._about(randomiser), randomiser.words)
        kept = randomiser.kept
        rows = self._words(people, np.zeros_like(values), self._about(kept, "rows"), kept.words - 1)
        symbol = self._words(people, values, self._about(kept, "symbol"), 1)
        again = self._words(people, values, self._about(randomiser), 1)
        return np.hstack([rows, symbol, again])

    def _about(self, randomiser: Randomiser, lasting: str | None = None) -> bytes:
        """A digest of what the coins are for: the rows or the symbol of a permanent report, or else this wave."""
        parameters = {"protocol": randomiser.name, **randomiser.parameters()}
        wave = {"wave": self.protocol.wave} if lasting is None else {"lasting": lasting}
        content = [self.protocol.question, self.protocol.domain.as_json(), parameters, wave]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()

    def _words(self, people: Sequence[str], values: Integers, about: bytes, each: int) -> Words:
        base, key = _WORDS + about, self.key
        tags = b"".join(
            hmac.digest(key, base + value.to_bytes(8, "little") + person.encode(), "sha256")[:12]
            for person, value in zip(people, values.tolist(), strict=True)
        )
        blocks = np.empty((len(values), -(-each // 2), 16), np.uint8)
        blocks[:, :, :12] = np.frombuffer(tags, np.uint8).reshape(-1, 1, 12)
        blocks[:, :, 12:] = np.arange(blocks.shape[1], dtype="<u4").view(np.uint8).reshape(-1, 4)
        cipher = Cipher(algorithms.AES256(hmac.digest(key, _WORDS, "sha256")), modes.ECB()).encryptor()
        stream = np.frombuffer(cipher.update(blocks.tobytes()), "<u8")
        return stream.reshape(len(values), -1)[:, :each].astype(np.uint64)

    def reports(self, people: Sequence[str], values: Integers) -> Columns:
        """The report of each person's value, the same on every call."""
        randomiser = self.protocol.randomiser
        checked_values(randomiser, values)
        at_once = max(1, WORDS_AT_ONCE // randomiser.words)
        parts = [
            randomiser.encode(
                values[start : start + at_once],
                self.words(people[start : start + at_once], values[start : start + at_once]),
            )
            for start in range(0, max(1, len(values)), at_once)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def order(self, people: Sequence[str]) -> Integers:
        """A pseudo-random permutation of the people, different for each wave."""
        base = _ORDER + self._about(self.protocol.randomiser)
        tags = [hmac.digest(self.key, base + person.encode(), "sha256") for person in people]
        return np.array(sorted(range(len(tags)), key=tags.__getitem__), np.int64)

    def fingerprint(self, people: Sequence[str], values: Integers) -> str:
        """The same for the same people and values under the same protocol, in any order."""
        content = [
            self.protocol.as_json() | {"lapcat": None},
            sorted(zip(people, values.tolist(), strict=True)),
        ]
        return hmac.new(self.key, json.dumps(content, sort_keys=True).encode(), "sha256").hexdigest()
