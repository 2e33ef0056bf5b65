"""The only source of randomness in lapcat: an AES-256-CTR keystream keyed by the operating system.

`Coins` takes no seed. Tests that must be repeatable use `lapcat.testing.coins`, which nothing here imports.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import NoReturn, Protocol, TypeVar

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

# 2^36 bytes are 2^32 blocks of 128 bits. Distinguishing the blocks of one key (all different) from random ones (rarely
# equal) then has an advantage below 2^64 / 2^129 = 2^-65.
BYTES_PER_KEY = 1 << 36

_ZEROS = bytes(1 << 16)  # encrypted in pieces of 64 KiB, which stay in the processor's cache
_RESERVE = 4096  # bytes fetched at once for single numbers: each call of the cipher costs a microsecond

Word = TypeVar("Word", np.uint8, np.uint16, np.uint32, np.uint64)


class CoinSource(Protocol):
    """The interface of the samplers: independent fair bits, as arrays, as an integer, or uniform below a bound."""

    @property
    def cryptographic(self) -> bool:
        """Whether the bits are unpredictable; only such a source may add noise to an answer."""
        ...

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        """n independent uniform words of an unsigned type."""
        ...

    def bits(self, n: int) -> int:
        """A uniform integer of n bits."""
        ...

    def below(self, m: int) -> int:
        """A uniform integer in 0 .. m - 1."""
        ...


class Keystream:
    """AES-256 in counter mode: a pure function of key and counter. Not thread-safe.

    >>> Keystream(bytes(32), bytes(16)).bits(32).to_bytes(4, "little").hex()  # AES-256 of a zero block: dc95c078...
    'dc95c078'
    """

    __slots__ = ("_cipher", "_reserve", "_used", "produced")

    def __init__(self, key: bytes, counter: bytes) -> None:
        self._cipher = Cipher(algorithms.AES256(key), modes.CTR(counter)).encryptor()
        self._reserve, self._used = b"", 0
        self.produced = 0

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        """The next n words of the stream."""
        words: NDArray[Word] = np.empty(n, dtype)
        if words.dtype.kind != "u":
            raise TypeError(f"random bits make unsigned integers, not {words.dtype}")
        target = words.view(np.uint8).data
        for start in range(0, len(target), len(_ZEROS)):
            piece = target[start : start + len(_ZEROS)]
            self._cipher.update_into(_ZEROS[: len(piece)], piece)
        self.produced += len(target)
        return words

    def bits(self, n: int) -> int:
        """An integer of the next n bits, in whole bytes: the rest of the last byte is discarded."""
        size = (n + 7) >> 3
        start, end = self._used, self._used + size
        if end > len(self._reserve):
            start, end = 0, size
            self._reserve = self._cipher.update(bytes(max(size, _RESERVE)))
            self.produced += len(self._reserve)
        self._used = end
        return int.from_bytes(self._reserve[start:end], "little") >> (8 * size - n)


class Coins:
    """Unpredictable, unrepeatable fair bits: keyed by the operating system, with a fresh key per instance.

    A new key is taken after 2^36 bytes, and in the child after a fork, so that parent and child draw different bits.
    Instances are thread-safe. They cannot be copied or pickled: a copy would repeat the bits.
    """

    __slots__ = ("__weakref__", "_lock", "_stream")
    _lock: threading.Lock
    _stream: Keystream

    cryptographic = True

    def __init__(self) -> None:
        self._rekey()
        _instances.add(self)

    def array(self, n: int, dtype: type[Word]) -> NDArray[Word]:
        """n independent uniform words of an unsigned type."""
        with self._lock:
            return self._fresh_stream().array(n, dtype)

    def bits(self, n: int) -> int:
        """A uniform integer of n bits."""
        with self._lock:
            return self._fresh_stream().bits(n)

    def below(self, m: int) -> int:
        """A uniform integer in 0 .. m - 1."""
        with self._lock:
            return below(m, self._fresh_stream().bits)

    def _fresh_stream(self) -> Keystream:
        if self._stream.produced >= BYTES_PER_KEY:
            self._stream = _new_stream()
        return self._stream

    def _rekey(self) -> None:
        self._lock = threading.Lock()  # a fork may have copied the old one while a thread held it
        self._stream = _new_stream()

    def __reduce__(self) -> NoReturn:
        raise TypeError("coins cannot be copied or pickled: a copy would repeat the same noise")


def below(m: int, bits: Callable[[int], int]) -> int:
    """A uniform integer in 0 .. m - 1: rejection sampling with as many bits as m - 1 has."""
    if m < 1:
        raise ValueError(f"below({m}): there is no such integer")
    if m == 1:  # common in the samplers, and needs no bits
        return 0
    n = (m - 1).bit_length()
    while (drawn := bits(n)) >= m:
        pass
    return drawn


def system_coins() -> Coins:
    """The source of this process; a forked child gets its own key."""
    return _process_coins


def _new_stream() -> Keystream:
    return Keystream(os.urandom(32), os.urandom(16))


def _rekey_all() -> None:
    for coins in tuple(_instances):
        coins._rekey()


_instances: weakref.WeakSet[Coins] = weakref.WeakSet()  # weak: an unused source may be collected
os.register_at_fork(after_in_child=_rekey_all)
_process_coins = Coins()
