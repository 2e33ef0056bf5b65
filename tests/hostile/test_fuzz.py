"""A text is refused, or becomes a statement in lapcat's own words that no row can break. Nothing else happens."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.tokens import TokenType

import lapcat
from lapcat.frontend.catalogue import read_catalogue
from lapcat.frontend.sql import scalars
from lapcat.frontend.sql.scalars import Scalars
from lapcat.frontend.sql.text import Text
from lapcat.plan.expressions import Compare, Expression, Literal
from lapcat.plan.schema import ListedKeys, Table, Type
from lapcat.session import Session
from tests.engines.hostile import POOLS
from tests.hostile.desk import CANARY, Told, unburdened, witness
from tests.hostile.grammar import mutations, sentences
from tests.hostile.guard import Sources, findings
from tests.support import deploy

GOLDEN = Path(__file__).parents[1] / "golden" / "basics"
QUESTIONS = [path.read_text(encoding="utf-8").strip() for path in sorted(GOLDEN.glob("*/query.sql"))]
CATALOGUE = read_catalogue((GOLDEN / "catalogue.toml").read_text(encoding="utf-8"), lambda source: {})
SOON = 1.0
"""Seconds of processor time in which a text is refused, or priced."""
MANY_CELLS = 3_000
"""Questions with more groups are priced and not asked: their noise takes longer than all the rest."""


@dataclass
class Target:
    db: Session
    told: Told
    sources: Sources
    seen: Counter[str]

    def ask(self, text: str) -> None:
        """Everything that a text may lead to; whatever else happens is raised."""
        self.told.forget()
        epsilon = Fraction(1000 + self.seen["accepted"], 1000)  # more each time: no answer is a stored one
        start = time.process_time()
        try:
            question = self.db.sql(text)
            question.preview(epsilon=epsilon)
        except (lapcat.BadQuery, lapcat.Refused) as refusal:
            self.check_refusal(refusal, text)
            self.seen[f"refused: {refusal.code}"] += 1
            return
        finally:
            assert time.process_time() - start < SOON, "neither refused nor priced soon"
            assert self.told.uses == [], "the engine was used before the question was paid"
        self.seen["accepted"] += 1
        if question._prepared().plan.cells > MANY_CELLS:
            return
        answer = question.run(
            epsilon=epsilon
        )  # an engine's error would be raised as EngineFailed, by the door
        assert self.told.raised == []
        for statement in self.told.statements:
            problems = findings(statement, self.sources)
            assert problems == [], f"{problems}: {statement}"
        assert CANARY not in str(answer.rows[:50])
        self.seen["looked"] += bool(self.told.statements)

    def check_refusal(self, refusal: lapcat.Error, text: str) -> None:
        shown = f"{refusal}{refusal.as_json()}"
        assert refusal.fix, shown
        assert CANARY not in shown or CANARY in text


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """The golden catalogue with budgets that never end, over rows of strange values."""
    folder = tmp_path_factory.mktemp("golden")
    data = {table.source: strange_rows(table) for table in CATALOGUE.tables.values()}
    for public in CATALOGUE.public.values():
        data[public.source] = {"region": ["north", "south"], "country": ["x", "y"]}
    text = endless((GOLDEN / "catalogue.toml").read_text(encoding="utf-8"))
    path = deploy(folder, text, data, refreshed=list(CATALOGUE.tables))
    with unburdened(), witness() as record:
        db = lapcat.open(path)
        for name in CATALOGUE.tables:
            db.sql(f"SELECT COUNT(*) AS n FROM {name} WHERE 1 = 2").run(epsilon=1)
        sources = Sources.heard(record.statements)
        inside = {Path(file).parent for file in sources.files}
        assert inside <= {folder, folder / "lapcat.cache"}, (
            "the engine may open other files than the deployment's"
        )
        yield Target(db, record, sources, Counter())


def endless(catalogue: str) -> str:
    lines = catalogue.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("budget"):
            assert tomllib.loads(line)["budget"]["epsilon"] > 0
            lines[number] = 'budget = { epsilon = 1000000, i_understand = "made-up rows, for tests" }'
    return "\n".join(lines)


def strange_rows(table: Table) -> dict[str, list[Any]]:
    """Rows that hold every value of the pools, NULLs, declared keys and the canary."""
    units = table.units or 40
    count = units if table.unit.is_row else 3 * units
    columns: dict[str, list[Any]] = {}
    for position, (name, spec) in enumerate(table.columns.items()):
        pool: list[Any] = [value for value in POOLS[spec.type] if value != "a\x00b"]
        if isinstance(spec.keys, ListedKeys):
            pool += spec.keys.values
        pool += [CANARY, None] if spec.type is Type.TEXT else [None]
        columns[name] = list(islice(cycle(pool[position:] + pool[:position]), count))
    if table.unit.column is not None:
        columns[table.unit.column] = [row % units for row in range(count)]
    return columns


def fuzz(target: Target, examples: int) -> Counter[str]:
    """Texts of both kinds; how many of them ended in which way."""

    def run(texts: st.SearchStrategy[str]) -> None:
        @settings(max_examples=examples // 2, suppress_health_check=list(HealthCheck))
        @given(texts)
        def ask(text: str) -> None:
            target.ask(text)

        ask()

    target.seen.clear()
    run(sentences(CATALOGUE))
    run(mutations(QUESTIONS))
    return target.seen


def test_no_text_does_anything_but_be_refused_or_answered(
    target: Target, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = fuzz(target, 1000)
    with capsys.disabled():
        print(f"\nfuzzed SQL: {dict(seen.most_common())}")
    assert seen["looked"] >= 120, "too few texts are accepted to say anything about generated statements"
    assert sum(count for kind, count in seen.items() if kind.startswith("refused")) >= 150
    assert len(seen) >= 10, "too few rules are met"


@pytest.mark.slow
def test_no_text_does_anything_but_be_refused_or_answered_in_a_long_run(target: Target) -> None:
    seen = fuzz(target, 40_000)
    assert seen["looked"] >= 4_000


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_golden_questions_are_refused_or_answered_in_lapcats_own_words(target: Target, question: str) -> None:
    target.ask(question)


# ------------------------------------------------------------------------------------------------ could it fail?


def test_a_function_that_slips_through_is_noticed(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hole in the front-end and in the writer: an unknown function is passed on under its own name."""
    import lapcat.engines.base.expressions as writer
    from lapcat.engines.base import words

    scalar, clean = Scalars.scalar, writer.Writer.clean

    def leaky(self: Scalars, node: exp.Expression, leaf: Callable[..., Expression]) -> Expression:
        if isinstance(node, exp.Anonymous) and node.name == "getvariable":
            return Compare("=", Literal("getvariable", Type.TEXT), Literal("x", Type.TEXT))
        return scalar(self, node, leaf)

    def passing(self: writer.Writer, expression: Expression) -> writer.Code:
        if isinstance(expression, Compare) and expression.left == Literal("getvariable", Type.TEXT):
            return writer.Code(
                words.equal(words.call("getvariable", words.string("x")), words.string("x")), 0
            )
        return clean(self, expression)

    question = "SELECT COUNT(*) AS n FROM cats WHERE getvariable('x')"
    target.ask(question)
    assert target.told.statements == []  # refused, as long as there is no hole
    monkeypatch.setattr(Scalars, "scalar", leaky)
    monkeypatch.setattr(writer.Writer, "clean", passing)
    with pytest.raises(AssertionError, match="the function getvariable"):
        target.ask(question)


def test_an_exception_that_is_no_refusal_is_noticed(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A front-end that lets an exception of its own out."""

    def broken(self: Scalars, node: exp.Expression) -> Expression:
        raise ArithmeticError(node.key)

    monkeypatch.setattr(scalars, "like", broken)
    with pytest.raises(lapcat.Bug) as noticed:
        target.ask("SELECT COUNT(*) AS n FROM staff WHERE name LIKE 'A%'")
    assert isinstance(noticed.value.__cause__, ArithmeticError)


def test_a_comma_written_twice_is_refused_wherever_it_stands() -> None:
    """The parser passes over a second comma, as if an argument that is missing had not been asked for."""
    tried = 0
    for question in QUESTIONS:
        try:
            Text(question).parse()
        except lapcat.Error:
            continue
        for token in Text(question).tokens:
            if token.token_type is not TokenType.COMMA:
                continue
            for between in ("", " ", "\n", " /* , */ "):
                twice = f"{question[: token.end + 1]}{between},{question[token.end + 1 :]}"
                code = ""
                try:
                    Text(twice).parse()
                except lapcat.BadQuery as refusal:
                    code = refusal.code if refusal.place is not None else ""
                assert code == "syntax", twice
                tried += 1
    assert tried > 400
