"""Writes tests/stored/0.1.0: what lapcat 0.1.0 left on disk, small and made up. Run once, with that version; kept as its description.

    python tests/stored/write_0_1_0.py

Each deployment is a folder with its catalogue, sources, ledger, snapshots and `expected.json`: every question
that was asked, as it was asked, with its price, rows and receipt.

    shop        people with `of` and `through`, a population, a public table, blocks, replace-one, a budget of rho, analysts;
                every event that a question can debit; all kinds of entries but checkpoints; CSV files with snapshots
    counts      workloads by every strategy, with Laplace and Gaussian noise, quoted as (epsilon, delta) too
    signed      a signed ledger with its key, checkpoints and a witness; derived receipts
    in_place    rows of a Parquet file and of a DuckDB file, which 0.1.0 read where they lay: no snapshot
    frames      `lapcat.table` with a ledger that lasts
    server      a ledger in PostgreSQL, tables there with snapshots, beside a CSV file: server.sql is what pg_dump wrote
    local       a survey, its answers, and files of reports by every randomiser
    identities.json   what questions of all shapes are known by in a ledger, with the catalogues that they were asked of

No question can debit the events `gaussian-once`, `response` and `discrete`: they are of the mechanisms that a program uses by itself.
Modes of files are not kept by git: a copy needs 700 for lapcat.cache and 600 for keys.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2]))

import duckdb
import pandas as pd

import lapcat
from lapcat.engines.duckdb import DuckDBEngine
from lapcat.errors import Error
from lapcat.session import Session, as_analyst
from lapcat.session.debit_request import request_of
from lapcat.session.local import estimate_answers, estimate_file
from lapcat.version import __version__
from lapcat.workload import planner
from lapcat.workload.direct import direct
from lapcat.workload.marginals import marginals
from lapcat.workload.tree import trees
from tests.stored.asking import Asked, ask, estimate_json, held_frame, rows_json

HERE = Path(__file__).parent / "0.1.0"
CITIES = ["Oslo", "Lisbon", "Graz"]


def cli(*arguments: str) -> None:
    """In a process of its own, so that its ledger is closed afterwards."""
    subprocess.run([str(Path(sys.executable).with_name("lapcat")), *arguments], check=True)


class Recorder:
    """Asks in one folder and keeps what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, []  # type: ignore[var-annotated]

    def __call__(self, session: Session, **asked: Any) -> list[Any]:
        given: Asked = {key: value for key, value in asked.items() if value is not None}
        if session._analyst is not None:
            given["analyst"] = session._analyst
        answers = ask(session, given)
        for answer in answers:
            document = answer.as_json()
            self.asked.append(
                {
                    "asked": given,
                    "table": answers.index(answer),
                    "cost": document["cost"],
                    "rows": rows_json(answer),
                    "receipt": answer.receipt.as_json(),
                    **({"derived_from": list(answer.derived_from)} if answer.derived_from else {}),
                }
            )
        return answers

    def close(self, session: Session | None = None, **more: object) -> None:
        deployment = session and session._deployment
        spent = (
            {}
            if deployment is None
            else {scope: spent_json(deployment.ledger.spent(scope)) for scope in deployment.ledger.scopes()}
        )
        if deployment is not None:
            deployment.ledger.close()
        write_json(self.folder / "expected.json", {"questions": self.asked, "spent": spent, **more})


def spent_json(spent: Any) -> dict[str, str | None]:
    return {
        k: None if getattr(spent, k) is None else str(getattr(spent, k)) for k in ("epsilon", "delta", "rho")
    }


def write_json(path: Path, what: object) -> None:
    """A question a line."""
    text = json.dumps(what, ensure_ascii=False, default=str).replace('{"asked": ', '\n{"asked": ')
    path.write_text(text + "\n", encoding="utf-8")


def table_csv(path: Path, rows: Sequence[dict[str, object]]) -> None:
    pd.DataFrame(rows).to_csv(path, index=False)


# ------------------------------------------------------------------------------------------------ shop

