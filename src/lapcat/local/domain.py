"""Domains, declared in advance: a list of values, a range of numbers with public bounds, or texts over an alphabet.

A domain is never read from the data: the set of values that occur, and their maximum, depend on individual answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapcat.core.exact import brief_text, exact, exact_text
from lapcat.core.mechanisms.checked import checked_whole
from lapcat.errors import BadArgument

MAX_STEPS = 1 << 16  # finer than any noise of the local model shows
OTHER = "(other)"
FARTHEST_END = Fraction(10) ** 100


@dataclass(frozen=True, slots=True)
class Values:
    """A list of texts. Any other text counts as `missing`, by default a value of its own, "(other)".

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
                "local-values", "`missing` must be a text", fix=f"missing={(given or ('no',))[-1]!r}"
            )
        if len(set(given)) != len(given) or OTHER in given or len(self.texts) < 2:
            raise BadArgument(
                "local-values",
                "the values must be at least two different texts"
                + (f"; {OTHER} is reserved for all other answers" if OTHER in given else ""),
                fix='("yes", "no")',
            )
        if self.missing is not None and self.missing not in given:
            raise BadArgument(
                "local-values",
                "`missing` must be one of the values",
                fix=f"missing={given[0]!r}",
            )

    @property
    def texts(self) -> tuple[str, ...]:
        return self.given if self.missing is not None else (*self.given, OTHER)

    @property
    def size(self) -> int:
        return len(self.texts)

    def index(self, text: str | None) -> int:
        """The index of a text; unknown texts have one too, so nobody's answer is left out."""
        other = self.texts.index(self.missing if self.missing is not None else OTHER)
        return self.given.index(text) if text in self.given else other

    def as_json(self) -> dict[str, object]:
        return {"kind": "values", "values": list(self.given), "missing": self.missing}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number from low to high, rounded to the nearest of `steps` + 1 evenly spaced numbers.

    By default each integer has a step of its own if the range has at most 2^16 steps; otherwise there are 2^16 steps.

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
                fix="give the smallest and the largest number that anybody can have, such as 18 and 100",
            )
        steps = checked_whole("local-steps", "steps", self.steps, 0, MAX_STEPS, "steps = 1000")
        if not steps:
            whole = low.denominator == high.denominator == 1 and high - low <= MAX_STEPS
            steps = int(high - low) if whole else MAX_STEPS
        object.__setattr__(self, "steps", steps)
        if max(abs(low), abs(high)) > FARTHEST_END or self.step < 1 / FARTHEST_END:
            raise BadArgument(
                "local-numbers",
                "the bounds lie beyond ±1e100, or the steps are smaller than 1e-100",
                why="estimates and their variances are floats",
                fix="low = 0 and high = 1; scale each number to this range first",
            )
        if math.ulp(max(abs(float(low)), abs(float(high)))) * 4 > self.step:
            raise BadArgument(
                "local-numbers",
                f"floats cannot distinguish {steps} steps from {brief_text(low)} to {brief_text(high)}",
                fix=f"low = 0 and high = {exact_text(high - low)}; subtract {exact_text(low)} from each number first",
            )

    @property
    def size(self) -> int:
        return self.steps + 1

    @property
    def step(self) -> Fraction:
        return (self.high - self.low) / self.steps

    def places(self, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nearest step of each number; numbers outside the range are clamped.

        In floats, as a browser computes it: this happens before randomisation, so rounding does not affect privacy.

        >>> Numbers(18, 100).places(np.array([17, 20.5, 1e300])).tolist()
        [0, 3, 82]
        """
        low, high = float(self.low), float(self.high)
        moved = (np.clip(numbers, low, high) - low) * self.steps / (high - low)
        return np.clip(np.floor(moved + 0.5), 0, self.steps).astype(np.int64)

    def number(self, place: Fraction | float) -> float:
        """The number at a place, which may lie between two steps."""
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
    """Texts of at most `length` letters of the alphabet: too many to list, so only the frequent texts can be found."""

    alphabet: str
    length: int

    def __post_init__(self) -> None:
        if (
            not isinstance(self.alphabet, str)
            or isinstance(self.length, bool)
            or not isinstance(self.length, int)
        ):
            raise BadArgument(
                "local-alphabet", "an alphabet is a text, and a length an integer", fix='Texts("abc", 8)'
            )

    @property
    def size(self) -> int:
        """Counts the end of the text as a letter, and letters as whole bits."""
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
    """The values as texts; a single text or number is refused."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise BadArgument(
            "local-values",
            f"the values must be a list of texts, not {type(given).__name__}",
            fix='("yes", "no")',
        )
    return tuple(str(value) for value in given)


def domain_from_json(data: object) -> Domain:
    """The inverse of `as_json`."""
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
        "the header describes a domain in an unknown format",
        fix="encode the reports again",
    )
