"""The catalogue drafted by `lapcat init`, and the open questions listed by `lapcat check`.

Names and types come from the source. The unit, the budget, bounds and keys are decisions: the draft leaves them open in
lines that begin with `# ?` (required) or `# +` (optional). Values are used for nothing else: a bound read from the rows
would publish the largest salary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from lapcat.plan.schema import ReadOptions, Type
from lapcat.plan.words import toml_key, toml_text

if TYPE_CHECKING:
    from lapcat.cli.intake import Intake

QUESTION, OPTION = "# ?", "# +"
"""Marks of required and optional decisions."""
GUESSED = "# guessed: confirm"
SCHEMA = "lapcat.schema.json"
"""A copy of the JSON schema beside the catalogue, for completion and checks in editors."""
PEOPLE = "people"
"""The population name in a draft whose tables share people."""

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
    """Whether it is a type or format guessed from values and not yet confirmed."""
    optional: bool = False
    """Whether the catalogue is complete without it."""


def open_questions(text: str) -> list[OpenQuestion]:
    """The lines with an open question or an unconfirmed guess.

    >>> for question in open_questions('# ? unit = "row"\\n# + age: low = …\\nage = {}   # guessed: confirm'):
    ...     print(question.line, question.text, question.guessed, question.optional)
    1 unit = "row" False False
    2 age: low = … False True
    3 age = {} True False
    """
    questions = []
    for number, line in enumerate(text.splitlines(), 1):
        mark = next((mark for mark in (QUESTION, OPTION) if line.strip().startswith(mark)), None)
        if mark is not None:
            decision = line.strip().removeprefix(mark).strip().removesuffix("in this line:").strip()
            questions.append(OpenQuestion(number, decision, optional=mark == OPTION))
        elif GUESSED in line:
            questions.append(OpenQuestion(number, line.split(GUESSED)[0].strip(), True))
    return questions


@dataclass(frozen=True, slots=True)
class UnitChoice:
    """The privacy unit of a table: the row, the value of a column, or the unit of a row in another table, found by a key."""

    column: str = "row"
    through: tuple[str, str] | None = None
    of: str | None = None
    rows: int = 10
    """rows_per_unit, the contribution bound."""

    def __str__(self) -> str:
        return self.column if self.through is None else f"{self.column} through {'.'.join(self.through)}"

    @property
    def toml(self) -> str:
        more = {"through": None if self.through is None else ".".join(self.through), "of": self.of}
        given = [f"{key} = {toml_text(value)}" for key, value in more.items() if value is not None]
        if not given:
            return toml_text(self.column)
        return f"{{ {', '.join([f'column = {toml_text(self.column)}', *given])} }}"


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of the steward: the privacy unit of each table, and the budget."""

    units: Mapping[str, UnitChoice]
    epsilon: str


def draft(tables: Mapping[str, Intake], decided: Decisions | None = None) -> str:
    """A catalogue for new tables, as valid TOML; undecided lines are left open."""
    named = ", ".join(intake.source for intake in tables.values())
    opening = f"# The catalogue of {' '.join(named.split())}, drafted by `lapcat init`."
    if len(opening) > 79:
        opening = f"# The catalogue of {len(tables)} tables, drafted by `lapcat init`."
    return "\n".join([*head(opening), *sections(tables, decided)]) + "\n"


def head(opening: str) -> list[str]:
    """The lines above the tables."""
    return [
        f"#:schema ./{SCHEMA}",
        opening,
        "# You are the steward: you decide who is protected, and how well.",
        "#",
        f"# Lines that begin with `{QUESTION}` are required decisions; those with `{OPTION}` are",
        "# optional, for SUM, AVG and GROUP BY. `lapcat check` lists them. To decide,",
        "# remove the mark and enter your value; or delete the line.",
        "# Bounds and keys are public: choose them from general knowledge, not from",
        "# the rows.",
        "",
        "[ledger]",
        'store = "sqlite:lapcat.ledger"   # records spending: back it up',
        'key = "~/.config/lapcat/key"     # signs receipts; created on first use',
    ]


def sections(
    tables: Mapping[str, Intake], decided: Decisions | None, populations: Collection[str] = ()
) -> list[str]:
    """The tables, and their population if several share people and it is not declared yet."""
    mark = f"{QUESTION} " if decided is None else ""
    choices = suggestions(tables) if decided is None else decided.units
    epsilon = "1" if decided is None else decided.epsilon
    keys = {choice.through for choice in choices.values()}
    lines: list[str] = []
    for name, intake in tables.items():
        unique = {column for column in intake.types if (name, column) in keys}
        lines += ["", *_table(name, intake, choices[name], epsilon, mark, unique)]
    if PEOPLE not in populations and any(choice.of for choice in choices.values()):
        lines += [
            "",
            "# Several tables are about the same people: this is their budget for all of",
            "# them together.",
            f"[populations.{PEOPLE}]",
            f"{mark}budget = {{ epsilon = {epsilon} }}",
        ]
    return lines


