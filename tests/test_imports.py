"""`import lapcat` is light: engines, parsers, solvers and data frames are loaded when a question needs them."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = (
    "duckdb",
    "sqlglot",
    "z3",
    "rich",
    "click",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "psycopg",
    "pyspark",
)


def loaded_by(statement: str) -> set[str]:
    """The top-level packages in a fresh interpreter after a statement, and whatever it printed is an error."""
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "" and done.stdout.count("\n") == 1, "importing prints nothing"
    return set(json.loads(done.stdout))


def test_importing_lapcat_loads_nothing_heavy() -> None:
    assert loaded_by("import lapcat") & set(HEAVY) == set()


def test_the_test_can_see_what_is_loaded() -> None:
    assert loaded_by("import lapcat, sqlglot") & set(HEAVY) == {"sqlglot"}
