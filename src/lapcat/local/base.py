"""What a randomiser of the local model is: a pure function of a person's value and a fixed number of fair 64-bit words.

Every probability is a multiple of 2^-64, rounded towards privacy, and decided by comparing a word with an integer. So a
report is the same wherever it is made from the same words: with NumPy for a million people, in a browser for one
(survey.js), or again next year from a keyed pseudo-random function (keyed.py). No float is met on the way.
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
from lapcat.core.mechanisms.finite import FiniteLaw, checked_above_zero
from lapcat.errors import BadArgument

ONE = 1 << 64
"""Certainty, in the units that probabilities are counted in."""
WORDS_AT_ONCE = 1 << 17  # 1 MB of coins, which stay in the processor's cache
MOST_OUTCOMES = 1 << 18  # that a law is written out for

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Columns = Mapping[str, Integers]
"""Reports as a table: a column of integers for each part of a report, a row for each person."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many reports name each place: the place is the XOR of the columns `at`.

    Where `mask` is not 0, a report whose column `sign` has an odd number of the mask's bits counts as -1.
    """

    at: tuple[str, ...]
    size: int | None
    """Places are 0 .. size - 1; None if there is no end to them."""
    sign: str = ""
    mask: int = 0


@dataclass(frozen=True, slots=True)
class SetBits:
    """How many reports have each bit set: bit i is bit i mod 32 of column i div 32."""

    columns: tuple[str, ...]
    size: int


Counts = tuple[Integers, Integers]
"""Places, and the (signed) number of reports at each."""


class Randomiser(Protocol):
    """One file and one name in RANDOMISERS; tests/local ties encode, law and event together."""

    @property
    def name(self) -> str: ...

    @property
    def epsilon(self) -> Fraction: ...

    @property
    def inputs(self) -> int:
        """A person's value is one of 0 .. inputs - 1."""
        ...

    @property
    def words(self) -> int:
        """How many words a report takes."""
        ...

    @property
    def tallies(self) -> Sequence[Tally | SetBits]:
        """What has to be counted of a table of reports; an engine can do it, or `counted`."""
        ...

    def encode(self, values: Integers, words: Words) -> Columns:
        """The reports of these values, made from these words, a row of them for each."""
        ...

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        ...

    def event(self, label: str) -> Event:
        """What one report costs whoever gives it."""
        ...

    def parameters(self) -> dict[str, object]:
        """What a file of reports says about how they were made; `protocol_from_json` reads it."""
        ...


class Finite(Randomiser, Protocol):
    """A randomiser with finitely many reports, whose law can be written out."""

    @property
    def outcomes(self) -> int:
        """How many different reports there are."""
        ...

    @property
    def ranges(self) -> dict[str, int]:
        """The columns of a report, each a number from 0 to below this."""
        ...

    def numbered(self, reports: Columns) -> Integers:
        """The number of each report among all that are possible."""
        ...

    def law(self, value: int) -> FiniteLaw:
        """The exact probability of each report of this value."""
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
    """What the tally says of these reports; engines/duckdb_reports.py says the same in SQL."""
    if isinstance(tally, SetBits):
        found = np.empty(tally.size, np.int64)
        for i in range(tally.size):
            found[i] = int((reports[tally.columns[i // 32]] >> (i % 32) & 1).sum())
        return np.arange(tally.size), found
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


def parity(here: Integers, there: Integers | int) -> Integers:
    """Whether an odd number of bits is set in both: 0 or 1."""
    odd: Integers = np.bitwise_count(here & there).astype(np.int64) & 1
    return odd


def possible(randomiser: Finite, report: object) -> bool:
    """Whether this is a report that the randomiser can make: its columns and no others, whole numbers within their ranges.

    >>> from lapcat.local.response import Response
    >>> told = Response(Fraction(1), 3)
    >>> [possible(told, report) for report in ({"said": 2}, {"said": 3}, {"said": True}, {"said": 1, "name": 0}, [])]
    [True, False, False, False, False]
    """
    ranges = randomiser.ranges
    return (
        isinstance(report, dict)
        and report.keys() == ranges.keys()
        and all(type(report[name]) is int and 0 <= report[name] < end for name, end in ranges.items())
    )


def dense(counts: Counts, size: int) -> Integers:
    """The counts at 0 .. size - 1; a place that no report can name is refused."""
    places, numbers = counts
    if len(places) and (places.min() < 0 or places.max() >= size):
        raise foreign(size)
    found = np.zeros(size, np.int64)
    found[places] = numbers
    return found


def foreign(size: int) -> BadArgument:
    return BadArgument(
        "reports-foreign",
        f"a report lies outside 0 .. {size - 1}, where this protocol has all of its own",
        why="the reports were made with other parameters, or were changed since",
        fix="estimate them with the protocol that made them",
    )


def checked_values(randomiser: Randomiser, values: Integers) -> None:
    if values.dtype != np.int64:
        raise TypeError(f"values are int64, not {values.dtype}")
    if values.size and (values.min() < 0 or values.max() >= randomiser.inputs):
        raise BadArgument(  # an error is an output too: it does not say which value
            "response-value",
            f"a true value lies outside 0 .. {randomiser.inputs - 1}",
            fix="number the values from 0, or declare more of them",
        )


def set_fields(target: object, **fields: object) -> None:
    """The fields of a frozen value that its own constructor has read or computed."""
    for name, value in fields.items():
        object.__setattr__(target, name, value)


def read_epsilon(given: object) -> Fraction:
    """An epsilon as it was written, above 0."""
    return checked_above_zero("epsilon", exact(given))


def too_small(epsilon: Fraction, what: str) -> BadArgument:
    return BadArgument(
        "epsilon-too-small",
        f"epsilon = {brief_text(epsilon)} with {what} leaves no report that says anything",
        why="the truth would be told no more often than anything else, to 64 bits",
        fix="a larger epsilon, or fewer values",
    )


def law_of(numerators: Sequence[int]) -> FiniteLaw:
    """The law with these probabilities, in units of 2^-64."""
    return FiniteLaw.exactly(tuple(Fraction(numerator, ONE) for numerator in numerators))


def checked_outcomes(outcomes: int) -> int:
    if outcomes > MOST_OUTCOMES:
        raise BadArgument(
            "law-too-long",
            f"this law has {outcomes} outcomes, and is written out up to {MOST_OUTCOMES}",
            fix="look at it with fewer values: the probabilities do not depend on their number alone",
        )
    return outcomes