def _table(
    name: str, intake: Intake, choice: UnitChoice, epsilon: str, mark: str, unique: Collection[str]
) -> list[str]:
    lines = [
        f"[tables.{name}]",
        f"source = {toml_text(intake.source)}",
        *_read_lines(intake.read),
        "",
        "# Who is protected? The column that identifies a person (all rows with the",
        '# same value are theirs), or "row" if every row is a different person.',
        f"{mark}unit = {choice.toml}",
    ]
    if mark or choice.column != "row":
        lines += ["", "# The most rows that one person may contribute. More rows, more noise."]
        lines += ['# (With unit = "row" delete this line.)'] if mark else []
        lines += [f"{mark}rows_per_unit = {choice.rows}"]
    lines += [
        "",
        "# The budget for all questions of all analysts: 1 is careful, 10 the maximum.",
        "# `lapcat epsilon 1` says what that means for somebody in the data.",
        f"{mark}budget = {{ epsilon = {epsilon} }}",
        "",
        f"[tables.{name}.columns]",
        "# A column that is not listed cannot be used at all.",
        "# A column with only a type can be used in WHERE and COUNT.",
        "# A value that does not fit its type counts as missing: `n/a` among integers,",
        "# dates in another format. `lapcat check --rows` counts them.",
    ]
    for column, kind in intake.types.items():
        if column != choice.column:
            lines += _questions(column, kind)
        more = ", unique = true" if column in unique else ""
        guess = f"   {GUESSED}" if intake.guessed else ""
        lines.append(f'{toml_key(column)} = {{ type = "{kind}"{more} }}{guess}')
    return lines


def suggestions(tables: Mapping[str, Intake]) -> dict[str, UnitChoice]:
    """Likely privacy units, guessed from column names only: a person column, or a key to a table that has one."""
    people = {name: _named_like(intake.types, PERSON) for name, intake in tables.items()}
    shared = {column for column in people.values() if column and list(people.values()).count(column) > 1}
    choices: dict[str, UnitChoice] = {}
    for name, intake in tables.items():
        column = people[name]
        if column is not None:
            choices[name] = UnitChoice(column, of=PEOPLE if column in shared else None)
            continue
        ways = [
            UnitChoice(key, (other, key))
            for key in intake.types
            for other, person in people.items()
            if person not in (None, key)
            and key in tables[other].types
            and re.search(r"(?i)id$|key$|no$|nr$", key)
        ]
        choices[name] = ways[0] if ways else UnitChoice(_named_like(intake.types, r".*id") or "row")
    return choices


PERSON = r"(person|user|patient|customer|client|employee|member|reader|staff|student)_?(id|no|nr|number)?"


def _named_like(names: Iterable[str], pattern: str) -> str | None:
    plain = {name: re.sub(r"\W+", "_", name.lower()).strip("_") for name in names}
    return next((name for name, word in plain.items() if re.fullmatch(pattern, word)), None)


def _read_lines(read: ReadOptions) -> list[str]:
    """The read options that differ from the defaults; guesses are marked."""
    lines = []
    for option in fields(read):
        value = getattr(read, option.name)
        if value == option.default:
            continue
        if option.name == "names":
            lines += ["# The file has no header: give its columns better names, here and below."]
            lines += ["read.names = [", *_listed(read.names), "]"]
        else:
            written = str(value).lower() if isinstance(value, bool) else toml_text(str(value))
            guess = f"   {GUESSED}" if option.name.endswith(("format", "decimal_separator")) else ""
            lines.append(f"read.{option.name} = {written}{guess}")
    return lines


def _listed(names: Sequence[str]) -> list[str]:
    """The items of a TOML list, several per line."""
    lines = [""]
    for text in map(toml_text, names):
        if lines[-1] and len(lines[-1]) + len(text) > 74:
            lines.append("")
        lines[-1] += ("    " if not lines[-1] else " ") + text + ","
    return lines


def table_name(stem: str) -> str:
    """A table name that needs no quotes in SQL.

    >>> table_name("Staff 2024"), table_name("2024"), table_name("order"), table_name("Ärzte")
    ('staff_2024', 't_2024', 't_order', 't_rzte')
    """
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    plain = re.fullmatch(r"[a-z][a-z0-9_]*", name) and not _WORD_OF_SQL.fullmatch(name) and stem[:1].isascii()
    return name if plain else f"t_{name}"


def _questions(name: str, kind: Type) -> list[str]:
    """The decision a column needs before it can be used beyond WHERE and COUNT."""
    match kind:
        case Type.INTEGER | Type.FLOAT:
            return [f"{OPTION} {toml_key(name)}: SUM and AVG need   low = …, high = …   in this line:"]
        case Type.DATE:
            return [f"{OPTION} {toml_key(name)}: GROUP BY needs   low = 2020-01-01, high = …   in this line:"]
        case Type.TEXT:
            return [f'{OPTION} {toml_key(name)}: GROUP BY needs   keys = ["…", "…"]   in this line:']
        case Type.BOOLEAN | Type.TIMESTAMP:
            return []
