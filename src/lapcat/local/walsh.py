"""Linear hashes over bits, and a fast estimator of the support of all values at once.

A hash has m rows of d random bits. The hash of a value x (a number of d bits) has the bit j = parity(row_j & x).
Theorem: for x != v, the hashes agree with probability exactly 2^-m: each row must have even parity on the bits of x XOR v,
         which is not 0, and a row of fair bits has it with probability 1/2, independently.
So the family is exactly universal, and a hash is drawn from raw bits.

Theorem: the number of reports (rows, said) that v supports, i.e. hash(v) = said, is
         2^-m * Σ_S Σ_reports (-1)^(parity(row_S & v) + parity(said & S)), row_S the XOR of the rows in S, over all 2^m
         sets S of rows. (Multiply out Π_j (1 + (-1)^(bit_j(v) + said_j)) / 2, which is 1 if all bits agree and else 0.)
So it takes a signed count by row_S for each S, computed by an engine, and one fast Walsh-Hadamard transform for all values:
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
    result = signal.copy()
    half = 1
    while half < len(result):
        pairs = result.reshape(-1, 2, half)
        even, odd = pairs[:, 0].copy(), pairs[:, 1]
        pairs[:, 0] += odd
        np.subtract(even, odd, out=pairs[:, 1])
        half *= 2
    return result


def rows_of(words: Words, rows: int, size: int) -> list[Integers]:
    """The rows of each person's hash: the low bits of the first words; the size is a power of two."""
    mask = np.uint64(size - 1)
    return [(words[:, j] & mask).astype(np.int64) for j in range(rows)]


def hashed(values: Integers, rows: list[Integers]) -> Integers:
    """The hash of each value by its own rows."""
    buckets = parity(values, rows[0])
    for j, row in enumerate(rows[1:], 1):
        buckets |= parity(values, row) << j
    return buckets


def tallies(rows: int, size: int) -> tuple[Tally, ...]:
    """A signed count for each nonempty set of rows."""
    return tuple(
        Tally(tuple(f"row_{j}" for j in range(rows) if chosen >> j & 1), size, "said", chosen)
        for chosen in range(1, 1 << rows)
    )


def support(counts: list[Counts], n: int, rows: int, size: int, values: int) -> Integers:
    """The number of reports, out of n, that support each value.

    >>> counts = [(np.array([3]), np.array([-1]))]  # the row is 11 and said is 1: values 01 and 10 have this parity
    >>> support(counts, 1, 1, 4, 4).tolist()
    [0, 1, 1, 0]
    """
    signal = np.zeros(size, np.int64)
    for signed in counts:
        signal += dense(signed, size)
    return (n + transformed(signal)[:values]) >> rows
