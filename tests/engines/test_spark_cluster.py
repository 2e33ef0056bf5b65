"""On a real cluster, named by the catalogue, a machine that dies in the middle of a question costs time, not the answer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapcat.session.files import open_deployment, refresh
from tests.debian import Missing
from tests.engines.cluster_driver import QUESTION
from tests.engines.golden_rows import golden_reference
from tests.engines.holding import looked
from tests.spark_cluster import PATIENCE, SparkCluster
from tests.spark_session import require_spark
from tests.support import seeded

CATALOGUE = """
[tables.staff]
source = "SOURCE"
unit = "row"
budget = { epsilon = 10 }
[tables.staff.columns]
region = { type = "text", keys = ["north", "south", "west"] }
pay = { type = "float", low = 0, high = 100 }
"""
ON_THE_CLUSTER = """
[engine.spark]
master = "MASTER"
conf = { "spark.driver.host" = "127.0.0.1", "spark.driver.bindAddress" = "127.0.0.1", "spark.executor.memory" = "512m", \
"spark.sql.files.maxPartitionBytes" = "64k", "spark.sql.files.openCostInBytes" = "64k", "spark.shuffle.io.retryWait" = "1s", \
"spark.driver.extraJavaOptions" = "JAVA", "spark.executor.extraJavaOptions" = "JAVA" }
"""
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Without the compiler that pays only where much is computed."""
FILES, ROWS = 60, 500


@pytest.fixture
def machines() -> Iterator[SparkCluster]:
    try:
        require_spark()
    except Missing as missing:
        pytest.skip(str(missing))
    made = SparkCluster()
    yield made
    made.remove()


def written(folder: Path) -> list[dict[str, object]]:
    """Rows in many files, each a task of its own, and once more in one file."""
    dice = np.random.default_rng(5)
    (folder / "rows").mkdir()
    parts = []
    for number in range(FILES):
        region = dice.choice(["north", "south", "west", "nowhere"], ROWS)
        parts.append(pa.table({"region": region, "pay": dice.uniform(-20, 120, ROWS)}))
        pq.write_table(parts[-1], folder / "rows" / f"{number}.parquet")
    whole = pa.concat_tables(parts)
    pq.write_table(whole, folder / "staff.parquet")
    rows: list[dict[str, object]] = whole.to_pylist()
    return rows


def specified(folder: Path, rows: list[dict[str, object]]) -> object:
    """What engines/reference.py makes of the question."""
    path = folder / "elsewhere" / "lapcat.toml"
    path.parent.mkdir()
    path.write_text(CATALOGUE.replace("SOURCE", "../staff.parquet"), encoding="utf-8")
    refresh(open_deployment(path), "staff")
    db = seeded(path)
    (plan,) = db.sql(QUESTION)._prepared().executed_plans
    table = db._deployment.catalogue.tables["staff"]
    types = {name: spec.type for name, spec in table.columns.items()}
    return looked(golden_reference({"staff": (rows, table, types)}), plan).tolist()


def test_a_worker_that_dies_in_the_middle_costs_time_not_the_answer(
    machines: SparkCluster, tmp_path: Path
) -> None:
    rows = written(tmp_path)
    catalogue = tmp_path / "cluster.toml"
    text = CATALOGUE.replace("SOURCE", f"spark:{tmp_path}/rows/") + ON_THE_CLUSTER
    catalogue.write_text(text.replace("MASTER", machines.url).replace("JAVA", JAVA), encoding="utf-8")
    root = Path(__file__).parents[2]
    driver = subprocess.Popen(
        [sys.executable, "-m", "tests.engines.cluster_driver", str(catalogue)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])},
    )
    hung = threading.Timer(PATIENCE, driver.kill)
    hung.start()
    output: dict[str, str] = {}
    try:
        assert driver.stdout is not None
        for line in driver.stdout:
            word, _, rest = line.strip().partition(" ")
            output[word] = rest
            if word == "middle":
                assert "integers" not in output
                machines.kill("worker1")
    finally:
        hung.cancel()
        driver.kill()
        driver.wait()
    assert output["master"] == machines.url, "the catalogue names the cluster"
    assert "middle" in output, "the question was over before a worker could die"
    assert output["integers"] == str(specified(tmp_path, rows))
    assert (output["answer"], output["spent"], output["again"]) == ("3", "1", "True"), (
        "paid once, and answered"
    )
    assert output["executors"] == "1", "the other one is gone"
