"""Heavy hitters: the frequent texts of a domain too large to look through, by the prefix extending method.

Each person tells a prefix of their text, of a length drawn without a look at it, by linear hashing (walsh.py). The collector
looks through the prefixes of one letter, keeps those that are certainly there, extends these by every letter, looks at the
reports about two letters, and so on: a text is found if each of its prefixes was.
Theorem: a report is one randomised response to a hash that is drawn without a look at the text: epsilon-DP.
Source:  the reports are those of Wang, Blocki, Li & Jha 2017 (OLH); extending prefixes round by round is a published way to use them.
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
from lapcat.core.mechanisms.binomial import success_bounds
from lapcat.core.mechanisms.finite import FiniteLaw, checked_confidence, checked_whole
from lapcat.core.mechanisms.response import ShareEstimate
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

MOST_BITS = 62  # of a text: it is one int64, and so is each row of its hash
CHANCE_OF_A_GHOST = Fraction(5, 100)  # that a length keeps any prefix which nobody has
AT_ONCE = 1 << 22  # pairs of a candidate and a report


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Texts of at most `length` letters of the alphabet; longer ones are cut, other letters end the text.

    >>> words = Prefixes(Fraction(3), "abc", 4)
    >>> words.text(words.place("cab")), words.text(words.place("abcabc")), words.text(words.place("a-b"))
    ('cab', 'abca', 'a')
    """

    epsilon: Fraction
    alphabet: str
    length: int
    rows: int = field(init=False)
    answer: Response = field(init=False)
    """What is said of the hash."""
    name: ClassVar[str] = "prefixes"

    def __post_init__(self) -> None:
        letters = self.alphabet if isinstance(self.alphabet, str) else ""
        if len(set(letters)) != len(letters) or not letters:
            raise BadArgument(
                "local-alphabet", "the alphabet has every letter once", fix='"abcdefghijklmnopqrstuvwxyz"'
            )
        most = MOST_BITS // self.letter_bits
        length = checked_whole("local-length", "length", self.length, 1, most, f"length={min(8, most)}")
        epsilon = read_epsilon(self.epsilon)
        rows = best_rows(epsilon)
        set_fields(self, epsilon=epsilon, length=length, rows=rows, answer=Response(epsilon, 1 << rows))

    @property
    def letter_bits(self) -> int:
        """A letter is a number from 1; 0 is where the text has ended."""
        return len(self.alphabet).bit_length()

    @property
    def inputs(self) -> int:
        return 1 << self.letter_bits * self.length

    @property
    def words(self) -> int:
        return self.rows + 2

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """None: which prefixes to look for depends on those found before."""
        return ()

    def place(self, text: str) -> int:
        """The text as a number; its first letter in the lowest bits, so that a prefix is what a mask leaves."""
        found = 0
        for i, letter in enumerate(text[: self.length]):
            number = self.alphabet.find(letter) + 1
            if not number:
                break
            found |= number << self.letter_bits * i
        return found

    def text(self, place: int) -> str:
        """The letters up to the end."""
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
        told = (words[:, 0] % np.uint64(self.length)).astype(np.int64) + 1
        mask = (np.int64(1) << told * self.letter_bits) - 1
        rows = [row & mask for row in walsh.rows_of(words[:, 1:], self.rows, self.inputs)]
        said = self.answer.encode(walsh.hashed(values, rows), words[:, self.rows + 1 :])
        return {"told": told, **{f"row_{j}": row for j, row in enumerate(rows)}, **said}

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
        """The length by a word's remainder; the rows' bits up to it are fair, the others 0."""
        checked_outcomes(self.outcomes)
        found = []
        for told in range(1, self.length + 1):
            chance = Fraction((ONE - told + self.length) // self.length, ONE)
            reached = 1 << self.letter_bits * told
            for number in range(self.inputs**self.rows):
                rows = [number // self.inputs ** (self.rows - 1 - j) % self.inputs for j in range(self.rows)]
                bucket = sum(((row & value).bit_count() & 1) << j for j, row in enumerate(rows))
                fair = chance / reached**self.rows if all(row < reached for row in rows) else Fraction(0)
                found += [p * fair for p in self.answer.law(bucket).low]
        return FiniteLaw.exactly(tuple(found))

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
    """A frequent text and its share among all."""

    text: str
    share: ShareEstimate


ReportsAbout = Callable[[int], Columns]
"""The reports about prefixes of a length; an engine hands out one length at a time."""


def find(
    protocol: Prefixes,
    reports: Columns | ReportsAbout,
    *,
    most: int = 64,
    confidence: Fraction = Fraction(95, 100),
) -> tuple[Found, ...]:
    """The frequent texts, the most frequent first; at most `most` prefixes of a length are kept.

    A prefix is kept if so much support would come with a chance of at most 5 % to any of those that were looked at and that
    nobody has. Those who tell a length are a random part of all: the intervals cover that too.
    """
    checked_confidence(confidence)
    about = reports if callable(reports) else _split(reports)
    kept = [0]
    found: list[tuple[int, int]] = []
    n = 0
    for told in range(1, protocol.length + 1):
        rows = about(told)
        n = len(rows["said"])
        reached = 1 << protocol.letter_bits * told  # what a row of such a report is below
        if any((rows[f"row_{j}"] >= reached).any() for j in range(protocol.rows)):
            raise foreign(reached)
        candidates = _extended(protocol, kept, told)
        if not n or not candidates:
            return ()
        support = _support(protocol, rows, candidates)
        least = _least_support(n, protocol.rows, len(candidates))
        strong = [(c, v) for c, v in zip(support.tolist(), candidates, strict=True) if c >= least]
        found = sorted(strong, reverse=True)[:most]
        kept = [v for _, v in found]
    return tuple(Found(protocol.text(v), _share(protocol, c, n, confidence)) for c, v in found)


def _extended(protocol: Prefixes, kept: Sequence[int], told: int) -> list[int]:
    """Every prefix of this length that continues one that was kept; a text that has ended stays ended."""
    at = protocol.letter_bits * (told - 1)
    ended = at - protocol.letter_bits
    return [
        prefix | letter << at
        for prefix in kept
        for letter in range(len(protocol.alphabet) + 1)
        if letter == 0 or told == 1 or prefix >> ended
    ]


def _support(protocol: Prefixes, reports: Columns, candidates: Sequence[int]) -> Integers:
    """How many reports support each candidate, a few candidates at a time."""
    rows = [reports[f"row_{j}"][:, None] for j in range(protocol.rows)]
    said = reports["said"][:, None]
    values = np.array(candidates, np.int64)
    found = np.zeros(len(values), np.int64)
    width = max(1, AT_ONCE // len(said))
    for start in range(0, len(values), width):
        some = values[start : start + width][None, :]
        agree = np.ones((len(said), some.shape[1]), np.bool_)
        for j, row in enumerate(rows):
            agree &= parity(some, row) == (said >> j & 1)
        found[start : start + width] = agree.sum(axis=0)
    return found


def _least_support(n: int, rows: int, candidates: int) -> int:
    """The least support that nobody's prefix reaches but with a small chance, over all the candidates together."""
    level = float(CHANCE_OF_A_GHOST / candidates)
    nobody = 1 / (1 << rows)
    least, most = 0, n + 1
    while least < most:
        middle = (least + most) // 2
        if middle > n or success_bounds(max(0, middle - 1), n, level)[0] > nobody:
            most = middle
        else:
            least = middle + 1
    return least


def _share(protocol: Prefixes, c: int, n: int, confidence: Fraction) -> ShareEstimate:
    p, q = protocol.answer.holds, Fraction(1, 1 << protocol.rows)
    level = float((1 - confidence) / 2)
    low, high = success_bounds(max(0, c - 1), n, level)[0], success_bounds(min(n, c + 1), n, level)[1]
    a, b = (min(max((x - float(q)) / float(p - q), 0.0), 1.0) for x in (low, high))
    said = Fraction(c, n)
    return ShareEstimate(
        float((said - q) / (p - q)), a, b, float(said * (1 - said) / (n * (p - q) ** 2)), confidence
    )


def _split(reports: Columns) -> ReportsAbout:
    def about(told: int) -> Columns:
        here = reports["told"] == told
        return {name: column[here] for name, column in reports.items()}

    return about
