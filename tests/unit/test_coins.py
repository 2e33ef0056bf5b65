"""The coins: unpredictable, never repeated, by no fork, copy or thread."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import lapcat.core.coins as module
from lapcat.core.coins import Coins, Keystream, below, system_coins
from lapcat.testing.coins import SeededCoins

SOURCE = Path(module.__file__).parents[1]


def drawn_in_a_child(coins: Coins, n: int = 32) -> bytes:
    """The next n bytes that a forked child draws from what it inherited."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, coins.bits(8 * n).to_bytes(n, "little"))
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


@pytest.mark.parametrize("make", [Coins, system_coins])
def test_parent_and_child_never_draw_alike(make: type[Coins]) -> None:
    coins = make()
    coins.bits(8)  # so that there is a reserve of bytes which a careless child would inherit
    children = [drawn_in_a_child(coins) for _ in range(3)]
    parent = coins.bits(256).to_bytes(32, "little")
    assert len({parent, *children}) == 4


def test_a_fork_while_a_thread_draws_leaves_the_child_able_to_draw() -> None:
    coins = Coins()
    with coins._lock:  # as if another thread were inside when the process forks
        assert len(drawn_in_a_child(coins)) == 32


def test_no_two_instances_draw_alike() -> None:
    assert len({Coins().bits(256) for _ in range(50)}) == 50


def test_a_key_is_replaced_after_its_share_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BYTES_PER_KEY", 1 << 14)
    coins = Coins()
    first = coins._stream
    coins.array(1 << 13, np.uint8)
    coins.array(1 << 13, np.uint8)
    assert coins._stream is first
    coins.bits(8)
    second = coins._stream
    assert second is not first and first.produced == 1 << 14
    coins.array(1 << 14, np.uint8)
    coins.array(1, np.uint8)
    assert coins._stream is not second


def test_coins_are_not_copied_or_pickled() -> None:
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="repeat the same noise"):
            duplicate(Coins())


def test_threads_never_get_the_same_bits() -> None:
    coins, start = Coins(), threading.Barrier(8)

    def many(_: int) -> list[int]:
        start.wait()
        return [coins.bits(64) for _ in range(2000)]

    with ThreadPoolExecutor(8) as pool:
        drawn = [word for words in pool.map(many, range(8)) for word in words]
    assert len(set(drawn)) == len(drawn)


def test_a_source_that_nobody_uses_is_forgotten() -> None:
    coins = Coins()
    gone = weakref.ref(coins)
    del coins
    gc.collect()
    assert gone() is None


def test_the_stream_is_aes_256_in_counter_mode() -> None:
    # NIST SP 800-38A, F.5.5 (CTR-AES256): the key stream is plaintext xor ciphertext of its first two blocks.
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    cipher = bytes.fromhex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")
    expected = bytes(a ^ b for a, b in zip(plain, cipher, strict=True))
    assert Keystream(key, counter).array(32, np.uint8).tobytes() == expected
    assert Keystream(key, counter).bits(256).to_bytes(32, "little") == expected


def test_arrays_and_single_numbers_share_no_byte() -> None:
    stream = Keystream(bytes(32), bytes(16))
    whole = Keystream(bytes(32), bytes(16)).array(20000, np.uint8).tobytes()
    pieces = [stream.array(100, np.uint8).tobytes() for _ in range(3)]
    first = stream.bits(64).to_bytes(8, "little")
    pieces.append(stream.array(70, np.uint8).tobytes())
    second = stream.bits(64).to_bytes(8, "little")
    assert whole[:300] == b"".join(pieces[:3])
    assert whole[300:316] == first + second
    assert whole[300 + 4096 :][:70] == pieces[3]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 63, 64, 65, 200, 50000])
def test_an_integer_has_as_many_bits_as_asked_for(n: int) -> None:
    assert 0 <= Coins().bits(n) < 1 << n


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_every_bit_of_a_word_is_fair(dtype: type[np.uint64]) -> None:
    words = SeededCoins(3).array(4096, dtype)
    ones = np.unpackbits(words.view(np.uint8)).reshape(len(words), -1).sum(axis=0, dtype=np.int64)
    # 4096 coins have standard deviation 32; six of them are left by one bit in 5 * 10^8
    assert np.all(np.abs(ones - 2048) < 6 * 32)


@pytest.mark.parametrize("dtype", [np.float64, np.bool_, np.int64])
def test_only_unsigned_words_are_made_of_bits(dtype: type[np.uint64]) -> None:
    with pytest.raises(TypeError, match="unsigned"):
        Coins().array(4, dtype)


def test_below_draws_again_until_the_bits_are_below_the_bound() -> None:
    script = iter([7, 6, 5, 2])
    widths = []

    def bits(n: int) -> int:
        widths.append(n)
        return next(script)

    assert below(6, bits) == 5 and widths == [3, 3, 3]
    assert below(1, bits) == 0 and widths == [3, 3, 3]
    with pytest.raises(ValueError):
        below(0, bits)


def test_only_the_source_of_the_operating_system_calls_itself_cryptographic() -> None:
    assert Coins().cryptographic and system_coins().cryptographic
    assert not SeededCoins(1).cryptographic
    assert system_coins() is system_coins()


def test_the_same_seed_gives_the_same_bits() -> None:
    here, there, other = SeededCoins(7), SeededCoins(7), SeededCoins(8)
    assert here.array(100, np.uint64).tolist() == there.array(100, np.uint64).tolist()
    assert here.below(10**40) == there.below(10**40) != other.below(10**40)


def test_nothing_outside_testing_imports_what_is_for_tests() -> None:
    guilty = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "testing" not in path.relative_to(SOURCE).parts
        and re.search(r"^\s*(from|import) lapcat\.testing", path.read_text(), re.MULTILINE)
    ]
    assert not guilty
