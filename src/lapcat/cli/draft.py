"""The catalogue that `lapcat init` drafts, and the open questions that `lapcat check` lists.

Names and types come from the source; who is protected, what may be spent, bounds and keys are decisions, so the draft
asks for them in lines that begin with `# ?`. Nothing else of the values is used: a bound read from the rows would tell
the largest salary to whoever reads the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapcat.plan.schema import Type

QUESTION = "# ?"
GUESSED = "# guessed: confirm"

_WORDS_OF_SQL = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "asc",
        "both",
        "by",
        "case",
        "cast",
        "check",
        "column",
        "create",
        "cross",
        "default",
        "desc",
        "distinct",
        "do",
        "else",
        "end",
        "except",
        "false",
        "filter",
        "for",
        "foreign",
        "from",
        "full",
        "grant",
        "group",
        "having",
        "in",
        "inner",
        "intersect",
        "into",
        "is",
        "join",
        "key",
        "left",
        "like",
        "limit",
        "natural",
        "not",
        "null",
        "offset",
        "on",
        "or",
        "order",
        "outer",
        "primary",
        "references",
        "right",
        "row",
        "rows",
        "select",
        "set",
        "some",
        "table",
        "then",
        "to",
        "true",
        "union",
        "unique",
        "user",
        "using",
        "values",
        "when",
        "where",
        "window",
        "with",
    ]
)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A line of the catalogue that waits for a decision."""

    line: int
    text: str


def open_questions(text: str) -> list[OpenQuestion]:
    """Every line that asks something, or holds a type that nobody has confirmed.

    >>> [(q.line, q.text) for q in open_questions('# ? unit = "row"\\nage = {}  # guessed: confirm')]
    [(1, 'unit = "row"'), (2, 'confirm the type: age = {}')]
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(QUESTION):
            asked = line.strip().removeprefix(QUESTION).strip()
            found.append(OpenQuestion(number, asked.split("   # ")[0].strip()))
        elif GUESSED in line:
            found.append(OpenQuestion(number, "confirm the type: " + line.split(GUESSED)[0].strip()))
    return found


def draft(source: str, stem: str, types: Mapping[str, Type], *, guessed: bool) -> str:
    """A catalogue for one source, valid TOML, with its decisions left open."""
    table = table_name(stem)
    unit = likely_unit(list(types))
    head = [
        f"# lapcat.toml: drafted by `lapcat init {source}`. You are the steward: the decisions are yours.",
        f"# A line that begins with `{QUESTION}` is an open question. To answer it, take that mark away and put your value in,",
        "# or delete the line if the answer is no. `lapcat check` lists what is still open; it reads no row.",
        "# Bounds and keys are public. Take them from what you know of the world, not from the rows.",
        "",
        "[ledger]",
        'store = "sqlite:lapcat.ledger"   # where what was spent is kept; keep it, back it up',
        "",
        f"[tables.{table}]",
        f"source = {_quoted(source)}",
        "",
        "# Who is protected? The column that names a person (all rows with the same value are theirs),",
        '# or "row" if every row is a person of its own.',
        f"{QUESTION} unit = {_quoted(unit or 'row')}",
        "# The most rows that one person may count for (only with a unit column): more rows, more noise.",
        f"{QUESTION} rows_per_unit = 10",
        "# How much privacy may be spent in all, over all questions and analysts: 1 is careful, 10 is the most.",
        f"{QUESTION} budget = {{ epsilon = 1 }}",
        "",
        f"[tables.{table}.columns]",
        "# A column that is not listed here cannot be used at all. As it is, a column may be used in WHERE and COUNT.",
        '# SUM and AVG need bounds:  low = 0, high = 100      GROUP BY needs public keys:  keys = ["a", "b"]',
    ]
    for name, kind in types.items():
        head += _column(name, kind, guessed)
    return "\n".join(head) + "\n"


def table_name(stem: str) -> str:
    """A name that needs no quotes in SQL.

    >>> table_name("Staff 2024"), table_name("2024"), table_name("order"), table_name("Ärzte")
    ('staff_2024', 't_2024', 't_order', 't_rzte')
    """
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    plain = re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in _WORDS_OF_SQL and stem[:1].isascii()
    return name if plain else f"t_{name}"


def likely_unit(names: Sequence[str]) -> str | None:
    """A column whose name looks like a person's; only a suggestion, in a line that is commented out."""
    for pattern in (
        r"(person|user|patient|customer|client|employee|member|staff|student)_?(id|no|number)?",
        r".*id",
    ):
        for name in names:
            if re.fullmatch(pattern, name.lower()):
                return name
    return None


def _column(name: str, kind: Type, guessed: bool) -> list[str]:
    mark = f"   {GUESSED}" if guessed else ""
    line = f'{_key(name)} = {{ type = "{kind}" }}{mark}'
    match kind:
        case Type.INTEGER | Type.FLOAT:
            ask = [f"{QUESTION} {name}: to allow SUM and AVG, add   low = …, high = …   to the line below"]
        case Type.DATE:
            ask = [
                f"{QUESTION} {name}: to allow GROUP BY, add   low = 2020-01-01, high = 2024-12-31   to the line below"
            ]
        case Type.TEXT:
            ask = [f'{QUESTION} {name}: to allow GROUP BY, add   keys = ["…"]   to the line below']
        case Type.BOOLEAN | Type.TIMESTAMP:
            ask = []
    return [*ask, line]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """A TOML basic string; JSON's escapes are a part of TOML's (but for DEL, which JSON leaves as it is)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
