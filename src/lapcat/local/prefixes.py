"""Heavy hitters: the frequent texts of a domain too large to enumerate, by the prefix extending method.

Each person reports a prefix of their text by linear hashing (walsh.py); its length is drawn independently of the text. The
collector tests the prefixes of one letter, keeps the significant ones, extends these by every letter, tests them on the
reports about two letters, and so on: a text is found if each of its prefixes was.
Theorem: a report is one randomised response to a hash that is drawn independently of the text: epsilon-DP.
Source:  the reports are those of Wang, Blocki, Li & Jha 2017 (OLH); extending prefixes round by round is a published method.
Slack:   none in the privacy. A text whose share is too small for its n / length reports is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lapcat.core.coins import CoinSource
from lapcat.core.event import ResponseRelease
from lapcat.core.exact import exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.errors import BadArgument
from lapcat.local import walsh
from lapcat.local.base import (
    ONE,
    Columns,
    Integers,
    Tally,
    Words,
    checked_outcomes,
    drawn,
    foreign,
    parity,
    read_epsilon,
    set_fields,
)
from lapcat.local.hashing import best_rows
from lapcat.local.response import Response
from lapcat.mechanisms.binomial import success_bounds
from lapcat.mechanisms.integers.finite import FiniteLaw, checked_confidence
from lapcat.mechanisms.integers.response import ShareEstimate

MAX_BITS = 62  # of a text: a text is one int64, and so is each row of its hash
FALSE_PREFIX_LEVEL = Fraction(5, 100)  # probability, per length, of keeping any prefix that nobody has
AT_ONCE = 1 << 22  # (candidate, report) pairs


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Texts of at most `length` letters of the alphabet; longer texts are cut, other letters end the text.

    >>> words = Prefixes(Fraction(3), "abc", 4)
    >>> words.text(words.place("cab")), words.text(words.place("abcabc")), words.text(words.place("a-b"))
    ('cab', 'abca', 'a')
    """

    epsilon: Fraction
    alphabet: str
    length: int
    rows: int = field(init=False)
    answer: Response = field(init=False)
    """The randomised response to the bucket."""
    name: ClassVar[str] = "prefixes"

    def __post_init__(self) -> None:
        letters = self.alphabet if isinstance(self.alphabet, str) else ""
        if len(set(letters)) != len(letters) or not letters:
            raise BadArgument(
                "local-alphabet",
                "the alphabet must list each letter once",
                fix='"abcdefghijklmnopqrstuvwxyz"',
            )
        max_length = MAX_BITS // self.letter_bits
        length = checked_whole(
            "local-length", "length", self.length, 1, max_length, f"length={min(8, max_length)}"
        )
        epsilon = read_epsilon(self.epsilon)
        rows = best_rows(epsilon)
        set_fields(self, epsilon=epsilon, length=length, rows=rows, answer=Response(epsilon, 1 << rows))

    @property
    def letter_bits(self) -> int:
        """Bits per letter: letters are numbered from 1; 0 marks the end of the text."""
        return len(self.alphabet).bit_length()

    @property
    def inputs(self) -> int:
        return 1 << self.letter_bits * self.length

    @property
    def words(self) -> int:
        return self.rows + 2

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Empty: the candidate prefixes depend on those found before."""
        return ()

    def place(self, text: str) -> int:
        """The text as an integer, its first letter in the lowest bits, so that masking gives a prefix."""
        place = 0
        for i, letter in enumerate(text[: self.length]):
            number = self.alphabet.find(letter) + 1
            if not number:
                break
            place |= number << self.letter_bits * i
        return place

    def text(self, place: int) -> str:
        """The letters up to the end mark."""
        letters = []
        while number := place & (1 << self.letter_bits) - 1:
            letters.append(self.alphabet[number - 1])
            place >>= self.letter_bits
        return "".join(letters)

    @property
    def ranges(self) -> dict[str, int]:
        rows = {f"row_{j}": self.inputs for j in range(self.rows)}
        return {"told": self.length + 1, **rows, "said": 1 << self.rows}

    def encode(self, values: Integers, words: Words) -> Columns:
        """The length from the first word, the rows from the next, the response from the last."""
        lengths = (words[:, 0] % np.uint64(self.length)).astype(np.int64) + 1
        mask = (np.int64(1) << lengths * self.letter_bits) - 1
        rows = [row & mask for row in walsh.rows_of(words[:, 1:], self.rows, self.inputs)]
        response = self.answer.encode(walsh.hashed(values, rows), words[:, self.rows + 1 :])
        return {"told": lengths, **{f"row_{j}": row for j, row in enumerate(rows)}, **response}

    def draw(self, values: Integers, coins: CoinSource) -> Columns:
        """One report for each value, from fresh coins."""
        return drawn(self, values, coins)

    @property
    def outcomes(self) -> int:
        return self.length << (self.inputs.bit_length() * self.rows)

    def numbered(self, reports: Columns) -> Integers:
        checked_outcomes(self.outcomes)
        number = reports["told"] - 1
        for j in range(self.rows):
            number = number * self.inputs + reports[f"row_{j}"]
        return number << self.rows | reports["said"]

    def law(self, value: int) -> FiniteLaw:
        """The length is a word's remainder; the rows' bits up to it are fair, the others 0."""
        checked_outcomes(self.outcomes)
        probabilities = []
        for length in range(1, self.length + 1):
            chance = Fraction((ONE - length + self.length) // self.length, ONE)
            end = 1 << self.letter_bits * length
            for number in range(self.inputs**self.rows):
                rows = [number // self.inputs ** (self.rows - 1 - j) % self.inputs for j in range(self.rows)]
                bucket = sum(((row & value).bit_count() & 1) << j for j, row in enumerate(rows))
                fair = chance / end**self.rows if all(row < end for row in rows) else Fraction(0)
                probabilities += [p * fair for p in self.answer.law(bucket).low]
        return FiniteLaw.exactly(tuple(probabilities))

    def event(self, label: str) -> ResponseRelease:
        return self.answer.event(label)

    def parameters(self) -> dict[str, object]:
        return {
            "epsilon": exact_text(self.epsilon),
            "alphabet": self.alphabet,
            "length": self.length,
            "lie": str(self.answer.lie),
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A frequent text and its share among all people."""

    text: str
    share: ShareEstimate