SHOP = """\
[populations.shoppers]
budget = { epsilon = 9, delta = 1e-6 }

[tables.customers]
source        = "customers.csv"
unit          = { column = "customer_id", of = "shoppers" }
rows_per_unit = 1
budget        = { epsilon = 9, delta = 1e-6 }

[tables.customers.columns]
customer_id = { type = "integer", unique = true }
region      = { type = "text", keys = ["N", "S", "W"], other = true }
age         = { type = "integer", low = 18, high = 97 }
city        = { type = "text", keys = "private" }
member      = { type = "boolean" }
joined      = { type = "timestamp", low = 2023-01-01, high = 2023-12-31 }

[tables.orders]
source          = "orders.csv"
unit            = { column = "customer_id", of = "shoppers" }
rows_per_unit   = 3
groups_per_unit = 2
budget          = { epsilon = 9, delta = 1e-6 }

[tables.orders.columns]
customer_id = { type = "integer" }
order_id    = { type = "integer", unique = true }
placed      = { type = "date", low = 2024-01-01, high = 2024-12-31 }
status      = { type = "text", keys = ["open", "sent"] }
amount      = { type = "float", low = 0, high = 500 }
rebate      = { type = "float", low = 0, high = 50, null = 0 }

[tables.items]
source        = "items.csv"
unit          = { column = "order_id", through = "orders.order_id" }
rows_per_unit = 6
budget        = { epsilon = 9, delta = 1e-6 }

[tables.items.columns]
order_id   = { type = "integer" }
product_id = { type = "integer" }
quantity   = { type = "integer", low = 0, high = 10 }

[tables.products]
public = true
source = "products.csv"

[tables.products.columns]
product_id = { type = "integer", unique = true }
category   = { type = "text", keys = ["books", "toys"] }

[tables.visits]
source = "visits.csv"
unit   = "row"
blocks = "month"
budget = { epsilon = 3, delta = 1e-6 }

[tables.visits.columns]
month = { type = "text", keys = ["2024-01", "2024-02", "2024-03"] }
kind  = { type = "text", keys = ["test", "cure"] }
cost  = { type = "float", low = 0, high = 500 }

[tables.stays]
source        = "stays.csv"
unit          = { column = "person", within = "quarter" }
rows_per_unit = 2
blocks        = "quarter"
budget        = { epsilon = 3 }

[tables.stays.columns]
quarter = { type = "integer", keys = { from = 1, to = 4 } }
nights  = { type = "integer", low = 0, high = 30 }

[tables.sensors]
source   = "sensors.csv"
unit     = "row"
relation = "replace-one"
units    = 60
budget   = { epsilon = 5 }

[tables.sensors.columns]
site  = { type = "text", keys = ["a", "b"] }
level = { type = "float", low = -1, high = 1 }

[tables.panel]
source        = "panel.csv"
unit          = "person"
relation      = "replace-one"
units         = 20
rows_per_unit = 2
budget        = { epsilon = 5 }

[tables.panel.columns]
answer = { type = "text", keys = ["yes", "no"] }
score  = { type = "integer", low = 0, high = 10 }

[tables.trials]
source        = "trials.csv"
unit          = "person"
rows_per_unit = 2
budget        = { rho = 0.5, delta = 1e-6 }

[tables.trials.columns]
arm    = { type = "text", keys = ["a", "b", "c"] }
weight = { type = "float", low = 40, high = 140 }
site   = { type = "text", keys = "private" }

[analysts.ana]
tables = { customers = { epsilon = 8, delta = 1e-6 }, orders = { epsilon = 8, delta = 1e-6 }, items = { epsilon = 8 }, visits = { epsilon = 2, delta = 1e-6 }, stays = { epsilon = 3 }, sensors = { epsilon = 5 }, panel = { epsilon = 5, per_query = 2 }, trials = { rho = 0.4, delta = 1e-6 } }

[analysts.ben]
tables = { customers = { epsilon = 2 }, visits = { epsilon = 1 }, trials = { rho = 0.1, delta = 1e-6 } }
"""


def shop_files(folder: Path) -> None:
    people = range(1, 121)
    table_csv(
        folder / "customers.csv",
        [
            {
                "customer_id": n,
                "region": "NSWX"[n % 4],
                "age": 18 + 7 * n % 80,
                "city": CITIES[n % 3] if n % 40 else f"Village {n}",
                "member": n % 3 == 0,
                "joined": f"2023-{1 + n % 12:02}-{1 + n % 28:02} {n % 24:02}:00:00",
            }
            for n in people
        ],
    )
    orders = [(n, k) for n in people for k in range(n % 5)]
    table_csv(
        folder / "orders.csv",
        [
            {
                "customer_id": n,
                "order_id": 10 * n + k,
                "placed": f"2024-{1 + (n + k) % 12:02}-{1 + n % 28:02}",
                "status": ["open", "sent"][(n + k) % 2],
                "amount": (37 * n + 11 * k) % 500 + 0.25,
                "rebate": None if k else (n % 50) / 2,
            }
            for n, k in orders
        ],
    )
    table_csv(
        folder / "items.csv",
        [
            {"order_id": 10 * n + k, "product_id": 1 + (n + j) % 4, "quantity": (n + j) % 10}
            for n, k in orders
            for j in range(1 + n % 2)
        ],
    )
    table_csv(
        folder / "products.csv",
        [{"product_id": n, "category": ["books", "toys"][n % 2]} for n in range(1, 5)],
    )
    table_csv(
        folder / "visits.csv",
        [
            {"month": f"2024-0{1 + n % 3}", "kind": ["test", "cure"][n % 2], "cost": 13 * n % 500}
            for n in range(90)
        ],
    )
    table_csv(
        folder / "stays.csv",
        [
            {"person": n, "quarter": 1 + n % 4, "nights": (n + k) % 30}
            for n in range(40)
            for k in range(1 + n % 2)
        ],
    )
    table_csv(folder / "sensors.csv", [{"site": "ab"[n % 2], "level": (n % 21 - 10) / 10} for n in range(60)])
    table_csv(
        folder / "panel.csv",
        [
            {"person": n, "answer": ["yes", "no"][(n + k) % 2], "score": n % 11}
            for n in range(20)
            for k in range(2)
        ],
    )
    table_csv(
        folder / "trials.csv",
        [
            {"person": n, "arm": "abc"[n % 3], "weight": 40 + n % 100, "site": CITIES[n % 3]}
            for n in range(80)
            for _ in range(1 + n % 2)
        ],
    )


