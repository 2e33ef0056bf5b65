"""What a person may answer, declared beforehand: one of several values, or a number between two public ends.

A domain is never read from the data: which values occur, and the largest of them, are somebody's answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import brief_text, exact, exact_text
from lapcat.core.mechanisms.finite import checked_whole
from lapcat.errors import BadArgument

MOST_STEPS = 1 << 16  # finer than any noise of the local model shows
OTHER = "(other)"
FARTHEST_END = Fraction(10) ** 100


@dataclass(frozen=True, slots=True)
class Values:
    """One of these texts. What is none of them counts as `missing`, by default a value of its own, "(other)".

    >>> Values(("red", "blue")).texts
    ('red', 'blue', '(other)')
    >>> Values(("red", "blue"), missing="red").index("green")
    0
    """

    given: tuple[str, ...]
    missing: str | None = None

    def __post_init__(self) -> None:
        given = _texts(self.given)
        object.__setattr__(self, "given", given)
        if not isinstance(self.missing, str | None):
            raise BadArgument(
                "local-values", "what is missing counts as a text", fix=f"missing={given[-1:]!r}"
            )
        if len(set(given)) != len(given) or OTHER in given or len(self.texts) < 2:
            raise BadArgument(
                "local-values",
                "the values are several different texts"
                + (f", and {OTHER} is what all the rest counts as" if OTHER in given else ""),
                fix='("yes", "no")',
            )
        if self.missing is not None and self.missing not in given:
            raise BadArgument(
                "local-values",
                "what is missing counts as one of the values, and this is none of them",
                fix=f"missing={given[0]!r}",
            )

    @property
    def texts(self) -> tuple[str, ...]:
        return self.given if self.missing is not None else (*self.given, OTHER)

    @property
    def size(self) -> int:
        return len(self.texts)

    def index(self, text: str | None) -> int:
        """Where a text stands; every text has a place, so that nobody's answer stays away."""
        other = self.texts.index(self.missing if self.missing is not None else OTHER)
        return self.given.index(text) if text in self.given else other

    def as_json(self) -> dict[str, object]:
        return {"kind": "values", "values": list(self.given), "missing": self.missing}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number from low to high, moved to the nearest of `steps` + 1 evenly spaced ones.

    Whole numbers that are few need no moving: by default each has a step of its own, else there are 2^16.

    >>> Numbers(18, 100).steps, Numbers(0, 1).steps, Numbers("0", "2.5").steps
    (82, 1, 65536)
    """

    low: Fraction
    high: Fraction
    steps: int = 0

    def __post_init__(self) -> None:
        low, high = exact(self.low), exact(self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if low >= high:
            raise BadArgument(
                "local-numbers",
                f"low = {brief_text(low)} is not below high = {brief_text(high)}",
                fix="the least and the largest number that anybody can have, such as 18 and 100",
            )
        steps = checked_whole("local-steps", "steps", self.steps, 0, MOST_STEPS, "steps = 1000")
        if not steps:
            whole = low.denominator == high.denominator == 1 and high - low <= MOST_STEPS
            steps = int(high - low) if whole else MOST_STEPS
        object.__setattr__(self, "steps", steps)
        if max(abs(low), abs(high)) > FARTHEST_END or self.step < 1 / FARTHEST_END:
            raise BadArgument(
                "local-numbers",
                "the numbers lie beyond ±1e100, or nearer together than 1e-100",
                why="estimates and their variances are floats",
                fix="low = 0 and high = 1, with each number scaled to it first",
            )
        if math.ulp(max(abs(float(low)), abs(float(high)))) * 4 > self.step:
            raise BadArgument(
                "local-numbers",
                f"floats do not tell {steps} steps from {brief_text(low)} to {brief_text(high)} apart",
                fix=f"low = 0 and high = {exact_text(high - low)}, with {exact_text(low)} subtracted from each number first",
            )

    @property
    def size(self) -> int:
        return self.steps + 1

    @property
    def step(self) -> Fraction:
        return (self.high - self.low) / self.steps

    def places(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nearest step of each; what lies outside is moved to the end.

        In floats, as a browser computes it: what a person does to their own number costs nobody's privacy.

        >>> Numbers(18, 100).places(np.array([17, 20.5, 1e300])).tolist()
        [0, 3, 82]
        """
        low, high = float(self.low), float(self.high)
        moved = (np.clip(numbers, low, high) - low) * self.steps / (high - low)
        return np.clip(np.floor(moved + 0.5), 0, self.steps).astype(np.int64)

    def number(self, place: Fraction | float) -> float:
        """The number at a place that need not be a step."""
        return float(self.low) + float(self.step) * float(place)

    def as_json(self) -> dict[str, object]:
        return {
            "kind": "numbers",
            "low": exact_text(self.low),
            "high": exact_text(self.high),
            "steps": self.steps,
        }


@dataclass(frozen=True, slots=True)
class Texts:
    """Any text of at most `length` letters of the alphabet: too many to list, so that only the frequent ones are found."""

    alphabet: str
    length: int

    def __post_init__(self) -> None:
        if (
            not isinstance(self.alphabet, str)
            or isinstance(self.length, bool)
            or not isinstance(self.length, int)
        ):
            raise BadArgument(
                "local-alphabet", "an alphabet is a text, and a length a whole number", fix='Texts("abc", 8)'
            )

    @property
    def size(self) -> int:
        """With the end of a text as a letter of its own, and letters of whole bits."""
        return 1 << len(self.alphabet).bit_length() * self.length

    def as_json(self) -> dict[str, object]:
        return {"kind": "texts", "alphabet": self.alphabet, "length": self.length}


Domain = Values | Numbers | Texts


def domain_of(given: object) -> Domain:
    """A number of values, the values themselves, Numbers(low, high), or Texts(alphabet, length).

    >>> domain_of(3).size, domain_of(["yes", "no"]).texts, domain_of(Numbers(18, 100)).size
    (3, ('yes', 'no'), 83)
    """
    if isinstance(given, (Values, Numbers, Texts)):
        return given
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes)):
        texts = _texts(given)
        return Values(texts, missing=texts[-1] if texts else None)
    size = checked_whole("values-range", "the number of values", given, 2, 1 << 24, "domain=100")  # type: ignore[arg-type]
    return Values(tuple(str(i) for i in range(size)), missing="0")


def _texts(given: object) -> tuple[str, ...]:
    """The values as texts; a text or a number alone is no list of them."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise BadArgument(
            "local-values", f"the values are a list of texts, not {type(given).__name__}", fix='("yes", "no")'
        )
    return tuple(str(value) for value in given)


def domain_from_json(data: object) -> Domain:
    """What `as_json` wrote."""
    match data:
        case {"kind": "values", "values": list(texts), "missing": str() | None as missing} if all(
            isinstance(text, str) for text in texts
        ):
            return Values(tuple(texts), missing)
        case {"kind": "numbers", "low": str(low), "high": str(high), "steps": int(steps)} if (
            steps is not True
        ):
            return Numbers(exact(low), exact(high), steps)
        case {"kind": "texts", "alphabet": str(alphabet), "length": int(length)} if length is not True:
            return Texts(alphabet, length)
    raise BadArgument(
        "local-header",
        "the description of the domain is not one that lapcat writes",
        fix="encode the reports again",
    )
