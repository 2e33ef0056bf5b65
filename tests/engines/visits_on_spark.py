"""A catalogue of visits on Spark, with a text in every row that must never be shown; for tests of both ways to Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapcat.engines.spark import engine as engine_module
from lapcat.errors import Bug
from lapcat.session.files import open_deployment, refresh
from tests.support import seeded

CANARY = "kanarienvogel"
CATALOGUE = """
[tables.visits]
source = "spark:visits/"
unit = "person"
rows_per_unit = 2
budget = { epsilon = 10 }
[tables.visits.columns]
person = { type = "integer" }
ward = { type = "text", keys = ["eyes", "heart"] }
cost = { type = "float", low = 0, high = 500 }
note = { type = "text" }
"""


def deploy_visits(folder: Path, settings: str = "") -> Path:
    """A catalogue over a folder of Parquet files, refreshed; settings: its [engine.spark]."""
    (folder / "visits").mkdir()
    rows = 400
    columns = {
        "person": [n % 90 for n in range(rows)],
        "ward": ["eyes" if n % 3 else "heart" for n in range(rows)],
        "cost": [float(n) for n in range(rows)],
        "note": [f"{CANARY} {n}" for n in range(rows)],
    }
    pq.write_table(pa.table(columns), folder / "visits" / "part.parquet")
    path = folder / "lapcat.toml"
    path.write_text(CATALOGUE + settings)
    deployment = open_deployment(path)
    deployment.require_acceptance()
    refresh(deployment, "visits")
    return path


def spent(db: Any) -> str:
    return str(db.budget().as_json()["tables"]["visits"]["spent"]["epsilon"])


def require_unplanned(
    deployed: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A statement that Spark cannot plan is a bug that costs nothing, and nothing of it is shown."""
    monkeypatch.setattr(
        engine_module, "framed", lambda spark, statement: spark.sql(f"SELECT '{CANARY}' FROM nowhere")
    )
    db = seeded(deployed)
    with pytest.raises(Bug, match="statement-unplanned") as unplanned:
        db.sql("SELECT COUNT(*) AS n FROM visits").run(epsilon=1)
    shown = capfd.readouterr()
    assert spent(db) == "0" and CANARY not in f"{unplanned.value} {shown.out} {shown.err}"
