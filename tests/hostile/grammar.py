"""Made-up SQL: legal pieces and hostile ones in one sentence, and golden questions with words changed.

Every name and text that is invented here holds the guard's mark, so that it can be recognised wherever it turns up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from lapcat.plan.schema import Catalogue, ListedKeys, Table, Type
from tests.hostile.corpus import COUNT, DEFUSED, corpus
from tests.hostile.guard import MARK

TEXTS = [
    MARK, f"{MARK}'", f"''; DROP TABLE {MARK} --", f'{MARK}"', f"{MARK}\\", f"%{MARK}_", f"/*{MARK}", f"{MARK}*/", f"--{MARK}",
    f"${MARK}", f"{MARK}\u2028", f"{MARK}\u202e", f"{MARK}\n;", f"{MARK}\u0301", f"\U0001f408{MARK}", f"{{{MARK}}}", f"{MARK};",
    f"{MARK}%%", f"E'{MARK}", f"$${MARK}$$", f"{MARK}\x1b[2J", f"{MARK}\ufeff",
]  # fmt: skip
NUMBERS = [
    "0", "1", "77", "-1", "3.5", "1e3", "1e-320", "1e308", "9223372036854775807", "9223372036854775808", "-0.0", "1e-400",
    "18446744073709551616", "0.1", "00012", "4611686018427387904", "2", "10",
]  # fmt: skip
DAYS = ["2024-02-29", "0001-01-01", "9999-12-31", "2024-13-01", "2024-01-01 00:00:00", "infinity", MARK]
PARTS = ["year", "month", "day", "dow", "isodow", "doy", "hour", "minute", "quarter", "epoch", MARK]
STRANGE = [
    "\u00a0", "\u200b", "\ufeff", "\u2028", "/**/", "--\n", ";", "'", '"', "$$", "(", ")", ",", ".", "*", "[", "]", "{", "}", "::",
    "||", "->", "?", "$1", ":x", "@", "#", "`", "\\", "!", "~", "%", "^", "&", "|", "<=>", "==", "!=", ":=", "=>", "..", "\t", "\r",
]  # fmt: skip
WORDS = [
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "UNION ALL", "UNION", "EXCEPT", "JOIN", "LEFT JOIN",
    "CROSS JOIN", "ON", "USING", "WITH", "AS", "DISTINCT", "ALL", "NOT", "AND", "OR", "IN", "IS", "NULL", "TRUE", "LIKE", "ILIKE",
    "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "EXISTS", "FILTER", "OVER", "QUALIFY", "ROLLUP", "CUBE",
    "GROUPING SETS", "LATERAL", "PIVOT", "TABLESAMPLE", "VALUES", "INTERVAL", "ESCAPE", "COLLATE", "OFFSET", "RECURSIVE",
]  # fmt: skip
FAITHFUL = {
    "visits": "staff", "bills": "orders", "ward": "region", "cost": "salary", "day": "hired", "note": "name", "email": "secret",
    "amount": "amount", "weight": "weight", "vault": "regions",
}  # fmt: skip
"""The names of the corpus → those of the golden catalogue."""


@dataclass(frozen=True)
class Fragments:
    """Pieces of the corpus, by the place where they stood."""

    conditions: list[str]
    outputs: list[str]
    tables: list[str]


def fragments() -> Fragments:
    statements = [s for kind in corpus().values() for s in kind.values() if len(s) < 300] + DEFUSED
    pieces = Fragments([], [], [])
    for statement in statements:
        translated = re.sub(r"\w+", lambda word: FAITHFUL.get(word[0], word[0]), statement)
        if condition := re.match(r"SELECT COUNT\(\*\) FROM staff WHERE (.*)", translated, re.DOTALL):
            pieces.conditions.append(condition[1])
        elif table := re.match(r"SELECT COUNT\(\*\) FROM (.*)", translated, re.DOTALL):
            pieces.tables.append(table[1])
        elif output := re.match(r"SELECT (.*) FROM staff$", translated, re.DOTALL):
            pieces.outputs.append(output[1])
    assert min(len(pieces.conditions), len(pieces.outputs), len(pieces.tables)) > 40, COUNT
    return pieces


FRAGMENTS = fragments()


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ------------------------------------------------------------------------------------------------ sentences


class Sentences:
    """A grammar of questions about one table.

    A plain one keeps to what lapcat answers today, a daring one also says what it may not answer, and a hostile one
    takes one in eight of its pieces from the corpus.
    """

    def __init__(self, draw: st.DrawFn, table: Table, mood: str) -> None:
        self.draw, self.table = draw, table
        self.daring, self.hostile = mood != "plain", 12 if mood == "hostile" else 0

    def one(self, *pieces: str | Callable[[], str]) -> str:
        chosen = self.draw(st.sampled_from(pieces))
        return chosen if isinstance(chosen, str) else chosen()

    def dare(self, plain: list[str], *daring: str) -> str:
        return self.one(*plain, *(daring if self.daring else ()))

    def attack(self, pieces: list[str]) -> str | None:
        return self.draw(st.sampled_from(pieces)) if self.draw(st.integers(0, 99)) < self.hostile else None

    def column(self, *kinds: Type) -> str:
        names = [name for name, spec in self.table.columns.items() if not kinds or spec.type in kinds]
        if not names:
            return "1" if Type.INTEGER in kinds else quoted(MARK)
        name = self.draw(st.sampled_from(names))
        return self.one(name, name, name, f'"{name}"', name.upper())

    def number(self, depth: int = 2) -> str:
        if depth == 0:
            return self.one(*NUMBERS, *[lambda: self.column(Type.INTEGER, Type.FLOAT)] * len(NUMBERS))
        inner = depth - 1
        return self.one(
            lambda: self.number(0),
            lambda: (
                f"({self.number(inner)} {self.dare(['+', '-', '*', '/'], '%', '//')} {self.number(inner)})"
            ),
            lambda: (
                f"CLAMP({self.number(inner)}, {self.one('0', '-5', '1e-300')}, {self.one('10', '1e18', '7.5')})"
            ),
            lambda: f"{self.dare(['ABS', 'FLOOR', 'CEIL', 'ROUND'], 'SQRT')}({self.number(inner)})",
            lambda: f"{self.one('LEAST', 'GREATEST')}({self.number(inner)}, {self.number(inner)})",
            lambda: f"COALESCE({self.number(inner)}, {self.one(*NUMBERS)})",
            lambda: (
                f"CASE WHEN {self.condition(inner)} THEN {self.number(inner)} ELSE {self.number(inner)} END"
            ),
            lambda: (
                f"{self.one('CAST', 'TRY_CAST')}({self.castable(inner)} AS {self.dare(['BIGINT', 'DOUBLE'], 'HUGEINT')})"
            ),
            lambda: (
                f"WIDTH_BUCKET({self.number(inner)}, 0, {self.one('1', '100', '1e308')}, {self.one('1', '4', '50')})"
            ),
            lambda: f"EXTRACT({self.dare(PARTS[:6], *PARTS)} FROM {self.column(Type.DATE, Type.TIMESTAMP)})",
            lambda: f"- {self.number(inner)}",
        )

    def literal(self) -> str:
        return quoted(self.draw(st.sampled_from(TEXTS)))

    def text(self) -> str:
        return self.one(
            self.literal,
            self.literal,
            lambda: self.column(Type.TEXT),
            lambda: f"CAST({self.number(1)} AS TEXT)",
        )

    def moment(self) -> str:
        return self.one(
            lambda: self.column(Type.DATE, Type.TIMESTAMP),
            lambda: f"DATE {quoted(self.dare(DAYS[:3], *DAYS))}",
            lambda: quoted(self.dare(DAYS[:3], *DAYS)),
            lambda: f"CAST({self.column(Type.TEXT)} AS {self.one('DATE', 'TIMESTAMP')})",
            *(
                [lambda: f"date_trunc({quoted(self.one(*PARTS))}, {self.column(Type.DATE, Type.TIMESTAMP)})"]
                if self.daring
                else []
            ),
        )

    def castable(self, depth: int) -> str:
        return (
            self.anything(depth)
            if self.daring
            else self.one(lambda: self.number(depth), lambda: self.column(Type.TEXT))
        )

    def anything(self, depth: int = 1) -> str:
        return self.one(lambda: self.number(depth), self.text, self.moment, lambda: self.condition(depth))

    def condition(self, depth: int = 2) -> str:
        attacked = self.attack(FRAGMENTS.conditions)
        if attacked is not None:
            return attacked
        compare = self.dare(["=", "<>", "<", "<=", ">", ">="], "IS DISTINCT FROM", "<=>")
        simple: list[Callable[[], str]] = [
            lambda: f"{self.number(depth)} {compare} {self.number(depth)}",
            lambda: f"{self.column(Type.TEXT)} {compare} {self.text()}",
            lambda: f"{self.column(Type.DATE)} {compare} {self.moment()}",
            lambda: f"{self.column(Type.TEXT)} {self.dare(['LIKE', 'NOT LIKE'], 'ILIKE')} {self.literal()}",
            lambda: f"{self.column(Type.TEXT)} IN ({self.literal()}, {self.literal()})",
            lambda: f"{self.number(1)} BETWEEN {self.number(0)} AND {self.number(0)}",
            lambda: f"{self.anything(0)} IS {self.dare(['NULL', 'NOT NULL'], 'TRUE', 'NOT FALSE')}",
        ]
        if self.daring or any(spec.type is Type.BOOLEAN for spec in self.table.columns.values()):
            simple.append(lambda: self.column(Type.BOOLEAN))
        if depth == 0:
            return self.one(*simple)
        return self.one(
            *simple,
            lambda: f"({self.condition(depth - 1)} {self.one('AND', 'OR')} {self.condition(depth - 1)})",
            lambda: f"NOT ({self.condition(depth - 1)})",
        )

    def alias(self) -> str:
        name = f"{MARK}{self.draw(st.integers(0, 99))}"
        return self.one(name, f'"{name} ""x"', f'"{name}; --"', f'"{name}\'"')

    def output(self) -> str:
        attacked = self.attack(FRAGMENTS.outputs)
        if attacked is not None:
            return attacked
        aggregate = self.one(
            "COUNT(*)",
            lambda: f"COUNT({self.anything()})",
            lambda: f"SUM(CLAMP({self.number()}, 0, {self.one('9', '1e9')}))",
            lambda: f"AVG(CLAMP({self.number()}, -1, {self.one('1', '2.5')}))",
            *(
                [
                    lambda: f"{self.one('SUM', 'AVG')}({self.number()})",
                    lambda: f"COUNT(DISTINCT {self.column()})",
                    lambda: f"SUM({self.number(1)}) / COUNT(*)",
                    lambda: f"SUM(COUNT(*)) OVER ({self.one('', lambda: f'ORDER BY {self.column()}')})",
                ]
                if self.daring
                else []
            ),
        )
        if self.draw(st.integers(0, 3)) == 0:
            aggregate += f" FILTER (WHERE {self.condition(1)})"
        return aggregate + self.one("", lambda: f" AS {self.alias()}", lambda: f" AS {self.alias()}")

    def key(self) -> str:
        declared = [name for name, spec in self.table.columns.items() if isinstance(spec.keys, ListedKeys)]
        return self.one(
            *declared,
            *declared,
            *(
                [self.column, lambda: f"FLOOR({self.column(Type.INTEGER, Type.FLOAT)} / 20)"]
                if self.daring
                else []
            ),
            lambda: f"({self.condition(1)})",
            lambda: f"CASE WHEN {self.condition(1)} THEN {quoted(MARK)} ELSE 'b' END",
            lambda: f"WIDTH_BUCKET({self.number(1)}, 0, 10, 3)",
            lambda: f"BUCKETS(CLAMP({self.number(1)}, 0, {self.one('10', '0.3', '1e300')}), 5)",
        )

    def source(self, depth: int) -> str:
        attacked = self.attack(FRAGMENTS.tables)
        if attacked is not None:
            return attacked
        name = self.table.name
        whole: list[str | Callable[[], str]] = [name] * 6 + [f'"{name}"', f"{name} AS {MARK}t"]
        if depth and self.daring:
            whole += [
                lambda: f"(SELECT * FROM {self.source(depth - 1)} WHERE {self.condition(1)}) AS {MARK}s",
                lambda: f"{name} JOIN {self.source(depth - 1)} ON {self.condition(0)}",
            ]
        return self.one(*whole)

    def question(self) -> str:
        keys = [self.key() for _ in range(self.draw(st.sampled_from([0, 0, 1, 1, 2])))]
        outputs = [*keys, *(self.output() for _ in range(self.draw(st.integers(1, 3))))]
        text = f"SELECT {', '.join(outputs)} FROM {self.source(1)}"
        if self.draw(st.integers(0, 2)):
            text += f" WHERE {self.condition()}"
        if keys:
            text += f" GROUP BY {', '.join(keys)}"
            if self.daring and self.draw(st.integers(0, 9)) == 0:
                text += f" HAVING COUNT(*) > {self.number(0)}"
        if self.daring and self.draw(st.integers(0, 9)) == 0:
            text += f" ORDER BY {self.one('1', lambda: self.column())} {self.one('', 'DESC', 'NULLS FIRST')}"
        if self.daring and self.draw(st.integers(0, 14)) == 0:
            text += f" LIMIT {self.one(*NUMBERS)}"
        if self.daring and self.draw(st.integers(0, 14)) == 0:
            text = f"WITH {MARK}c AS (SELECT * FROM {self.table.name}) {text}"
        return text


@st.composite
def sentences(draw: st.DrawFn, catalogue: Catalogue) -> str:
    """A question of the grammar, half of them in words that lapcat knows."""
    table = draw(st.sampled_from(sorted(catalogue.tables.values(), key=lambda table: table.name)))
    return Sentences(draw, table, draw(st.sampled_from(["plain", "plain", "daring", "hostile"]))).question()


# ------------------------------------------------------------------------------------------------ changed words

TOKENS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|\s+|[^\w\s]")


@st.composite
def mutations(draw: st.DrawFn, questions: list[str]) -> str:
    """A golden question with one to three of its words left out, repeated, exchanged or replaced."""
    tokens = TOKENS.findall(draw(st.sampled_from(questions)))
    others = TOKENS.findall(draw(st.sampled_from(questions)))
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        place = draw(st.integers(0, max(0, len(tokens) - 1)))
        change = draw(
            st.sampled_from(["alike", "alike", "alike", "drop", "repeat", "swap", "replace", "insert", "cut"])
        )
        other = draw(st.integers(0, max(0, len(tokens) - 1)))
        word = draw(
            st.sampled_from(others or [" "])
            | st.sampled_from(STRANGE + WORDS + NUMBERS)
            | st.sampled_from(TEXTS).map(quoted)
            | st.sampled_from(FRAGMENTS.conditions + FRAGMENTS.outputs + FRAGMENTS.tables)
        )
        match change:
            case "alike":  # a text by a text, a number by a number, a word by a word
                kind = [at for at, token in enumerate(tokens) if _kind(token) == _kind(word)]
                if kind:
                    tokens[kind[place % len(kind)]] = word
            case "drop":
                del tokens[place : place + 1]
            case "repeat":
                tokens[place:place] = tokens[place : place + draw(st.integers(1, 6))]
            case "swap" if tokens:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case "replace":
                tokens[place : place + 1] = [word]
            case "insert":
                tokens[place:place] = [" ", word, " "]
            case _:
                tokens = tokens[:place] + tokens[max(place, other) :]
    return "".join(tokens)


def _kind(token: str) -> str:
    return (
        "text"
        if token[:1] == "'"
        else "number"
        if token[:1].isdigit()
        else "word"
        if token.isidentifier()
        else "sign"
    )
