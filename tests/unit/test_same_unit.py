"""Who is the same unit, and where a column says so: collations, missing partners, paths of keys."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd

import lapcat
from lapcat.plan.nodes import Kind, scans_of
from lapcat.session import Session
from lapcat.testing.reveal import reveal
from tests.support import deploy, seeded

VISITS = """
[tables.visits]
source = "duckdb:v.db#visits"
unit = "who"
rows_per_unit = 3
budget = { epsilon = 1 }
[tables.visits.columns]
who = { type = "text" }
day = { type = "integer", keys = { from = 0, to = 9 } }
"""
SHOP = """
[populations.people]
budget = { epsilon = 9 }
[tables.customers]
source = "customers.parquet"
unit = { column = "id", of = "people" }
rows_per_unit = 1
budget = { epsilon = 9 }
[tables.customers.columns]
id = { type = "integer", unique = true }
[tables.orders]
source = "orders.parquet"
unit = { column = "id", of = "people" }
rows_per_unit = 3
budget = { epsilon = 9 }
[tables.orders.columns]
id = { type = "integer" }
order_id = { type = "integer", unique = true }
[tables.items]
source = "items.parquet"
unit = { column = "order_id", through = "orders.order_id" }
rows_per_unit = 3
budget = { epsilon = 9 }
[tables.items.columns]
order_id = { type = "integer" }
"""


def visits(folder: Path, rows: list[tuple[str, int]]) -> Session:
    folder.mkdir()
    with duckdb.connect(str(folder / "v.db")) as connection:
        connection.execute("CREATE TABLE visits (who VARCHAR COLLATE NOCASE, day INTEGER)")
        connection.executemany("INSERT INTO visits VALUES (?, ?)", rows)
    return seeded(deploy(folder, VISITS, {}, refreshed=["visits"]))


def shop(folder: Path) -> Session:
    data = {
        "customers.parquet": {"id": list(range(10))},
        "orders.parquet": {"id": [0, 0, 1, 2], "order_id": [10, 11, 12, 13]},
        "items.parquet": {"order_id": [10, 10, 12]},
    }
    return seeded(deploy(folder, SHOP, data, refreshed=["customers", "orders", "items"]))


def test_a_collation_makes_no_two_people_one(tmp_path: Path) -> None:
    """Bob and bob are one unit to a window over a collated column, and two in the snapshot that it writes."""
    rows = [("Bob", day) for day in range(3)] + [("bob", 3 + day % 7) for day in range(60)]
    for name, text in {
        "weights": "SELECT day, COUNT(*) AS n FROM visits GROUP BY day",
        "ranks": "SELECT day, COUNT(*) AS n, COUNT(DISTINCT day) AS d FROM visits GROUP BY day",
    }.items():
        looks = []
        for part, held in {"all": rows, "one": rows[:3]}.items():
            session = visits(tmp_path / f"{name}-{part}", held)
            prepared = session.sql(text)._prepared()
            engine = session._deployment.engine(scans_of(prepared.plan))
            looks.append(reveal(engine.execute(prepared.plan)))
        moved = abs(looks[0] - looks[1]).sum(axis=1).tolist()
        claimed = [fact.sensitivity.l1 for fact in prepared.facts.statistics]
        assert all(m <= c for m, c in zip(moved, claimed, strict=True)), (name, moved, claimed)


def test_a_partner_that_is_missing_is_nobody(tmp_path: Path) -> None:
    session = shop(tmp_path / "shop")
    text = "SELECT COUNT(DISTINCT {0}.id) AS n FROM customers AS c LEFT JOIN orders AS o ON c.id = o.id"
    kinds = [session.sql(text.format(of))._prepared().plan.statistics[0].kind for of in ("c", "o")]
    assert kinds == [Kind.UNITS, Kind.DISTINCT]
    assert session.sql(text.format("o")).run(epsilon=8)["n"] == [3]


def test_a_question_debits_the_tables_that_say_whose_rows_it_reads(tmp_path: Path) -> None:
    session = shop(tmp_path / "shop")
    session.sql("SELECT COUNT(*) AS n FROM items").run(epsilon=2)
    left = {name: gauge.left.epsilon for name, gauge in session.budget().tables.items()}
    assert left == {"customers": 9, "orders": 7, "items": 7}
    assert session.budget().populations["people"].left.epsilon == 7


def test_the_number_of_units_of_a_private_group_is_part_of_the_sensitivity() -> None:
    """It is measured for the threshold even where it is the only number that is asked for."""
    frame = pd.DataFrame({"city": ["Ulm"] * 90, "who": list(range(45)) * 2, "x": [1.0] * 90})
    for unit, rows, l1 in (("row", None, 1), ("who", 2, 2)):
        held = lapcat.table(
            frame,
            unit=unit,
            rows_per_unit=rows,
            epsilon=9,
            delta="1e-6",
            bounds={"x": (0, 1)},
            keys={"city": "private"},
        )
        asked = (
            held.sql("SELECT city, COUNT(DISTINCT who) AS n FROM data GROUP BY city")
            if rows
            else held.sql("SELECT city, COUNT(*) AS n FROM data GROUP BY city")
        )
        report = asked.sensitivity()
        assert (report.l1, [s.l1 for s in report.statistics]) == (l1, [l1])
        assert f"by at most {l1}" in str(report)
        assert asked.run(epsilon=8, delta="1e-7")["city"] == ["Ulm"]