ReportsAbout = Callable[[int], Columns]
"""Returns the reports about prefixes of a length; an engine fetches one length at a time."""


def find(
    protocol: Prefixes,
    reports: Columns | ReportsAbout,
    *,
    most: int = 64,
    confidence: Fraction = Fraction(95, 100),
) -> tuple[Found, ...]:
    """The frequent texts, most frequent first; at most `most` prefixes of each length are kept.

    A prefix is kept if its support is significant: with probability at least 95 % no tested prefix that nobody has gets this
    much. Those who report a length are a random sample of all people; the intervals account for that.
    """
    checked_confidence(confidence)
    about = reports if callable(reports) else _split(reports)
    kept = [0]
    strongest: list[tuple[int, int]] = []
    n = 0
    for length in range(1, protocol.length + 1):
        rows = about(length)
        n = len(rows["said"])
        end = 1 << protocol.letter_bits * length  # exclusive upper bound of a row
        if any((rows[f"row_{j}"] >= end).any() for j in range(protocol.rows)):
            raise foreign(end)
        candidates = _extended(protocol, kept, length)
        if not n or not candidates:
            return ()
        support = _support(protocol, rows, candidates)
        minimum = _min_support(n, protocol.rows, len(candidates))
        strong = [(c, v) for c, v in zip(support.tolist(), candidates, strict=True) if c >= minimum]
        strongest = sorted(strong, reverse=True)[:most]
        kept = [v for _, v in strongest]
    return tuple(Found(protocol.text(v), _share(protocol, c, n, confidence)) for c, v in strongest)


def _extended(protocol: Prefixes, kept: Sequence[int], length: int) -> list[int]:
    """Every prefix of this length that extends a kept one; a text that has ended stays ended."""
    at = protocol.letter_bits * (length - 1)
    ended = at - protocol.letter_bits
    return [
        prefix | letter << at
        for prefix in kept
        for letter in range(len(protocol.alphabet) + 1)
        if letter == 0 or length == 1 or prefix >> ended
    ]


def _support(protocol: Prefixes, reports: Columns, candidates: Sequence[int]) -> Integers:
    """The number of reports that support each candidate, a few candidates at a time."""
    rows = [reports[f"row_{j}"][:, None] for j in range(protocol.rows)]
    buckets = reports["said"][:, None]
    values = np.array(candidates, np.int64)
    counts = np.zeros(len(values), np.int64)
    width = max(1, AT_ONCE // len(buckets))
    for start in range(0, len(values), width):
        some = values[start : start + width][None, :]
        agree = np.ones((len(buckets), some.shape[1]), np.bool_)
        for j, row in enumerate(rows):
            agree &= parity(some, row) == (buckets >> j & 1)
        counts[start : start + width] = agree.sum(axis=0)
    return counts


def _min_support(n: int, rows: int, candidates: int) -> int:
    """The smallest significant support (Bonferroni over the candidates)."""
    level = float(FALSE_PREFIX_LEVEL / candidates)
    nobody = 1 / (1 << rows)
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        if middle > n or success_bounds(max(0, middle - 1), n, level)[0] > nobody:
            high = middle
        else:
            low = middle + 1
    return low


def _share(protocol: Prefixes, c: int, n: int, confidence: Fraction) -> ShareEstimate:
    p, q = protocol.answer.holds, Fraction(1, 1 << protocol.rows)
    level = float((1 - confidence) / 2)
    low, high = success_bounds(max(0, c - 1), n, level)[0], success_bounds(min(n, c + 1), n, level)[1]
    a, b = (min(max((x - float(q)) / float(p - q), 0.0), 1.0) for x in (low, high))
    support = Fraction(c, n)
    return ShareEstimate(
        float((support - q) / (p - q)), a, b, float(support * (1 - support) / (n * (p - q) ** 2)), confidence
    )


def _split(reports: Columns) -> ReportsAbout:
    def about(length: int) -> Columns:
        here = reports["told"] == length
        return {name: column[here] for name, column in reports.items()}

    return about
