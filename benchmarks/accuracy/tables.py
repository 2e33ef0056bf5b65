"""Two synthetic tables: people of a census, one row each; and purchases in a shop, where few people have very many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from asking import Task

ROWS = 20_000


def census(folder: Path, epsilon: float, repeats: int, seconds: float, questions: list[str]) -> Task:
    """Ten regions of different size; lognormal incomes, in thousands, of which one in a thousand exceeds the bound."""
    rng = np.random.default_rng(11)
    keys = [f"region {number}" for number in range(10)]
    table = {
        "person": np.arange(ROWS),
        "region": rng.choice(keys, ROWS, p=np.arange(5, 15) / 95),
        "income": rng.lognormal(3.5, 0.57, ROWS),
    }
    path = folder / "census.parquet"
    pq.write_table(pa.table(table), path)
    return Task(
        "census",
        str(path),
        "person",
        "region",
        keys,
        "income",
        0,
        200,
        1,
        1,
        epsilon,
        1e-6,
        repeats,
        seconds,
        questions,
    )


def shop(folder: Path, epsilon: float, repeats: int, seconds: float, questions: list[str]) -> Task:
    """Five categories; 1 to 200 purchases per person, heavy-tailed; lognormal amounts."""
    rng = np.random.default_rng(12)
    keys = ["books", "games", "garden", "music", "toys"]
    purchases = np.minimum(np.floor(rng.pareto(1.1, ROWS) + 1), 200).astype(np.int64)
    table = {
        "person": np.repeat(np.arange(ROWS), purchases)[:ROWS],
        "category": rng.choice(keys, ROWS, p=[0.35, 0.25, 0.2, 0.15, 0.05]),
        "amount": rng.lognormal(3, 0.9, ROWS),
    }
    path = folder / "shop.parquet"
    pq.write_table(pa.table(table), path)
    return Task(
        "shop",
        str(path),
        "person",
        "category",
        keys,
        "amount",
        0,
        300,
        5,
        5,
        epsilon,
        1e-6,
        repeats,
        seconds,
        questions,
    )


def truth(task: Task) -> dict[str, dict[str, float]]:
    """The answers on the raw rows, without contribution bounds or clamps."""
    rows = pq.read_table(task.parquet).to_pandas().groupby(task.group)[task.value]
    columns = {
        "count": rows.count(),
        "sum": rows.sum(),
        "avg": rows.mean(),
        "median": rows.median(),
        "stddev": rows.std(),
    }
    return {name: {key: float(column[key]) for key in task.keys} for name, column in columns.items()}
