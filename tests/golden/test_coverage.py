"""Every rule and clause has a golden question: what is missing is named, and the numbers are printed (pytest -s)."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
import sqlglot
from sqlglot import exp

from lapcat.frontend.sql import options, statement
from lapcat.frontend.sql.text import Text
from lapcat.plan import bounding, facts, nodes
from lapcat.plan.aggregates import AGGREGATES
from lapcat.plan.columns import ValueColumn
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import (
    Grid,
    Group,
    GroupKey,
    Kind,
    Match,
    Public,
    Rows,
    Statistic,
    UnionBranch,
    UnitAggregate,
    UnitColumn,
)
from lapcat.plan.schema import Relation
from tests.golden.corpus import CASES, REFUSED, UNDERSTOOD, inside, shape

SHAPES = 100
"""How many questions the corpus has at least, those with the same shape counted once."""


def seen_in_plans() -> list[object]:
    return [part for case in UNDERSTOOD for part in inside(case.prepared.plan)]


def reasons() -> Iterator[facts.Reason]:
    for case in UNDERSTOOD:
        question_facts = case.prepared.facts
        yield from (*question_facts.rows.reasons, *question_facts.reasons)
        for statistic in question_facts.statistics:
            yield from statistic.reasons


def selects() -> Iterator[exp.Select]:
    """The outermost SELECT of each question that is understood; of a UNION ALL of answers, each."""
    for case in UNDERSTOOD:
        parts = [sqlglot.parse_one(Text(case.question).read, dialect="duckdb")]
        while isinstance(parts[0], exp.Union):
            parts[:1] = [parts[0].this, parts[0].expression]
        for part in parts:
            assert isinstance(part, exp.Select)
            yield part


def test_the_corpus_has_a_hundred_questions_of_different_shape(capsys: pytest.CaptureFixture[str]) -> None:
    shapes: dict[object, list[str]] = {}
    for case in UNDERSTOOD:
        shapes.setdefault(shape(case.prepared.plan), []).append(case.name)
    with capsys.disabled():
        schemas = {case.folder.parent.name for case in CASES}
        print(
            f"\n{len(UNDERSTOOD)} questions of {len(shapes)} shapes and {len(REFUSED)} refusals over {len(schemas)} schemas"
        )
    assert len(shapes) >= SHAPES


def test_two_plans_that_differ_in_names_and_numbers_have_one_shape() -> None:
    """The count above means something: what only looks different is not counted, what is different is."""
    first, *rest = (
        shape(UNDERSTOOD[0].schema.prepared(text).plan)
        for text in (
            "SELECT region, SUM(age) FROM staff WHERE age > 30 GROUP BY region",
            "SELECT region, SUM(age) FROM staff WHERE floor <= 2 GROUP BY 1 ORDER BY 2",
            "SELECT region, AVG(age) FROM staff WHERE age > 30 GROUP BY region",
            "SELECT SUM(age) FROM staff WHERE age > 30",
        )
    )
    assert [other == first for other in rest] == [True, False, False]


def test_every_node_of_the_plan_is_in_some_question() -> None:
    wanted = {*get_args(Rows), Public, Group, GroupKey, Statistic, Grid, UnionBranch, UnitColumn}
    defined = {
        node
        for _, node in inspect.getmembers(nodes, inspect.isclass)
        if node.__module__ == nodes.__name__ and node not in (Kind, UnitAggregate, Match)
    }
    assert wanted == defined, "a new class of nodes.py belongs into this list"
    assert wanted - {type(part) for part in seen_in_plans()} == set()


@pytest.mark.parametrize("choice", [Kind, UnitAggregate, Match], ids=lambda choice: choice.__name__)
def test_every_kind_of_statistic_fold_and_match_is_in_some_question(choice: type) -> None:
    assert set(choice) - {part for part in seen_in_plans() if isinstance(part, choice)} == set()


def test_every_expression_is_in_some_question() -> None:
    seen = {type(part) for part in seen_in_plans()}
    assert {node.__name__ for node in set(get_args(Expression)) - seen} == set()


def test_every_rule_is_the_reason_for_some_sensitivity() -> None:
    source = Path(facts.__file__).read_text(encoding="utf-8")
    rules = set(re.findall(r"Reason\(\s*\"([a-z-]+)\"", source))
    assert len(rules) > 15, "the rules are found by how they are written"
    assert rules - {reason.rule for reason in reasons()} == set()


def test_every_form_of_bounding_is_chosen_for_some_question() -> None:
    """A form is a sentence of bounding.py; its numbers and names are what stands in braces."""
    source = Path(bounding.__file__).read_text(encoding="utf-8")
    plain = re.sub(r"\"\s*\n\s*f?\"", "", source)  # texts over several lines
    sentences = [
        sentence
        for sentence in re.findall(r"f\"([^\"\n]*)\"", plain)
        if sentence.startswith(("each {", "at most {", "rows without"))
    ]
    assert len(sentences) >= 9
    notes = [note for case in UNDERSTOOD for note in case.prepared.asked.notes]
    unused = []
    for sentence in sentences:
        pattern = ".+".join(re.escape(part) for part in re.split(r"\{[^}]*\}", sentence))
        if not any(re.search(pattern, note) for note in notes):
            unused.append(sentence)
    assert unused == []
    for rule in (" (the column is declared unique)", " (the question)"):
        assert rule in source and any(f"contributes one row{rule}" in note for note in notes)
    assert any(case.prepared.asked.notes == () or _is_of_rows(case.prepared.plan) for case in UNDERSTOOD)


def _is_of_rows(plan: Group) -> bool:
    return all(scan.unit.is_row for scan in nodes.private_scans(plan))


def test_every_clause_of_select_is_in_some_question() -> None:
    clauses = {*statement._CLAUSES, "with_"}
    used = {clause for select in selects() for clause in clauses if select.args.get(clause)}
    assert clauses - used == set()


FORMS = {
    "JOIN … ON": lambda s: any(j.args.get("on") and not j.side for j in s.find_all(exp.Join)),
    "JOIN … USING": lambda s: any(j.args.get("using") for j in s.find_all(exp.Join)),
    "LEFT JOIN": lambda s: any(j.side == "LEFT" for j in s.find_all(exp.Join)),
    "a join with a condition besides": lambda s: any(
        isinstance(j.args.get("on"), exp.And) and j.args["on"].find(exp.LT) for j in s.find_all(exp.Join)
    ),
    "a public table first": lambda s: s.args["from_"].this.name == "flights",
    "a sub-query in FROM": lambda s: s.args["from_"].this.find(exp.Subquery),
    "GROUP BY inside": lambda s: any(i.args.get("group") for i in s.find_all(exp.Select) if i is not s),
    "HAVING inside": lambda s: any(i.args.get("having") for i in s.find_all(exp.Select) if i is not s),
    "DISTINCT inside": lambda s: any(i.args.get("distinct") for i in s.find_all(exp.Select) if i is not s),
    "SELECT * inside": lambda s: any(i.is_star for i in s.find_all(exp.Select) if i is not s),
    "UNION ALL": lambda s: s.find(exp.Union),
    "IN (SELECT …)": lambda s: any(i.args.get("query") for i in s.find_all(exp.In)),
    "NOT IN (SELECT …)": lambda s: any(i.this.args.get("query") for i in s.find_all(exp.Not)),
    "ROLLUP": lambda s: s.find(exp.Rollup),
    "CUBE": lambda s: s.find(exp.Cube),
    "GROUPING SETS": lambda s: s.find(exp.GroupingSets),
    "GROUP BY ALL": lambda s: s.args.get("group") is not None and s.args["group"].args.get("all"),
    "GROUP BY 1": lambda s: (
        s.args.get("group") is not None
        and any(isinstance(n, exp.Literal) for n in s.args["group"].expressions)
    ),
    "ORDER BY 1": lambda s: (
        s.args.get("order") is not None
        and any(isinstance(n.this, exp.Literal) for n in s.args["order"].expressions)
    ),
    "FILTER": lambda s: s.find(exp.Filter),
    "COUNT(DISTINCT x)": lambda s: any(isinstance(c.this, exp.Distinct) for c in s.find_all(exp.Count)),
    "arithmetic over aggregates": lambda s: any(
        isinstance(n.unalias(), exp.Div) and n.find(exp.AggFunc) for n in s.expressions
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_that_the_reference_describes_is_in_some_question(form: str) -> None:
    assert any(FORMS[form](select) for select in selects())


def test_every_option_is_in_some_question() -> None:
    used = {name for case in UNDERSTOOD for name, _ in options.split(case.question)[1].places}
    assert set(options.NAMES) - used == set()


@pytest.mark.parametrize("name", list(AGGREGATES))
def test_every_aggregate_is_asked_of_rows_and_of_people_under_both_relations_by_either_kind_of_key(
    name: str,
) -> None:
    seen = set()
    for case in UNDERSTOOD:
        plan = case.prepared.plan
        asked = {c.aggregate.name for c in case.prepared.asked.columns if isinstance(c, ValueColumn)}
        if name in asked and plan.keys:
            scan = nodes.scan_of(plan)
            seen.add((scan.unit.is_row, scan.relation, bool(plan.private_keys)))
    assert set(product((True, False), Relation, (True, False))) - seen == set()
