"""Small deployments for tests: a catalogue, its data and its ledger in a folder of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import lapcat
from lapcat.session import Session, with_coins
from lapcat.session.files import everything, open_deployment, refresh
from lapcat.testing.coins import SeededCoins

KERNELS = ("Nehalem", "Haswell", "SkylakeX", "Zen")
"""Processors for which OPENBLAS_CORETYPE chooses other routines of linear algebra, which add up in another order."""


def write_table(path: Path, columns: Mapping[str, Sequence[object]]) -> None:
    """A Parquet or CSV file, by the ending of its name."""
    table = pa.table(dict(columns))
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)


def deploy(
    folder: Path,
    catalogue: str,
    data: Mapping[str, Mapping[str, Sequence[object]]],
    *,
    refreshed: Sequence[str] | None = None,
) -> Path:
    """Writes the catalogue and its files; refreshes these tables (None: all). Returns the catalogue's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, columns in data.items():
        write_table(folder / name, columns)
    path = folder / "lapcat.toml"
    path.write_text(catalogue, encoding="utf-8")
    if refreshed is None or refreshed:
        deployment = open_deployment(path)
        deployment.require_acceptance()
        for table in everything(deployment.catalogue) if refreshed is None else refreshed:
            refresh(deployment, table)
    return path


def resume_all(path: Path) -> None:
    """Lets everybody ask again, after a failure."""
    deployment = open_deployment(path)
    for table in deployment.catalogue.tables.values():
        deployment.ledger.resume(deployment.scope(table), "looked into")


def seeded(path: Path, seed: int = 1, analyst: str | None = None) -> Session:
    """A session whose noise is the same in every run; its receipts say UNSAFE."""
    return with_coins(lapcat.open(path, analyst=analyst), SeededCoins(seed))