SHOP_QUESTIONS: list[dict[str, object]] = [
    # Sums by Laplace noise, in groups of every kind.
    {"sql": "SELECT COUNT(*) AS n FROM customers", "epsilon": "0.1"},
    {"sql": "SELECT region, COUNT(*) AS n, AVG(age) AS age FROM customers GROUP BY region", "epsilon": "0.25"},
    {"sql": "SELECT region, FLOOR(age / 20) AS score, COUNT(*) AS n FROM customers GROUP BY ROLLUP (region, score)", "epsilon": "0.2"},
    {"sql": "SELECT COUNT(*) AS n, SUM(amount) AS total, VAR_SAMP(amount) AS v FROM orders WHERE status = 'sent'", "epsilon": "0.25"},
    {"sql": "SELECT DATE_TRUNC('month', placed) AS month, COUNT(*) AS n FROM orders GROUP BY month", "epsilon": "0.1"},
    {"sql": "SELECT member, CORR(age, CASE WHEN member THEN 1 ELSE 0 END) AS c FROM customers GROUP BY member", "epsilon": "0.2"},
    {"sql": "SELECT COUNT(*) FILTER (WHERE joined >= TIMESTAMP '2023-06-01 00:00:00' OR age BETWEEN 20 AND 30) AS n, COUNT(*) FILTER (WHERE region IN ('N', 'S') AND NOT member) AS m FROM customers", "epsilon": "0.2"},
    {"sql": "SELECT SUM(amount - COALESCE(rebate, 0)) AS net, SUM(ABS(amount) * 0.5) AS half FROM orders WHERE rebate IS NULL OR amount > 10", "epsilon": "0.2"},
    {"sql": "SELECT BUCKETS(amount, 5) AS b, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY BUCKETS(amount, 5)) AS up_to FROM orders GROUP BY BUCKETS(amount, 5)", "epsilon": "0.2"},
    {"sql": "SELECT COUNT(*) AS n FROM customers WHERE city LIKE 'O%' OR city = 'Graz'", "epsilon": "0.1"},
    {"sql": "SELECT COUNT(DISTINCT customer_id) AS people FROM orders WHERE amount > 100", "epsilon": "0.1"},
    {"sql": "SELECT COUNT(*) AS n, AVG(CLAMP(total, 0, 900)) AS mean FROM (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) AS each_ WHERE total > 50", "epsilon": "0.1"},
    # Over several tables.
    {"sql": "SELECT category, SUM(quantity) AS n FROM items JOIN products ON items.product_id = products.product_id GROUP BY category", "epsilon": "0.2"},
    {"sql": "SELECT COUNT(*) AS n FROM orders WHERE customer_id IN (SELECT customer_id FROM customers WHERE region = 'N')", "epsilon": "0.2"},
    {"sql": "SELECT region, SUM(amount) AS total FROM orders JOIN customers ON orders.customer_id = customers.customer_id GROUP BY region", "epsilon": "0.2", "joins": True},
    {"sql": "SELECT COUNT(*) AS n FROM (SELECT age FROM customers UNION ALL SELECT age FROM customers WHERE member) AS both_", "epsilon": "0.1"},
    # Choices, alone and with sums.
    {"sql": "SELECT MEDIAN(amount) AS m FROM orders", "epsilon": "0.3"},
    {"sql": "SELECT region, QUANTILE(age, 0.25) AS q1, QUANTILE(age, 0.75) AS q3, COUNT(*) AS n FROM customers GROUP BY region", "epsilon": "0.5"},
    {"sql": "SELECT MIN(age) AS youngest, MAX(age) AS oldest FROM customers", "epsilon": "0.3"},
    {"sql": "SELECT MODE(region) AS r, APPROX_TOP_K(region, 2) AS two FROM customers", "epsilon": "0.3"},
    # Private groups.
    {"sql": "SELECT DISTINCT city FROM customers", "epsilon": "0.5", "delta": "1e-7"},
    {"sql": "SELECT city, COUNT(*) AS n, AVG(age) AS age FROM customers GROUP BY city", "epsilon": "0.7", "delta": "1e-7"},
    {"sql": "SELECT city, MEDIAN(age) AS m, COUNT(*) AS n FROM customers WHERE age > 20 GROUP BY city", "epsilon": "0.7", "delta": "1e-7"},
    # Gaussian noise for (epsilon, delta), a wanted error, an interval for all numbers, a key of the client's own.
    {"sql": "SELECT region, FLOOR(age / 5) AS band, COUNT(*) AS n, SUM(age) AS s FROM customers GROUP BY GROUPING SETS ((region, band), (region), (band), ())", "epsilon": "0.4", "delta": "1e-8"},
    {"sql": "SELECT COUNT(*) AS n FROM customers WHERE age > 60", "error": "40", "confidence": "0.9"},
    {"sql": "SELECT region, COUNT(*) AS n FROM customers WHERE age <= 60 GROUP BY region", "epsilon": "0.1", "simultaneous": True},
    {"sql": "SELECT COUNT(*) AS n FROM customers WHERE age = 33", "epsilon": "0.1", "key": "request-1"},
    # Blocks.
    {"sql": "SELECT kind, COUNT(*) AS n, SUM(cost) AS c FROM visits WHERE month = '2024-01' GROUP BY kind", "epsilon": "0.5"},
    {"sql": "SELECT month, COUNT(*) AS n FROM visits GROUP BY month", "epsilon": "0.5"},
    {"sql": "SELECT SUM(nights) AS n FROM stays WHERE quarter IN (2, 3)", "epsilon": "0.5"},
    # Replace-one: a number of rows that is public, choices of one quantile.
    {"sql": "SELECT COUNT(*) AS n, SUM(level) AS s FROM sensors", "epsilon": "0.5"},
    {"sql": "SELECT MEDIAN(level) AS m, MAX(level) AS top FROM sensors", "epsilon": "0.5"},
    {"sql": "SELECT site, AVG(level) AS m FROM sensors GROUP BY site", "epsilon": "0.5"},
    {"sql": "SELECT answer, COUNT(*) AS n, AVG(score) AS s FROM panel GROUP BY answer", "epsilon": "1"},
    {"sql": "SELECT MODE(answer) AS a FROM panel", "epsilon": "1"},
    # A budget of rho.
    {"sql": "SELECT arm, COUNT(*) AS n, AVG(weight) AS w FROM trials GROUP BY arm", "rho": "0.05"},
    {"sql": "SELECT arm, COUNT(*) AS n FROM trials WHERE weight > 60 GROUP BY CUBE (arm)", "rho": "0.02"},
    {"sql": "SELECT MEDIAN(weight) AS m FROM trials", "epsilon": "0.2"},
    {"sql": "SELECT site, COUNT(*) AS n FROM trials GROUP BY site", "epsilon": "0.3", "delta": "1e-7"},
    {"sql": "SELECT COUNT(*) AS n FROM trials WHERE arm = 'a'", "error": "60"},
    # What follows from stored answers.
    {"sql": "SELECT SUM(n) AS n FROM (SELECT 1 AS n FROM customers) AS ones", "epsilon": "0.05"},
    {"sql": "SELECT COUNT(*) AS n, SUM(amount) AS total FROM orders WHERE status = 'sent'"},
    {"sql": "SELECT kind, SUM(cost) AS c FROM visits WHERE month = '2024-01' GROUP BY kind"},
    # Written step by step, together, and in a batch.
    {"frame": "customers", "epsilon": "0.1"},
    {"together": ["SELECT status, COUNT(*) AS n FROM orders WHERE amount < 300 GROUP BY status", "SELECT SUM(amount) AS s FROM orders WHERE amount < 300"], "epsilon": "0.2"},
    {"batch": ["SELECT COUNT(*) AS n FROM customers WHERE member", "SELECT AVG(age) AS a FROM customers WHERE member"], "epsilon": "0.2"},
    {"bounds": "customers.rows_per_unit", "epsilon": "0.1"},
]  # fmt: skip


