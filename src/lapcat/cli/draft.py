"""The catalogue that `lapcat init` drafts, and the open questions that `lapcat check` lists.

Names and types come from the source; who is protected, what may be spent, bounds and keys are decisions, so the draft
asks for them in lines that begin with `# ?`. Nothing else of the values is used: a bound read from the rows would tell
the largest salary to whoever reads the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapcat.plan.schema import Type
from lapcat.plan.words import toml_key, toml_text

QUESTION = "# ?"
GUESSED = "# guessed: confirm"

_WORD_OF_SQL = re.compile(
    r"all|and|any|as|asc|both|by|case|cast|check|column|create|cross|default|desc|distinct|do|else|"
    r"end|except|false|filter|for|foreign|from|full|grant|group|having|in|inner|intersect|into|is|"
    r"join|key|left|like|limit|natural|not|null|offset|on|or|order|outer|primary|references|right|"
    r"row|rows|select|set|some|table|then|to|true|union|unique|user|using|values|when|where|window|"
    r"with"
)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A line of the catalogue that waits for a decision."""

    line: int
    text: str
    guessed: bool = False
    """Whether it is a type that was read from values and that nobody has confirmed."""


def open_questions(text: str) -> list[OpenQuestion]:
    """Every line that asks something, or holds a type that nobody has confirmed.

    >>> open_questions('# ? unit = "row"\\nage = {}   # guessed: confirm')
    [OpenQuestion(line=1, text='unit = "row"', guessed=False), OpenQuestion(line=2, text='age = {}', guessed=True)]
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(QUESTION):
            found.append(
                OpenQuestion(
                    number, line.strip().removeprefix(QUESTION).strip().removesuffix("in this line:").strip()
                )
            )
        elif GUESSED in line:
            found.append(OpenQuestion(number, line.split(GUESSED)[0].strip(), True))
    return found


def draft(source: str, stem: str, types: Mapping[str, Type], *, guessed: bool) -> str:
    """A catalogue for one source, valid TOML, with its decisions left open."""
    table = table_name(stem)
    unit = likely_unit(list(types))
    lines = [
        f"# The catalogue of {' '.join(source.split())}, drafted by `lapcat init`.",
        "# You are the steward: who is protected, and how well, is your decision.",
        "#",
        f"# Lines that begin with `{QUESTION}` are open questions; `lapcat check` lists them.",
        "# To answer one, take the mark away and put your value in; or delete the line.",
        "# Bounds and keys are public: take them from what you know of the world,",
        "# not from the rows.",
        "",
        "[ledger]",
        'store = "sqlite:lapcat.ledger"   # what was spent; keep it, back it up',
        "",
        f"[tables.{table}]",
        f"source = {toml_text(source)}",
        "",
        "# Who is protected? The column that names a person (all rows with the same",
        '# value are theirs), or "row" if every row is a person of its own.',
        f"{QUESTION} unit = {toml_text(unit or 'row')}",
        "",
        "# The most rows that one person may count for. More rows, more noise.",
        '# (With unit = "row" delete this line.)',
        f"{QUESTION} rows_per_unit = 10",
        "",
        "# How much may be spent in all, by everybody: 1 is careful, 10 is the most.",
        "# `lapcat epsilon 1` says what that means to somebody in the data.",
        f"{QUESTION} budget = {{ epsilon = 1 }}",
        "",
        f"[tables.{table}.columns]",
        "# A column that is not listed cannot be used at all.",
        "# A column with a type alone may be used in WHERE and COUNT.",
        "# A value that does not fit its type counts as missing: `n/a` among integers,",
        "# dates not written as 2024-12-31. `lapcat check --rows` counts them.",
    ]
    for name, kind in types.items():
        if name != unit:
            lines += _questions(name, kind)
        lines.append(f'{toml_key(name)} = {{ type = "{kind}" }}' + (f"   {GUESSED}" if guessed else ""))
    return "\n".join(lines) + "\n"


def table_name(stem: str) -> str:
    """A name that needs no quotes in SQL.

    >>> table_name("Staff 2024"), table_name("2024"), table_name("order"), table_name("Ärzte")
    ('staff_2024', 't_2024', 't_order', 't_rzte')
    """
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    plain = re.fullmatch(r"[a-z][a-z0-9_]*", name) and not _WORD_OF_SQL.fullmatch(name) and stem[:1].isascii()
    return name if plain else f"t_{name}"


def likely_unit(names: Sequence[str]) -> str | None:
    """A column whose name looks like a person's; only a suggestion, in a line that is commented out."""
    for pattern in (
        r"(person|user|patient|customer|client|employee|member|reader|staff|student)_?(id|no|nr|number)?",
        r".*id",
    ):
        for name in names:
            if re.fullmatch(pattern, re.sub(r"\W+", "_", name.lower()).strip("_")):
                return name
    return None


def _questions(name: str, kind: Type) -> list[str]:
    """What must be decided before more than WHERE and COUNT can be done with a column."""
    match kind:
        case Type.INTEGER | Type.FLOAT:
            return [f"{QUESTION} {toml_key(name)}: SUM and AVG need   low = …, high = …   in this line:"]
        case Type.DATE:
            return [
                f"{QUESTION} {toml_key(name)}: GROUP BY needs   low = 2020-01-01, high = …   in this line:"
            ]
        case Type.TEXT:
            return [f'{QUESTION} {toml_key(name)}: GROUP BY needs   keys = ["…", "…"]   in this line:']
        case Type.BOOLEAN | Type.TIMESTAMP:
            return []
