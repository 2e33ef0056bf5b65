"""DuckDB says what engines/reference.py says, integer for integer, on rows made to break it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapcat.engines.evaluation import evaluate
from lapcat.plan.schema import Type
from tests.engines.holding import WAYS, Rows, declared, looked, reference
from tests.engines.hostile import TYPES, expressions, hostile_rows, plans, rows_of_any_kind
from tests.engines.rowwise import values

BY_ROW, BY_UNIT = declared(TYPES), declared(TYPES, unit="who")
ROWS = hostile_rows(120)
SPECIFIED = {"row": reference(ROWS, BY_ROW), "who": reference(ROWS, BY_UNIT)}


@pytest.fixture(params=["parquet", "arrow"], scope="module")
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The engines under test over the hostile rows, by the name of the unit."""
    hold = WAYS[request.param]
    return {
        "row": hold(ROWS, BY_ROW, tmp_path_factory.mktemp("row")),
        "who": hold(ROWS, BY_UNIT, tmp_path_factory.mktemp("who")),
    }


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_expressions_have_the_specified_value_on_every_row(
    held: dict[str, Any], data: st.DataObject
) -> None:
    asked = [data.draw(expressions(kind)) for kind in Type]
    columns = values(held["row"], "t", asked)
    assert columns == [[evaluate(expression, row) for row in ROWS] for expression in asked]


@settings(max_examples=90, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_questions_have_the_specified_integers(held: dict[str, Any], data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(["row", "who"]))
    plan = data.draw(plans(BY_ROW if unit == "row" else BY_UNIT))
    assert looked(held[unit], plan).tolist() == looked(SPECIFIED[unit], plan).tolist()


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(rows_of_any_kind, st.data())
def test_random_tables_have_the_specified_integers(rows: Rows, data: st.DataObject) -> None:
    table = data.draw(st.sampled_from([BY_ROW, BY_UNIT]))
    plan = data.draw(plans(table))
    engine = WAYS["arrow"](rows, table, Path())
    assert looked(engine, plan).tolist() == looked(reference(rows, table), plan).tolist()
