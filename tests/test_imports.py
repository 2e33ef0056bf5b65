"""`import lapcat` is light: engines, parsers, solvers and data frames are loaded when a question needs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support import deploy

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


def test_a_preview_loads_no_engine_and_prints_no_sql(tmp_path: Path) -> None:
    catalogue = deploy(
        tmp_path,
        """
[tables.staff]
source = "staff.csv"
unit = "row"
budget = { epsilon = 5 }
[tables.staff.columns]
salary = { type = "float", low = 0, high = 1000 }
""",
        {"staff.csv": {"salary": [1, 2]}},
    )
    arguments = ["preview", "SELECT AVG(salary) FROM staff", "--epsilon", "1", "-c", str(catalogue)]
    code = f"""
import contextlib, io, json, sys
from lapcat.cli.app import run
with contextlib.redirect_stdout(io.StringIO()) as printed:
    failed = run({arguments!r})
assert not failed and "would cost" in printed.getvalue()
print(json.dumps(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert {name.split(".")[0] for name in loaded} & set(HEAVY) == {"click", "sqlglot"}
    assert not loaded & {
        f"lapcat.engines.base.{name}" for name in ("statement", "rows", "expressions", "steward")
    }
