"""No statement leaves to an engine's grammar what belongs together: `NOT b = ANY(…)` would be NOT of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from sqlglot import exp

from lapcat.engines.base.dialect import Dialect
from lapcat.engines.base.relation import SourceRelation
from lapcat.engines.base.snapshots import Opened
from lapcat.engines.base.statement import group_statement
from lapcat.engines.base.words import table
from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.spark.dialect import SPARK
from lapcat.plan.nodes import Group, Scan, scans_of
from tests.engines.benches import without_nuls
from tests.engines.family import OF_COLUMNS, OF_CONSTANTS, TYPES, family_plans

OPERATORS = (exp.Binary, exp.Unary, exp.In, exp.Between, exp.AtTimeZone)
CLOSED = (exp.Column, exp.Literal, exp.Cast, exp.TryCast, exp.Func, exp.Boolean, exp.Null, exp.Paren)
"""What no operator beside it can pull apart."""


def open_operands(tree: exp.Expression) -> list[str]:
    """The operands, as SQL, that only an engine's precedence keeps together."""
    operands = []
    for node in tree.walk():
        if not isinstance(node, OPERATORS) or isinstance(node, exp.Paren):
            continue
        for operand in node.iter_expressions():
            closed = isinstance(operand, CLOSED) and not isinstance(operand, exp.Binary)
            if not closed and not by_its_form(node, operand):
                operands.append(f"{operand.sql()} in {node.sql()}")
    return operands


def by_its_form(node: exp.Expression, operand: exp.Expression) -> bool:
    """x LIKE p ESCAPE e, x COLLATE name and x = ANY(…) are one form each; a parameter or a minus sign begins its own."""
    forms = {exp.Escape: exp.Like, exp.Collate: exp.Identifier, exp.EQ: exp.Any, exp.Neg: exp.Literal}
    return isinstance(operand, forms.get(type(node), exp.Parameter))


def tree_of(plan: Group, dialect: Dialect) -> exp.Expression:
    """The statement before it is printed."""
    trees: list[exp.Expression] = []
    printed: Callable[[exp.Expression], str] = dialect.printed
    tables: dict[str, Opened] = {}
    for scan in scans_of(plan):
        relation = SourceRelation(table(scan.table), ranked=isinstance(scan, Scan))
        tables[scan.table] = relation, TYPES[scan.table]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(dialect), "printed", lambda _, tree: trees.append(tree) or printed(tree))
        group_statement(plan, tables, dialect)
    (tree,) = trees
    return tree


@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES, SPARK], ids=lambda dialect: dialect.name)
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@example(plan=OF_COLUMNS)
@example(plan=OF_CONSTANTS)
@given(plan=family_plans())
def test_operands_are_closed(dialect: Dialect, plan: Group) -> None:
    assert open_operands(tree_of(without_nuls(plan), dialect)) == []
