"""Every golden question gets the specified integers on every engine, over made-up rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.benches import Bench
from tests.engines.family import seen
from tests.engines.golden_rows import golden_reference, golden_rows
from tests.golden.corpus import UNDERSTOOD, Case, schema_of

SCHEMAS = sorted({case.folder.parent.name for case in UNDERSTOOD})


@pytest.fixture(scope="module")
def held(bench: Bench) -> dict[str, tuple[Any, Any]]:
    """For each golden catalogue the engine over its tables, and the reference."""
    engines = {}
    for number, name in enumerate(SCHEMAS):
        rows = golden_rows(schema_of(name).catalogue, seed=number)
        fitted = {table: (bench.fitted(own), *rest) for table, (own, *rest) in rows.items()}
        engines[name] = bench.over(fitted), golden_reference(fitted)  # type: ignore[arg-type]
    return engines


@pytest.mark.parametrize("case", UNDERSTOOD, ids=lambda case: case.name)
def test_a_golden_question_has_the_specified_integers(
    bench: Bench, held: dict[str, tuple[Any, Any]], case: Case
) -> None:
    engine, specified = held[case.folder.parent.name]
    for look in case.prepared.executed_plans:
        plan = bench.fitted(look)
        engine.ready(plan)
        assert seen(engine, plan) == seen(specified, plan)
