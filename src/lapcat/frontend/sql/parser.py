"""SQLGlot decides what a text says before anything is proved about it: only a version that reads SQL as expected is used.

`vectors.tsv` has a text for every construct that is read, and for those that must stay refused, each with the digests of the
trees and words that are expected: more than one where versions differ in what is refused anyway. A version that
is not listed is compared once in each process, before its first question.
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
"""The vectors agree with these. All tests run with the newest version there is; what golden questions ask is also compared with
the oldest, which is the bound in pyproject.toml. Before 30.24, `a = b IS TRUE` was read as `a = (b IS TRUE)`."""
NOTES = frozenset({"big_int", "typed", "safe", "_type"})
"""What SQLGlot notes on nodes for printing them in other dialects: it is not read."""


def require_parser() -> None:
    """Refuses where the installed SQLGlot reads a text in another way."""
    if _installed() in CHECKED and _is_plain():
        return
    differs = differing()
    if differs:
        raise Refused(
            "parser-differs",
            f"SQLGlot {_installed()} reads `{differs[0]}` in another way than lapcat expects"
            + (f", and {len(differs) - 1} other texts" if len(differs) > 1 else ""),
            why="what a question asks is decided there, before its price and its privacy are derived from it",
            fix=f"pip install 'sqlglot>={CHECKED[0]},<={CHECKED[-1]}'",
        )


@cache
def differing() -> tuple[str, ...]:
    """The texts that the installed SQLGlot reads in another way."""
    return tuple(text for text, expected in vectors() if digest(text) not in expected)


def vectors() -> Iterator[tuple[str, frozenset[str]]]:
    """Each text, and the digests that its tree may have."""
    for line in resources.files(__package__).joinpath("vectors.tsv").read_text("utf-8").splitlines():
        digests, _, text = line.partition("\t")
        yield text, frozenset(digests.split(" "))


def digest(text: str) -> str:
    """A digest of what is read of a text."""
    return hashlib.sha256(reading(text).encode()).hexdigest()[:12]


def reading(text: str) -> str:
    """What SQLGlot reads: the words with their kinds and places, which say where an expression begins and ends, and the tree of
    classes and the parts of each; `refused` in the place of what it does not read."""
    dialect = Dialect.get_or_raise("duckdb")
    try:
        words = dialect.tokenize(text)
    except TokenError:
        return "refused"
    said = " ".join(f"{word.token_type.name}@{word.start}-{word.end}" for word in words)
    try:
        return f"{said}\n{'; '.join(map(_shape, dialect.parser().parse(words, text)))}"
    except ParseError:
        return f"{said}\nrefused"


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
    """Whether SQLGlot is the Python that was tested: sqlglotc puts compiled modules over it, sqlglotrs another tokenizer."""
    return all(str(module.__file__).endswith(".py") for module in (parser, tokens)) and not getattr(
        tokens, "USE_RS_TOKENIZER", False
    )
