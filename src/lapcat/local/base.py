"""The interface of a local randomiser: a pure function of a person's value and a fixed number of fair 64-bit words.

Every probability is a multiple of 2^-64, rounded towards privacy, and decided by comparing a word with an integer.
The same words give the same report everywhere: with NumPy for a million people, in a browser for one (survey.js), or next
year from a keyed pseudo-random function (keyed.py). No floats are involved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lapcat.core.coins import CoinSource
from lapcat.core.event import Event
from lapcat.core.exact import brief_text, exact
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.finite import FiniteLaw
from lapcat.plan.margins import checked_above_zero

ONE = 1 << 64
"""Probability 1, in units of 2^-64."""
WORDS_AT_ONCE = 1 << 17  # 1 MB of coins, which fits the processor's cache
MAX_OUTCOMES = 1 << 18  # the longest law that is written out

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Columns = Mapping[str, Integers]
"""A table of reports: a column of integers for each part of a report, a row for each person."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of reports at each place, where the place is the XOR of the columns `at`.

    Where `mask` is not 0, a report whose column `sign` has an odd number of the mask's bits counts as -1.
    """

    at: tuple[str, ...]
    size: int | None
    """Places are 0 .. size - 1; None if they are unbounded."""
    sign: str = ""
    mask: int = 0


@dataclass(frozen=True, slots=True)
class SetBits:
    """The number of reports with each bit set: bit i is bit i mod 32 of column i div 32."""

    columns: tuple[str, ...]
    size: int


Counts = tuple[Integers, Integers]
"""Places, and the (signed) number of reports at each."""


class Randomiser(Protocol):
    """A local randomiser, listed in RANDOMISERS; tests/local checks that encode, law and event agree."""

    @property
    def name(self) -> str: ...

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def inputs(self) -> int:
        """The number of possible values; a value is one of 0 .. inputs - 1."""
        ...

    @property
    def words(self) -> int:
        """Random words per report."""
        ...

    @property
    def tallies(self) -> Sequence[Tally | SetBits]:
        """The counts an estimate needs from a table of reports; computed by an engine, or by `counted`."""
        ...

    def encode(self, values: Integers, words: Words) -> Columns:
        """The reports of `values`, computed from one row of words each."""
        ...

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        ...

    def event(self, label: str) -> Event:
        """The privacy loss of one report."""
        ...

    def parameters(self) -> dict[str, object]:
        """The parameters in the header of a file of reports; `protocol_from_json` reads them."""
        ...


class Finite(Randomiser, Protocol):
    """A randomiser with finitely many reports, whose law can be written out."""

    @property
    def outcomes(self) -> int:
        """The number of possible reports."""
        ...

    @property
    def ranges(self) -> dict[str, int]:
        """The columns of a report, each with its exclusive upper bound; the lower bound is 0."""
        ...

    def numbered(self, reports: Columns) -> Integers:
        """The index of each report among all possible reports."""
        ...

    def law(self, value: int) -> FiniteLaw:
        """The exact probability of each report, given the value."""
        ...


def drawn(randomiser: Randomiser, values: Integers, coins: CoinSource) -> Columns:
    """One report for each value, from fresh coins."""
    checked_values(randomiser, values)
    people = max(1, WORDS_AT_ONCE // randomiser.words)
    parts = [
        randomiser.encode(piece, fresh_words(len(piece), randomiser.words, coins))
        for start in range(0, max(1, len(values)), people)
        for piece in (values[start : start + people],)
    ]
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def fresh_words(people: int, each: int, coins: CoinSource) -> Words:
    """A row of words for each person."""
    return coins.array(people * each, np.uint64).reshape(people, each)


def counted(reports: Columns, tally: Tally | SetBits) -> Counts:
    """The counts of a tally over these reports; engines/duckdb/reports.py computes the same in SQL."""
    if isinstance(tally, SetBits):
        bit_counts = np.empty(tally.size, np.int64)
        for i in range(tally.size):
            bit_counts[i] = int((reports[tally.columns[i // 32]] >> (i % 32) & 1).sum())
        return np.arange(tally.size), bit_counts
    place = reports[tally.at[0]]
    for name in tally.at[1:]:
        place = place ^ reports[name]
    if tally.size is None:
        places, counts = np.unique(place, return_counts=True)
        return places, counts.astype(np.int64)
    if len(place) and (place.min() < 0 or place.max() >= tally.size):
        raise foreign(tally.size)
    if not tally.mask:
        return np.arange(tally.size), np.bincount(place, minlength=tally.size).astype(np.int64)
    odd = parity(reports[tally.sign], tally.mask)
    both = np.bincount(place << 1 | odd, minlength=2 * tally.size).astype(np.int64)
    return np.arange(tally.size), both[0::2] - both[1::2]


def parity(left: Integers, right: Integers | int) -> Integers:
    """The parity of left & right: 0 or 1."""
    odd: Integers = np.bitwise_count(left & right).astype(np.int64) & 1
    return odd


def possible(randomiser: Finite, report: object) -> bool:
    """Whether the randomiser can produce this report: exactly its columns, each an integer within its range.

    >>> from lapcat.local.response import Response
    >>> randomiser = Response(Fraction(1), 3)
    >>> [possible(randomiser, report) for report in ({"said": 2}, {"said": 3}, {"said": True}, {"said": 1, "name": 0}, [])]
    [True, False, False, False, False]
    """
    ranges = randomiser.ranges
    return (
        isinstance(report, dict)
        and report.keys() == ranges.keys()
        and all(type(report[name]) is int and 0 <= report[name] < end for name, end in ranges.items())
    )


def dense(counts: Counts, size: int) -> Integers:
    """The counts at 0 .. size - 1. Refuses a place outside this range."""
    places, numbers = counts
    if len(places) and (places.min() < 0 or places.max() >= size):
        raise foreign(size)
    filled = np.zeros(size, np.int64)
    filled[places] = numbers
    return filled


def foreign(size: int) -> BadArgument:
    return BadArgument(
        "reports-foreign",
        f"a report lies outside 0 .. {size - 1}, the range of this protocol",
        why="the reports were made with other parameters, or were changed afterwards",
        fix="estimate them with the protocol that made them",
    )


def checked_values(randomiser: Randomiser, values: Integers) -> None:
    if values.dtype != np.int64:
        raise TypeError(f"values are int64, not {values.dtype}")
    if values.size and (values.min() < 0 or values.max() >= randomiser.inputs):
        raise BadArgument(  # an error message is an output too: it must not contain the value
            "response-value",
            f"a true value lies outside 0 .. {randomiser.inputs - 1}",
            fix="number the values from 0, or declare more values",
        )


def set_fields(target: object, **fields: object) -> None:
    """Sets fields of a frozen dataclass from within its own constructor."""
    for name, value in fields.items():
        object.__setattr__(target, name, value)


def read_epsilon(given: object) -> Fraction:
    """The exact epsilon, above 0."""
    return checked_above_zero("epsilon", exact(given))


def too_small(epsilon: Fraction, what: str) -> BadArgument:
    return BadArgument(
        "epsilon-too-small",
        f"epsilon = {brief_text(epsilon)} is too small for {what}: the reports would carry no information",
        why="to 64 bits, the true value would be reported no more often than any other",
        fix="use a larger epsilon, or fewer values",
    )


def law_of(numerators: Sequence[int]) -> FiniteLaw:
    """The law with these probabilities, in units of 2^-64."""
    return FiniteLaw.exactly(tuple(Fraction(numerator, ONE) for numerator in numerators))


def checked_outcomes(outcomes: int) -> int:
    if outcomes > MAX_OUTCOMES:
        raise BadArgument(
            "law-too-long",
            f"this law has {outcomes} outcomes; laws are written out up to {MAX_OUTCOMES}",
            fix="inspect the law with fewer values",
        )
    return outcomes
