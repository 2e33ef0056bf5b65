"""An engine from outside: a package of three parts (quack/) and one line of the registry put it through the suites of the built-in
ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lapcat
from lapcat.engines import backends
from lapcat.engines.backends import backend_of, parse_source, relative_source
from lapcat.engines.base.engine import HeldSnapshot, OpenTable, Settings
from lapcat.engines.checked import is_known
from lapcat.engines.evaluation import evaluate
from lapcat.engines.values import coerce
from lapcat.plan.expressions import Expression
from lapcat.plan.nodes import Group, scans_of
from lapcat.plan.schema import Table, Type
from lapcat.testing.reveal import reveal
from tests.engines.benches import Bench, Tables, by_column, rowwise
from tests.engines.family import TYPES as FAMILY_TYPES
from tests.engines.family import declared_table, family, family_plans, seen
from tests.engines.family import reference as family_reference
from tests.engines.holding import KEY, declared, looked, reference
from tests.engines.hostile import TYPES, expressions, hostile_rows, plans
from tests.engines.on_postgres import on_the_way
from tests.engines.test_golden_questions import held, test_a_golden_question_has_the_specified_integers
from tests.extending.quack.backend import BACKEND, QUACK, QuackEngine
from tests.neighbours import neighbour_kit
from tests.support import deploy

__all__ = ["held", "test_a_golden_question_has_the_specified_integers"]

TABLE = declared(TYPES, unit="who")
RELAXED = settings(max_examples=20, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    before = backends.PACKAGES
    backends.PACKAGES = ("tests.extending.quack", *before)
    yield
    backends.PACKAGES = before


class QuackBench(Bench):
    """Parquet files, of which the backend writes its snapshots."""

    dialect = QUACK

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()

    def over(self, tables: Tables) -> QuackEngine:
        folder = self._folder / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        open_tables: dict[str, OpenTable] = {}
        people: dict[str, HeldSnapshot] = {}
        for name, (rows, table, types) in tables.items():
            columns = {column: [row[column] for row in rows] for column in types}
            like = parse_source("quack:any.parquet", folder)
            source = parse_source(BACKEND.write_fixture(columns, types, folder, name, like), folder)
            path = folder / f"{name}_{folder.name}.quack"
            BACKEND.write_snapshot(source, table, path, KEY, people=on_the_way(table, people))
            open_tables[name] = OpenTable(table, source, path)
            if isinstance(table, Table):
                people[name] = HeldSnapshot(table, path)
        return QuackEngine(open_tables, Settings())

    def values(self, engine: QuackEngine, name: str, expressions: Sequence[Expression]) -> list[list[object]]:
        def work(connection: Any, tables: Any) -> list[list[object]]:
            sql = rowwise(tables[name], expressions, self.dialect)
            return by_column(connection.execute(sql).fetchall(), len(expressions))

        return engine.run(work, [name])


@pytest.fixture(scope="module")
def bench(registered: None, tmp_path_factory: pytest.TempPathFactory) -> QuackBench:
    return QuackBench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    return [dict(row) for row in hostile_rows(120)]


@pytest.fixture(scope="module")
def hostile(bench: QuackBench, rows: list[dict[str, object]]) -> QuackEngine:
    return bench.over({"t": (rows, TABLE, TYPES)})


@pytest.fixture(scope="module")
def several(bench: QuackBench) -> QuackEngine:
    return bench.over({n: (own, declared_table(n), FAMILY_TYPES[n]) for n, own in family(1).items()})


# ------------------------------------------------------------------------------------------------ equal to the reference


def test_every_operator_means_what_the_reference_says(tmp_path: Path) -> None:
    source = parse_source("quack:t.parquet", tmp_path)
    meanings = backend_of(source).probe(source, lambda fraction: None)
    assert [each for each in meanings if each.result != "same"] == [] and len(meanings) > 100


@RELAXED
@given(st.data())
def test_random_expressions_have_the_specified_value_on_every_row(
    bench: QuackBench, hostile: QuackEngine, rows: list[dict[str, object]], data: st.DataObject
) -> None:
    asked = [data.draw(expressions(kind)) for kind in Type]
    columns = bench.values(hostile, "t", asked)
    present = [row for row in rows if coerce(row["who"], TYPES["who"]) is not None]
    assert columns == [[evaluate(expression, row) for row in present] for expression in asked]


@RELAXED
@given(st.data())
def test_random_questions_have_the_specified_integers(
    hostile: QuackEngine, rows: list[dict[str, object]], data: st.DataObject
) -> None:
    plan = data.draw(plans(TABLE))
    assert looked(hostile, plan).tolist() == looked(reference(rows, TABLE), plan).tolist()


@RELAXED
@given(st.data())
def test_random_plans_over_several_tables_have_the_specified_integers(
    several: QuackEngine, data: st.DataObject
) -> None:
    plan = data.draw(family_plans())
    several.ready(plan)
    assert seen(several, plan) == seen(family_reference(family(1)), plan)


# ------------------------------------------------------------------------------------------------ neighbours


@pytest.mark.parametrize("table", neighbour_kit.TABLES)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_unit_moves_the_exact_integers_no_further_than_claimed(
    bench: QuackBench, table: str, data: st.DataObject
) -> None:
    def by_engine(plan: Group, rows: list[neighbour_kit.Row]) -> NDArray[np.int64]:
        if not plan.statistics:  # only selections, which have plans of their own
            return np.zeros((0, plan.cells), dtype=np.int64)
        scan = next(iter(scans_of(plan)))
        kinds = neighbour_kit.TYPES
        typed = [{name: coerce(row[name], kind) for name, kind in kinds.items()} for row in rows]
        engine = bench.over({scan.table: (typed, neighbour_kit.CATALOGUE.tables[scan.table], kinds)})
        return reveal(engine.execute(plan))

    question = neighbour_kit.prepared(data.draw(neighbour_kit.questions(table)))
    pair = neighbour_kit.pair_of(table, data.draw(st.integers(0, 2**32)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbour_kit, "looked", by_engine)
        assert neighbour_kit.breaches(question, pair) == []


# ------------------------------------------------------------------------------------------------ in a deployment

CATALOGUE = """
[tables.cats]
source = "quack:cats.parquet"
unit = "name"
rows_per_unit = 1
budget = { epsilon = 9 }
[tables.cats.columns]
name = { type = "text" }
lives = { type = "integer", low = 0, high = 9 }
"""


def test_a_catalogue_may_name_it_and_it_is_checked_before_a_question(tmp_path: Path) -> None:
    cats = {"name": ["ada", "bob", "cleo"], "lives": [9, 7, 8]}
    db = lapcat.open(deploy(tmp_path, CATALOGUE, {"cats.parquet": cats}))
    (row,) = db.sql("SELECT COUNT(*) AS n FROM cats").run(epsilon=9)
    assert abs(row["n"] - 3) < 10  # noise of this size has a probability below 1e-30
    assert not is_known("quack 1") and "quack 1" in (tmp_path / "lapcat.cache" / "engines.json").read_text()
    (path,) = (tmp_path / "lapcat.cache").glob("*.quack")
    source = parse_source("quack:cats.parquet", tmp_path)
    assert [each.path for each in backend_of(source).stored_in(source, tmp_path)[1]] == [path]


def test_its_sources_are_written_relative_to_the_catalogue(tmp_path: Path) -> None:
    assert relative_source(f"quack:{tmp_path}/data/cats.parquet", tmp_path) == "quack:data/cats.parquet"
    assert relative_source(f"{tmp_path}/cats.parquet", tmp_path) == "cats.parquet"
    assert parse_source("cats.parquet", tmp_path).package == "lapcat.engines.duckdb"