def write_shop(folder: Path) -> None:
    folder.mkdir()
    (folder / "lapcat.toml").write_text(SHOP, encoding="utf-8")
    shop_files(folder)
    recorder = Recorder(folder)
    with chdir(folder):
        cli("refresh")
        ana = lapcat.open("lapcat.toml", analyst="ana")
        for question in SHOP_QUESTIONS:
            recorder(ana, **question)
        ben = as_analyst(ana._deployment, "ben")  # ana's answers are his for what they cost her
        recorder(
            ben,
            sql="SELECT region, COUNT(*) AS n, AVG(age) AS age FROM customers GROUP BY region",
            epsilon="0.25",
        )
        recorder(ben, sql="SELECT region, AVG(age) AS age FROM customers GROUP BY region")
        recorder(ben, sql="SELECT month, COUNT(*) AS n FROM visits GROUP BY month", epsilon="0.5")
        recorder(ben, sql="SELECT arm, COUNT(*) AS n, AVG(weight) AS w FROM trials GROUP BY arm", rho="0.05")
        failing = ana.sql("SELECT COUNT(*) AS n FROM sensors WHERE level > 0.5")
        with patch.object(DuckDBEngine, "look", side_effect=RuntimeError("made up")):
            try:
                failing.run(epsilon="0.1")
            except Error as error:
                print("as it should:", error.code)
        voided = ana.sql("SELECT COUNT(*) AS n FROM sensors WHERE level > 0.9")
        program = voided._program("0.1", None, None, None, Fraction(95, 100))
        left = ana._deployment.ledger.debit(request_of(voided._context, program)).id
        ana._deployment.ledger.close()
        cli("void", str(left), "--reason", "asked by mistake")
        cli("pause", "stays", "--reason", "a question about it is being looked into")
        cli("pause", "panel", "--reason", "as well")
        cli("resume", "panel", "--reason", "looked into")
        cli("refresh", "sensors")
        catalogue = Path("lapcat.toml")
        catalogue.write_text(
            SHOP.replace("budget        = { rho = 0.5,", "budget        = { rho = 0.6,"), encoding="utf-8"
        )
        cli("accept", "--reason", "the trials go on for a year")
    later = lapcat.open(folder / "lapcat.toml", analyst="ana")
    recorder.asked = [entry for entry in recorder.asked if "sensors" not in str(entry["asked"])]
    recorder(later, sql="SELECT COUNT(*) AS n, SUM(level) AS s FROM sensors", epsilon="0.25")
    recorder.close(later, voided=left, paused=["stays"])


