"""DuckDB says what the reference says of several tables: joins, unions, folds, weights, bounds and private groups."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.reference import ReferenceEngine
from tests.engines.family import duckdb_over, family, family_plans, reference, seen

SEEDS = (1, 2, 3)


@cache
def specified(seed: int) -> ReferenceEngine:
    return reference(family(seed))


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[int, DuckDBEngine]:
    return {seed: duckdb_over(family(seed), tmp_path_factory.mktemp(f"family{seed}")) for seed in SEEDS}


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_plans_over_several_tables_have_the_specified_integers(
    held: dict[int, DuckDBEngine], data: st.DataObject
) -> None:
    seed, plan = data.draw(st.sampled_from(SEEDS)), data.draw(family_plans())
    assert seen(held[seed], plan) == seen(specified(seed), plan)


@pytest.mark.slow
@settings(max_examples=1500, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_more_plans_over_several_tables_have_the_specified_integers(
    held: dict[int, DuckDBEngine], data: st.DataObject
) -> None:
    seed, plan = data.draw(st.sampled_from(SEEDS)), data.draw(family_plans())
    assert seen(held[seed], plan) == seen(specified(seed), plan)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(10, 10**6), data=st.data())
def test_random_families_have_the_specified_integers(seed: int, data: st.DataObject, tmp_path: Path) -> None:
    tables = family(seed, size=6)
    folder = tmp_path / str(seed)
    folder.mkdir(exist_ok=True)
    engine, specification = duckdb_over(tables, folder), reference(tables)
    for plan in data.draw(st.lists(family_plans(), min_size=3, max_size=3)):
        assert seen(engine, plan) == seen(specification, plan)
