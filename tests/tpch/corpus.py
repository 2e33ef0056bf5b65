"""TPC-H: its data, a catalogue, and questions in the words of the specification with its validation parameters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb

import lapcat
from lapcat.session import Session
from lapcat.session.files import everything, open_deployment, refresh

FOLDER = Path(__file__).parent
QUERIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("q*.sql"))}
TABLES = ("customer", "orders", "lineitem", "part", "supplier", "partsupp", "nation", "region")


def generator() -> str | None:
    """The program that makes the data, of the same environment or on the path."""
    return shutil.which("tpchgen-cli", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def generate(folder: Path, scale: float) -> None:
    program = generator()
    assert program is not None, "pip install tpchgen-cli"
    command = [program, "parquet", "-s", str(scale), "--output-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


def opened(folder: Path) -> tuple[Session, duckdb.DuckDBPyConnection]:
    """lapcat with snapshots of all tables, and plain DuckDB over the same files."""
    path = folder / "lapcat.toml"
    path.write_text((FOLDER / "catalogue.toml").read_text(encoding="utf-8"), encoding="utf-8")
    deployment = open_deployment(path)
    deployment.require_acceptance()
    for table in everything(deployment.catalogue):
        refresh(deployment, table)
    plain = duckdb.connect()
    for table in TABLES:
        plain.execute(f"CREATE VIEW {table} AS FROM '{folder / table}.parquet'")
    return lapcat.open(path), plain


def for_duckdb(question: str) -> str:
    """DuckDB does not read the precision of an interval."""
    return question.replace("day (3)", "day")