# ------------------------------------------------------------------------------------------------ counts

COUNTS = """\
[tables.census]
source = "census.csv"
unit   = "row"
budget = { epsilon = 10, delta = 1e-6 }

[tables.census.columns]
age    = { type = "integer", low = 0, high = 31 }
sex    = { type = "text", keys = ["f", "m"] }
region = { type = "text", keys = ["N", "S", "W"] }
child  = { type = "boolean" }

[tables.survey]
source        = "survey.csv"
unit          = "person"
rows_per_unit = 2
budget        = { rho = 0.5 }

[tables.survey.columns]
age    = { type = "integer", low = 0, high = 31 }
sex    = { type = "text", keys = ["f", "m"] }
region = { type = "text", keys = ["N", "S", "W"] }
child  = { type = "boolean" }
"""

REGIONS = "NSW"
RANGES = {"kind": "ranges", "column": "age"}
FEW = {"kind": "ranges", "column": "age", "bounds": [[0, 8], [5, 13], [3, 15]]}
PREFIXES = {"kind": "prefixes", "column": "age"}
MARGINALS = {"kind": "marginals", "columns": ["sex", "region", "child"], "ways": 2}
BY_SEX = {"kind": "product", "of": [RANGES, {"kind": "marginals", "columns": ["sex"], "ways": 1}]}
OWN = {"kind": "queries", "column": "sex", "rows": [[1, 1], [1, 0]]}


