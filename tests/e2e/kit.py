"""A desk: a folder with a catalogue, its data and its ledger, at which the installed `lapcat` is run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lapcat.cli.app import run

LAPCAT = str(Path(sys.executable).with_name("lapcat"))
CANARY = "kanarienvogel"
"""Stands in every private row and nowhere else; it must never be seen outside the data."""

CATALOGUE = """\
[tables.staff]
source = "staff.parquet"
unit = "row"
budget = { epsilon = 3 }

[tables.staff.columns]
region = { type = "text", keys = ["north", "south", "west"] }
salary = { type = "float", low = 20000, high = 200000, null = 20000 }
age    = { type = "integer", low = 0, high = 110 }
bonus  = { type = "float" }
city   = { type = "text" }
note   = { type = "text" }

[tables.visits]
source = "visits.csv"
unit = "person_id"
rows_per_unit = 5
budget = { epsilon = 2 }

[tables.visits.columns]
kind = { type = "text", keys = ["test", "cure"] }
cost = { type = "float", low = 0, high = 500 }
note = { type = "text" }

[tables.orders]
source = "duckdb:shop.db#orders"
unit = "row"
budget = { epsilon = 2 }

[tables.orders.columns]
amount = { type = "integer", low = 0, high = 1000 }
paid   = { type = "boolean" }
day    = { type = "date", low = 2024-01-01, high = 2024-12-31 }
"""
REFRESHED = ("staff", "visits", "orders")


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        """The error that `--json` prints on standard error; nothing else may be there."""
        body = json.loads(self.err)
        assert set(body) == {"error"} and set(body["error"]) == {
            "family",
            "code",
            "message",
            "fix",
            "line",
            "column",
        }
        return dict(body["error"])


class Desk:
    """`run` is the installed command in a process of its own; `here` the same code in this process, ten times as quick."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def catalogue(self) -> Path:
        return self.folder / "lapcat.toml"

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith("LAPCAT_") and k not in ("NO_COLOR", "COLUMNS")
        }
        home = os.environ["XDG_STATE_HOME"]  # where drafts have their signing key; none of the user's own
        return {**kept, "COLUMNS": "80", "HOME": home, **(more or {})}

    def run(
        self,
        *arguments: str,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        stdout: int | Any = subprocess.PIPE,
    ) -> Done:
        done = subprocess.run(
            [LAPCAT, *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.environment(env),
            timeout=300,
        )
        return Done(arguments, done.returncode, (done.stdout or b"").decode(), done.stderr.decode())

    def here(self, *arguments: str, stdin: str = "") -> Done:
        """For what depends on nothing but the text: starting a process takes longer than finding what is wrong."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
        kept, environment = dict(os.environ), self.environment()
        os.environ.clear()
        os.environ.update(environment)
        try:
            with (
                contextlib.chdir(self.folder),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
            ):
                code = run(arguments)
        finally:
            sys.stdin = before
            os.environ.clear()
            os.environ.update(kept)
        return Done(arguments, code, _written(out), _written(err))

    def run_all(self, commands: Sequence[Sequence[str]]) -> list[Done]:
        """Several at once: a command spends most of its time starting."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda command: self.run(*command), commands))

    def ask(self, sql: str, *arguments: str) -> Done:
        return self.run("ask", sql, *arguments)

    def spent(self, table: str = "staff") -> str:
        """What the ledger says was spent, read anew."""
        return str(self.here("budget", "--json").json()["tables"][table]["spent"]["epsilon"])


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def write_rows(folder: Path) -> None:
    """The data of the desk; every row holds the canary."""
    import duckdb

    with duckdb.connect() as db:
        db.execute(
            f"""CREATE TABLE staff AS SELECT
                  (['north', 'south', 'west', '{CANARY} land'])[i % 4 + 1] AS region,
                  CASE WHEN i % 50 = 0 THEN NULL ELSE 30000.0 + 100 * i END AS salary,
                  20 + i % 50 AS age, 0.5 * i AS bonus, '{CANARY} town' AS city, '{CANARY} ' || i AS note
                FROM range(400) t(i)"""
        )
        db.execute(f"COPY staff TO '{folder / 'staff.parquet'}' (FORMAT parquet)")
        db.execute(
            f"""CREATE TABLE visits AS SELECT
                  i % 90 AS person_id, (['test', 'cure', '{CANARY}'])[i % 3 + 1] AS kind,
                  CASE WHEN i % 40 = 0 THEN '{CANARY}' ELSE (10 + i % 100)::VARCHAR END AS cost, '{CANARY}' AS note
                FROM range(300) t(i)"""
        )
        db.execute(f"COPY visits TO '{folder / 'visits.csv'}' (HEADER)")
    with duckdb.connect(str(folder / "shop.db")) as db:
        db.execute(
            f"""CREATE TABLE orders AS SELECT i % 700 AS amount, i % 2 = 0 AS paid,
                  DATE '2024-01-01' + CAST(i % 366 AS INTEGER) AS day, '{CANARY}' AS note FROM range(500) t(i)"""
        )
