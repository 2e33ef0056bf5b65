"""Words that the house does not use, in docs, errors, help and code: they made readers translate back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GONE = re.compile(
    r"\b(whoever|(?<!each )(?<!some )(?<!one )(?<!two )of which|so many|mend(?:s|ed|ing)?|tells? on|held against|what (?:[\w'’]+ ){1,6}comes? to)\b",
    re.IGNORECASE,
)
PAGES = sorted(
    file
    for pattern in ("*.md", "docs/**/*.md", "docs/**/*.ipynb", "src/**/*.py", "src/**/*.html", "src/**/*.js", "src/**/*.json")
    for file in ROOT.glob(pattern)
)  # fmt: skip


def test_words_that_are_gone_stay_gone() -> None:
    places = [
        f"{file.relative_to(ROOT)}:{number} {match.group()}"
        for file in PAGES
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        for match in GONE.finditer(line)
        if line.strip() != '"mend": self.fix,'  # a field of `lapcat error --json`, which is a contract
    ]
    assert not places, "\n".join(["say it with a noun and a verb (CONTRIBUTING.md):", *places])


@pytest.mark.parametrize(
    "sentence",
    [
        "Whoever asks pays.",
        "ten rows, of which three count",
        "what a unit's rows come to",
        "it is held against the cap",
        "how to mend it",
    ],
)
def test_each_of_them_is_noticed(sentence: str) -> None:
    assert GONE.search(sentence)
