"""Linear hashes over bits, and how a table of them is read for all values at once.

A hash has m rows of d random bits. The hash of a value x (a number of d bits) has the bit j = parity(row_j & x).
Theorem: for x != v, both hash alike with probability exactly 2^-m: every row must meet the bits of x XOR v, of which there
         is at least one, evenly, and a row of fair bits does so with probability 1/2, each on its own.
So the family is universal with no slack, although a hash is drawn by raw bits alone.

Theorem: the number of reports (rows, said) that v supports, i.e. hash(v) = said, is
         2^-m * Σ_S Σ_reports (-1)^(parity(row_S & v) + parity(said & S)), row_S the XOR of the rows in S, over all 2^m
         sets S of rows. (Multiply out Π_j (1 + (-1)^(bit_j(v) + said_j)) / 2, which is 1 if all bits agree and else 0.)
So it takes a signed count by row_S for each S, which an engine does, and one fast Walsh-Hadamard transform for all values:
O(n * 2^m + D log D) steps instead of O(n * D), for D = 2^d values.
"""

from __future__ import annotations

import numpy as np

from lapcat.local.base import Counts, Integers, Tally, Words, dense, parity


def transformed(signal: Integers) -> Integers:
    """Σ_r signal[r] * (-1)^parity(r & v) for each v, exactly; the length is a power of two.

    >>> transformed(np.array([1, 0, 0, 2])).tolist()
    [3, -1, -1, 3]
    """
    found = signal.copy()
    half = 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        even, odd = pairs[:, 0].copy(), pairs[:, 1]
        pairs[:, 0] += odd
        np.subtract(even, odd, out=pairs[:, 1])
        half *= 2
    return found


def rows_of(words: Words, rows: int, size: int) -> list[Integers]:
    """The rows of each person's hash: the low bits of the first words; the size is a power of two."""
    mask = np.uint64(size - 1)
    return [(words[:, j] & mask).astype(np.int64) for j in range(rows)]


def hashed(values: Integers, rows: list[Integers]) -> Integers:
    """The hash of each value by its own rows."""
    found = parity(values, rows[0])
    for j, row in enumerate(rows[1:], 1):
        found |= parity(values, row) << j
    return found


def tallies(rows: int, size: int) -> tuple[Tally, ...]:
    """A signed count for each set of rows but the empty one."""
    return tuple(
        Tally(tuple(f"row_{j}" for j in range(rows) if chosen >> j & 1), size, "said", chosen)
        for chosen in range(1, 1 << rows)
    )


def support(counts: list[Counts], n: int, rows: int, size: int, values: int) -> Integers:
    """How many of n reports support each value.

    >>> one = [(np.array([3]), np.array([-1]))]  # the row 11, and said is 1: values 01 and 10 have that parity
    >>> support(one, 1, 1, 4, 4).tolist()
    [0, 1, 1, 0]
    """
    signal = np.zeros(size, np.int64)
    for signed in counts:
        signal += dense(signed, size)
    return (n + transformed(signal)[:values]) >> rows
