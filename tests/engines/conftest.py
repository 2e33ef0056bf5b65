"""Each engine that is present, one after the other."""

from __future__ import annotations

import pytest

from tests.engines.benches import BENCHES, Bench, bench_of


@pytest.fixture(scope="module", params=BENCHES)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """An engine, and how it holds rows."""
    return bench_of(request.param, request, tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module", params=[name for name in BENCHES if name != "duckdb"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The same, without DuckDB, which has more tests of its own."""
    return bench_of(request.param, request, tmp_path_factory.mktemp("bench"))
