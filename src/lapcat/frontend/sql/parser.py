"""Check of the installed SQLGlot. The parser decides what a text means before any proof begins, so only a version that
parses SQL as expected is used.

`vectors.tsv` has a text for every supported construct, and for those that must stay refused, each with the digests of
the expected trees and tokens: several where versions differ on a text that is refused anyway. A version that is not
in `CHECKED` is compared once per process, before its first question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from enum import Enum
from functools import cache
from importlib import resources

import sqlglot
from sqlglot import Dialect, exp, parser, tokens
from sqlglot.errors import ParseError, TokenError

from lapcat.errors import Refused

CHECKED = ("30.24.0", "30.25.0", "30.26.0", "30.27.0", "30.29.0", "30.30.0")
"""Versions that agree with the vectors. All tests run with the newest version; the golden questions are also compared with
the oldest, which is the bound in pyproject.toml. Before 30.24, `a = b IS TRUE` was parsed as `a = (b IS TRUE)`."""
NOTES = frozenset({"big_int", "typed", "safe", "_type"})
"""Node arguments that SQLGlot keeps for printing other dialects; they are ignored."""


def require_parser() -> None:
    """Refuses if the installed SQLGlot parses a text differently."""
    if _installed() in CHECKED and _is_plain():
        return
    differs = differing()
    if differs:
        raise Refused(
            "parser-differs",
            f"SQLGlot {_installed()} parses `{differs[0]}` differently than lapcat expects"
            + (f", and {len(differs) - 1} other texts" if len(differs) > 1 else ""),
            why="the parser decides what a question asks, and its price and privacy are derived from that",
            fix=f"pip install 'sqlglot>={CHECKED[0]},<={CHECKED[-1]}'",
        )


@cache
def differing() -> tuple[str, ...]:
    """The texts that the installed SQLGlot parses differently."""
    return tuple(text for text, expected in vectors() if digest(text) not in expected)


def vectors() -> Iterator[tuple[str, frozenset[str]]]:
    """Each text, and the digests that it may have."""
    for line in resources.files(__package__).joinpath("vectors.tsv").read_text("utf-8").splitlines():
        digests, _, text = line.partition("\t")
        yield text, frozenset(digests.split(" "))


def digest(text: str) -> str:
    """A digest of the tokens and the tree of a text."""
    return hashlib.sha256(reading(text).encode()).hexdigest()[:12]


def reading(text: str) -> str:
    """The tokens with their types and positions, and the tree of node classes and arguments; `refused` instead of what
    SQLGlot cannot parse."""
    dialect = Dialect.get_or_raise("duckdb")
    try:
        words = dialect.tokenize(text)
    except TokenError:
        return "refused"
    tokens_text = " ".join(f"{word.token_type.name}@{word.start}-{word.end}" for word in words)
    try:
        return f"{tokens_text}\n{'; '.join(map(_shape, dialect.parser().parse(words, text)))}"
    except ParseError:
        return f"{tokens_text}\nrefused"


def _shape(part: object) -> str:
    if isinstance(part, exp.Expression):
        kept = {key: value for key, value in part.args.items() if key not in NOTES and _is_there(value)}
        return f"{type(part).__name__}({', '.join(f'{key}={_shape(kept[key])}' for key in sorted(kept))})"
    if isinstance(part, list):
        return f"[{', '.join(map(_shape, part))}]"
    return part.name if isinstance(part, Enum) else repr(part)


def _installed() -> str:
    return str(vars(sqlglot)["__version__"])


def _is_there(value: object) -> bool:
    return value is not None and value is not False and value != [] and value != ""


def _is_plain() -> bool:
    """Whether SQLGlot is the tested pure-Python version: sqlglotc replaces modules by compiled ones, sqlglotrs the tokenizer."""
    return all(str(module.__file__).endswith(".py") for module in (parser, tokens)) and not getattr(
        tokens, "USE_RS_TOKENIZER", False
    )