def write_counts(folder: Path) -> None:
    folder.mkdir()
    (folder / "lapcat.toml").write_text(COUNTS, encoding="utf-8")
    rows = [
        {"age": 7 * n % 32, "sex": "fm"[n % 2], "region": "NSW"[n % 3], "child": n % 5 == 0}
        for n in range(200)
    ]
    table_csv(folder / "census.csv", rows)
    table_csv(folder / "survey.csv", [{"person": n // 2, **row} for n, row in enumerate(rows)])
    recorder = Recorder(folder)
    with chdir(folder):
        cli("refresh")
    db = lapcat.open(folder / "lapcat.toml")
    number = -1
    for proposes in planner.STRATEGIES:  # each one alone, as if it had been the best
        for table, price in (("census", {"epsilon": "0.1"}), ("survey", {"rho": "0.01"})):
            for what in (RANGES, FEW, PREFIXES, MARGINALS, BY_SEX, OWN):
                number += 1
                with only(proposes):
                    try:
                        recorder(
                            db,
                            workload=what,
                            table=table,
                            where=f"age <> {number % 32} OR region <> '{REGIONS[number // 32]}'",
                            **price,
                        )
                    except (Error, IndexError, ValueError) as error:
                        if getattr(error, "code", "") not in ("workload-too-large", ""):
                            raise
    with only(lambda *asked: (strategy for strategy in marginals(*asked) if strategy.name == "marginals")):
        recorder(db, workload=MARGINALS, table="census", where="age > 3", epsilon="0.1")
    for proposes in (direct, trees):  # Gaussian noise, quoted as (epsilon, delta); asked again by their keys
        with only(proposes):
            recorder(
                db,
                workload=PREFIXES,
                table="census",
                where=f"age > {proposes is direct:d}",
                epsilon="0.3",
                delta="1e-7",
                key=f"quoted {proposes.__name__}",
            )
    sums = ", ".join(f"SUM(CLAMP(age, 0, {1 + n / 10})) AS s{n}" for n in range(60))
    recorder(db, sql=f"SELECT {sums} FROM census", epsilon="0.5", delta="1e-7")
    for what in (RANGES, FEW, MARGINALS, BY_SEX, OWN):  # as it chooses itself
        recorder(db, workload=what, table="census", epsilon="0.1")
        recorder(db, workload=what, table="census", where="child", epsilon="0.1", delta="1e-8")
        recorder(db, workload=what, table="survey", rho="0.01")
    recorder(db, workload=FEW, table="census", where="region = 'N'", error="60")
    recorder(
        db, sql="SELECT sex, region, COUNT(*) AS n FROM census GROUP BY CUBE (sex, region)", epsilon="0.1"
    )
    recorder(
        db,
        sql="SELECT COUNT(*) FILTER (WHERE age < 5) AS a, COUNT(*) FILTER (WHERE age < 10) AS b, COUNT(*) FILTER (WHERE age BETWEEN 2 AND 12) AS c FROM census",
        epsilon="0.1",
    )
    recorder(
        db,
        sql="SELECT age, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY age) AS up_to FROM survey GROUP BY age",
        rho="0.01",
    )
    recorder.close(db)


@contextmanager
def only(proposes: Any) -> Iterator[None]:
    with (
        patch.object(planner, "STRATEGIES", (proposes,)),
        patch.object(planner, "jointly", lambda *a, **b: None),
    ):
        yield


# ------------------------------------------------------------------------------------------------ signed

SIGNED = """\
[ledger]
store   = "sqlite:lapcat.ledger"
key     = "../secret/key"
witness = "../elsewhere/lapcat.witness"

[tables.staff]
source        = "staff.csv"
unit          = "person"
rows_per_unit = 2
budget        = { epsilon = 5, delta = 1e-6 }

[tables.staff.columns]
region = { type = "text", keys = ["N", "S"] }
pay    = { type = "float", low = 0, high = 100 }
"""


def staff_rows() -> list[dict[str, object]]:
    return [{"person": n // 2, "region": "NS"[n % 2], "pay": float(n % 100)} for n in range(80)]


def write_signed(folder: Path) -> None:
    books = folder / "books"
    for name in ("books", "secret", "elsewhere"):
        (folder / name).mkdir(parents=True)
    (folder / "elsewhere" / "lapcat.witness").touch()
    (books / "lapcat.toml").write_text(SIGNED, encoding="utf-8")
    table_csv(books / "staff.csv", staff_rows())
    recorder = Recorder(books)
    with chdir(books):
        cli("refresh")
        db = lapcat.open("lapcat.toml")
        recorder(
            db,
            sql="SELECT region, COUNT(*) AS n, AVG(pay) AS m, SUM(pay) AS s FROM staff GROUP BY region",
            epsilon="0.5",
        )
        recorder(db, sql="SELECT MEDIAN(pay) AS m FROM staff", epsilon="0.5")
        recorder(db, sql="SELECT region, AVG(pay) AS m FROM staff GROUP BY region")
        recorder(db, sql="SELECT region, COUNT(*) AS n FROM staff GROUP BY region")
        for pay in range(10, 40):  # enough for checkpoints
            recorder(db, sql=f"SELECT COUNT(*) AS n FROM staff WHERE pay > {pay}", epsilon="0.01")
        recorder.close(db)


# ------------------------------------------------------------------------------------------------ in place

IN_PLACE = """\
[tables.staff]
source = "staff.parquet"
unit   = "row"
budget = { epsilon = 3 }

[tables.staff.columns]
region = { type = "text", keys = ["N", "S"] }
pay    = { type = "float", low = 0, high = 100 }

[tables.bills]
source = "duckdb:bills.db#bills"
unit   = "row"
budget = { epsilon = 3 }

[tables.bills.columns]
amount = { type = "integer", low = 0, high = 1000 }
paid   = { type = "boolean" }

[tables.declared]
source = "declared.parquet"
unit   = "row"
budget = { epsilon = 3 }

[tables.declared.columns]
x = { type = "integer", low = 0, high = 9 }
"""


def write_in_place(folder: Path) -> None:
    folder.mkdir()
    (folder / "lapcat.toml").write_text(IN_PLACE, encoding="utf-8")
    pd.DataFrame(staff_rows()).to_parquet(folder / "staff.parquet", index=False)
    pd.DataFrame({"x": [n % 10 for n in range(50)]}).to_parquet(folder / "declared.parquet", index=False)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{folder / 'bills.db'}' AS shop (BLOCK_SIZE 16384)")
        connection.execute(
            "CREATE TABLE shop.bills AS SELECT CAST(17 * i % 1000 AS BIGINT) AS amount, i % 3 = 0 AS paid FROM range(60) t(i)"
        )
        connection.execute("CHECKPOINT shop")
    recorder = Recorder(folder)
    with chdir(folder):
        cli("refresh", "declared")  # declares version 1; there is no snapshot all the same
    db = lapcat.open(folder / "lapcat.toml")
    recorder(db, sql="SELECT region, COUNT(*) AS n, AVG(pay) AS m FROM staff GROUP BY region", epsilon="0.5")
    recorder(db, sql="SELECT MEDIAN(pay) AS m FROM staff", epsilon="0.5")
    recorder(db, sql="SELECT region, SUM(pay) AS s FROM staff GROUP BY region")
    recorder(db, sql="SELECT paid, COUNT(*) AS n, SUM(amount) AS s FROM bills GROUP BY paid", epsilon="0.5")
    recorder(db, sql="SELECT x, COUNT(*) AS n FROM declared GROUP BY x", epsilon="0.5")
    recorder.close(db)
    assert not (folder / "lapcat.cache").exists()


def write_frames(folder: Path) -> None:
    folder.mkdir()
    table_csv(folder / "staff.csv", staff_rows())
    recorder = Recorder(folder)
    db = held_frame(folder)
    recorder(db, sql="SELECT region, COUNT(*) AS n, AVG(pay) AS m FROM data GROUP BY region", epsilon="0.5")
    recorder(db, sql="SELECT MAX(pay) AS m FROM data", epsilon="0.5")
    recorder.close(db)


# ------------------------------------------------------------------------------------------------ server

SERVER = """\
[ledger]
store = "{url}"

[tables.staff]
source        = "{url}#staff"
unit          = "person"
rows_per_unit = 2
budget        = {{ epsilon = 5, delta = 1e-6 }}

[tables.staff.columns]
region = {{ type = "text", keys = ["N", "S"] }}
pay    = {{ type = "float", low = 0, high = 100 }}

[tables.bills]
source = "{url}#bills"
unit   = "row"
budget = {{ epsilon = 3 }}

[tables.bills.columns]
amount = {{ type = "integer", low = 0, high = 1000 }}
paid   = {{ type = "boolean" }}

[tables.visits]
source = "visits.csv"
unit   = "row"
blocks = "month"
budget = {{ epsilon = 3 }}

[tables.visits.columns]
month = {{ type = "text", keys = ["2024-01", "2024-02"] }}
cost  = {{ type = "float", low = 0, high = 500 }}

[analysts.ana]
tables = {{ staff = {{ epsilon = 5, delta = 1e-6 }}, bills = {{ epsilon = 3 }}, visits = {{ epsilon = 2 }} }}

[analysts.ben]
tables = {{ staff = {{ epsilon = 1 }}, visits = {{ epsilon = 1 }} }}
"""


def write_server(folder: Path) -> None:
    import psycopg

    from tests.postgres_cluster import Cluster

    folder.mkdir()
    cluster = Cluster()
    try:
        url = cluster.url()
        (folder / "lapcat.toml").write_text(SERVER.format(url=url), encoding="utf-8")
        table_csv(
            folder / "visits.csv", [{"month": f"2024-0{1 + n % 2}", "cost": 13 * n % 500} for n in range(40)]
        )
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA lapcat_snapshots")
            connection.execute("CREATE TABLE staff (person integer, region text, pay double precision)")
            connection.execute("CREATE TABLE bills (amount bigint, paid boolean)")
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO staff VALUES (%s, %s, %s)", [tuple(row.values()) for row in staff_rows()]
                )
                cursor.executemany(
                    "INSERT INTO bills VALUES (%s, %s)", [(17 * n % 1000, n % 3 == 0) for n in range(60)]
                )
        recorder = Recorder(folder)
        with chdir(folder):
            cli("refresh")
            ana = lapcat.open("lapcat.toml", analyst="ana")
            for question in (
                {
                    "sql": "SELECT region, COUNT(*) AS n, AVG(pay) AS m FROM staff GROUP BY region",
                    "epsilon": "0.5",
                },
                {"sql": "SELECT MEDIAN(pay) AS m, MAX(pay) AS top FROM staff", "epsilon": "0.5"},
                {
                    "sql": "SELECT region, COUNT(*) AS n FROM staff WHERE pay > 5 GROUP BY ROLLUP (region)",
                    "epsilon": "0.5",
                    "delta": "1e-7",
                },
                {"sql": "SELECT region, SUM(pay) AS s FROM staff GROUP BY region"},
                {
                    "sql": "SELECT paid, COUNT(*) AS n, SUM(amount) AS s FROM bills GROUP BY paid",
                    "epsilon": "0.5",
                },
                {
                    "sql": "SELECT month, SUM(cost) AS c FROM visits GROUP BY month",
                    "epsilon": "0.5",
                    "key": "request-1",
                },
                {"sql": "SELECT COUNT(*) AS n FROM visits WHERE month = '2024-02'", "error": "20"},
            ):
                recorder(ana, **question)
            ben = as_analyst(ana._deployment, "ben")
            recorder(
                ben,
                sql="SELECT region, COUNT(*) AS n, AVG(pay) AS m FROM staff GROUP BY region",
                epsilon="0.5",
            )
            recorder.close(ana)
            cli("pause", "bills", "--reason", "made up")
            cli("resume", "bills", "--reason", "made up")
        dump = subprocess.run(
            ["pg_dump", "--no-owner", "--inserts", url], check=True, capture_output=True, text=True
        ).stdout
        kept = [
            line
            for line in dump.splitlines()
            if not re.match(r"--|\\|SET |SELECT pg_catalog.set_config", line) and line
        ]
        (folder / "server.sql").write_text("\n".join(kept) + "\n", encoding="utf-8")
        catalogue = folder / "lapcat.toml"
        catalogue.write_text(catalogue.read_text(encoding="utf-8").replace(url, "URL"), encoding="utf-8")
    finally:
        cluster.remove()


# ------------------------------------------------------------------------------------------------ local

QUESTIONS = """\
title = "Habits"
about = "Two questions, for the city's health report."

[[questions]]
name = "smokes"
ask = "Did you smoke in the last seven days?"
values = ["yes", "no", "rather not say"]
epsilon = 1

[[questions]]
name = "age"
ask = "How old are you?"
low = 18
high = 100
epsilon = 1
"""


def write_local(folder: Path) -> None:
    folder.mkdir()
    (folder / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    people = [
        {
            "person": f"p{n}",
            "age": 18 + n % 80,
            "smokes": ["no", "yes", "maybe"][n % 7 % 3],
            "word": ["cat", "lap"][n % 3 % 2],
        }
        for n in range(400)
    ]
    table_csv(folder / "people.csv", people)
    expected: dict[str, object] = {}
    with chdir(folder):
        values = ("--value", "yes", "--value", "no", "--value", "rather", "--value", "never")
        numbers = ("--low", "18", "--high", "100")
        texts = ("--alphabet", "abcdefghijklmnopqrstuvwxyz", "--length", "3")
        made: list[tuple[str, str, tuple[str, ...]]] = [
            *((name, "smokes", values) for name in ("response", "unary", "hashing", "hadamard")),
            *((name, "age", numbers) for name in ("duchi", "piecewise", "hybrid", "laplace")),
            ("", "word", texts),
        ]
        for name, column, domain in made:
            file = f"{name or 'prefixes'}.parquet"
            more = ("--protocol", name) if name else ()
            cli("local", "encode", "people.csv", "--column", column, "--epsilon", "2", *domain, *more,
                "--person", "person", "-o", file)  # fmt: skip
            _, n, estimate = estimate_file(Path(file))
            expected[file] = {
                "n": n,
                "estimate": estimate_json(estimate),
                "column": column,
                "options": [*domain, *more],
            }
        cli("local", "survey", "questions.toml", "-o", "survey.html")
        Path("survey.html").unlink()
        from lapcat.session.local import open_survey

        survey = open_survey(Path("questions.toml"))
        lines = []
        drawn = {
            p.question: p.randomise(["no", "yes"] * 100 if p.question == "smokes" else [20, 70] * 100)
            for p in survey.protocols
        }
        for n in range(200):
            reports = {
                q: {name: int(part[n]) for name, part in columns.items()} for q, columns in drawn.items()
            }
            lines.append(json.dumps({"survey": survey.id, "reports": reports}))
        Path("answers.jsonl").write_text("\n".join([*lines, "no answer"]) + "\n", encoding="utf-8")
        result = estimate_answers([Path("answers.jsonl")], Path("questions.toml"))
        expected["answers.jsonl"] = {
            "survey": survey.id,
            "left_out": result.left_out,
            "estimates": [[p.question, n, estimate_json(estimate)] for p, n, estimate in result.estimates],
        }
    write_json(folder / "expected.json", expected)


# ------------------------------------------------------------------------------------------------ identities


def write_identities(path: Path) -> None:
    from tests.golden.corpus import UNDERSTOOD
    from tests.stored.asking import identities_of

    identities: dict[str, dict[str, Any]] = {}
    for case in UNDERSTOOD:
        schema = case.folder.parent.name
        body = identities.setdefault(schema, {"catalogue": case.schema.text, "questions": {}})
        body["questions"][case.question] = identities_of(case.schema, case.question)
    write_json(path, identities)


WRITERS: dict[str, Callable[[Path], None]] = {
    "shop": write_shop,
    "counts": write_counts,
    "signed": write_signed,
    "in_place": write_in_place,
    "frames": write_frames,
    "server": write_server,
    "local": write_local,
    "identities.json": write_identities,
}


def main() -> None:
    assert __version__ == "0.1.0", "this describes what 0.1.0 wrote"
    os.environ["COLUMNS"] = "100"
    HERE.mkdir(exist_ok=True)
    for name in sys.argv[1:] or WRITERS:
        place = HERE / name
        if place.is_dir():
            shutil.rmtree(place)
        WRITERS[name](place)
        print("wrote", name)
    for file in [*HERE.rglob("*.ledger-*"), *HERE.rglob("*.toml~"), *HERE.rglob("engines.json")]:
        print("left:", file)


if __name__ == "__main__":
    main()
