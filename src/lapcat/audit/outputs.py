"""The answers of many runs as columns of numbers, words and lengths, whatever type the mechanism returns."""

from __future__ import annotations

import numbers as kinds
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Words = NDArray[np.object_]
MAX_PARTS = 256
"""Longer answers are cut to this many parts; their length is kept."""

EXACT = 1 << 53


@dataclass(frozen=True, slots=True)
class Outputs:
    """n answers of up to k parts: numbers[i, j] is NaN if words[i, j] is a text, or if there is no such part."""

    numbers: Numbers
    words: Words | None
    """None if all parts are numbers."""
    lengths: Numbers
    """The number of parts of each answer; the number of characters if the answer is a single text."""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def width(self) -> int:
        return int(self.numbers.shape[1])

    def column(self, j: int) -> Numbers:
        """The j-th number of each answer, or NaN."""
        return self.numbers[:, j] if j < self.width else np.full(len(self), np.nan)

    def spelled(self, j: int) -> Words:
        """The j-th part of each answer as a text."""
        if j >= self.width:
            return np.full(len(self), "", object)
        if self.words is None:
            return np.array([repr(x) for x in self.numbers[:, j].tolist()], object)
        pairs = zip(self.words[:, j], self.numbers[:, j].tolist(), strict=True)
        return np.array([repr(x) if word is None else word for word, x in pairs], object)

    def patterns(self) -> Words:
        """Each whole answer as a text: equal if the answers are equal."""
        if self.words is None:
            return np.array([repr(row) for row in map(tuple, self.numbers.tolist())], object)
        rows = zip(self.words.tolist(), self.numbers.tolist(), strict=True)
        return np.array(
            [
                repr(tuple(x if word is None else word for word, x in zip(texts, row, strict=True)))
                for texts, row in rows
            ],
            object,
        )


def outputs_of(answers: Any) -> Outputs:
    """The columns of a list of answers, or of an array whose first axis is the run."""
    if isinstance(answers, np.ndarray) and answers.dtype.kind in "biuf":
        numbers = answers.reshape(len(answers), -1)[:, :MAX_PARTS].astype(np.float64)
        width = 1 if answers.ndim == 1 else int(np.prod(answers.shape[1:]))
        return Outputs(numbers, None, np.full(len(answers), float(width)))
    listed = list(answers)
    if listed and all(_is_float(answer) for answer in listed):
        return outputs_of(np.array(listed, np.float64))
    split = [list(_parts(answer)) for answer in listed]
    lengths = np.array(
        [
            len(a) if isinstance(a, str | bytes) else len(parts)
            for a, parts in zip(listed, split, strict=True)
        ],
        np.float64,
    )
    width = min(MAX_PARTS, max((len(parts) for parts in split), default=1)) or 1
    numbers = np.full((len(split), width), np.nan)
    words = np.full((len(split), width), None, object)
    for i, parts in enumerate(split):
        for j, part in enumerate(parts[:width]):
            if isinstance(part, str):
                words[i, j] = part
            else:
                numbers[i, j] = part
        words[i, len(parts) :] = ""
    every = all(word is None for row in words for word in row)
    return Outputs(numbers, None if every else words, lengths)


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Concatenates batches of answers."""
    width = max(part.width for part in parts)
    spelled = any(part.words is not None for part in parts)
    return Outputs(
        np.concatenate([_wide(part.numbers, width, np.nan) for part in parts]),
        np.concatenate([_wide(_words_of(part), width, "") for part in parts]) if spelled else None,
        np.concatenate([part.lengths for part in parts]),
    )


def _is_float(answer: object) -> bool:
    """Whether a float represents it exactly; a larger integer is read as a text."""
    return type(answer) in (float, bool) or (type(answer) is int and abs(answer) <= EXACT)


def _words_of(part: Outputs) -> Words:
    return np.full(part.numbers.shape, None, object) if part.words is None else part.words


def _wide(array: NDArray[Any], width: int, missing: object) -> NDArray[Any]:
    more = np.full((len(array), width - array.shape[1]), missing, array.dtype)
    return np.concatenate([array, more], axis=1)


def _parts(answer: object) -> Iterator[float | str]:
    """The leaves of an answer, from left to right: numbers as floats, everything else as a text."""
    match answer:
        case str():
            yield answer
        case bytes():
            yield answer.hex()
        case np.ndarray():
            yield from _parts(answer.tolist())
        case Mapping():
            for key in sorted(answer, key=repr):
                yield str(key)
                yield from _parts(answer[key])
        case Set():
            yield from sorted(map(repr, answer))
        case list() | tuple():
            for part in answer:
                yield from _parts(part)
        case kinds.Real() if not isinstance(answer, int) or _is_float(answer):
            yield float(answer)
        case _:
            yield repr(answer)
