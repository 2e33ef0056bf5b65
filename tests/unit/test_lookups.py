"""Public columns that a grouped public key determines are shown beside it, and make no groups of their own."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas as pd
import pytest

import lapcat
from lapcat.session import Session
from lapcat.session.files import everything, open_deployment, refresh

CONFIDENCE = 0.999_999_999
CATALOGUE = """
[tables.sales]
source = "sales.parquet"
unit = "row"
budget = { epsilon = 1000000, i_understand = "a test of meanings, on made-up rows" }
[tables.sales.columns]
product = { type = "integer" }
amount = { type = "float", low = 0, high = 100 }

[tables.products]
public = true
source = "products.csv"

[tables.makers]
public = true
source = "makers.csv"
"""
PRODUCTS = "id,name,maker,price,since,note\n" + "".join(
    f"{n},{name},{maker},{n}.5,2020-01-0{n},{'long ' * 30}\n"
    for n, name, maker in [(1, "pen", 10), (2, "book", 20), (3, "pen", 20), (4, "", 10)]
)
MAKERS = "maker,town\n10,Oslo\n20,Rome\n30,Bonn\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Path]:
    folder = tmp_path_factory.mktemp("shop")
    products = pd.array([1 + n % 5 if n % 7 else None for n in range(2_000)], dtype="Int64")
    rows = {"product": products, "amount": [float(n % 90) for n in range(2_000)]}
    pd.DataFrame(rows).to_parquet(folder / "sales.parquet")
    for name, text in (("lapcat.toml", CATALOGUE), ("products.csv", PRODUCTS), ("makers.csv", MAKERS)):
        (folder / name).write_text(text, encoding="utf-8")
    deployment = open_deployment(folder / "lapcat.toml")
    deployment.require_acceptance()
    for table in everything(deployment.catalogue):
        refresh(deployment, table)
    return lapcat.open(folder / "lapcat.toml"), folder


JOINED = "FROM sales AS s JOIN products AS p ON s.product = p.id"
BOTH = f"{JOINED} JOIN makers AS m ON m.maker = p.maker"
TRUE = [
    f"SELECT p.id, p.name, p.price, p.since, COUNT(*) AS n {JOINED} GROUP BY p.id, p.name, p.price, p.since",
    f"SELECT p.name, p.id, COUNT(*) AS n {JOINED} GROUP BY p.name, p.id",
    f"SELECT s.product, ANY_VALUE(p.name) AS name, SUM(s.amount) AS n {JOINED} GROUP BY s.product",
    f"SELECT p.id, UPPER(p.name) AS name, p.price * 2 AS twice, COUNT(*) AS n {JOINED} GROUP BY p.id, p.name, p.price",
    f"SELECT p.id, m.town, p.name, COUNT(*) AS n {BOTH} GROUP BY p.id, m.town, p.name",
    f"SELECT m.maker, m.town, COUNT(*) AS n {BOTH} GROUP BY m.maker, m.town",
]


@pytest.mark.parametrize("question", TRUE)
def test_looked_up_columns_are_duckdbs(shop: tuple[Session, Path], question: str) -> None:
    session, folder = shop
    answer = session.sql(question).run(epsilon=100, confidence=CONFIDENCE)
    plain = duckdb.connect()
    plain.execute(f"CREATE VIEW sales AS FROM '{folder}/sales.parquet'")
    for table in ("products", "makers"):
        plain.execute(f"CREATE VIEW {table} AS FROM '{folder}/{table}.csv'")
    cursor = plain.execute(question)
    names = [column[0] for column in cursor.description or ()]
    exact = {tuple(row[:-1]): row[-1] for row in cursor.fetchall()}
    shown = {tuple(row[name] for name in names[:-1]): row for row in answer.rows}
    assert names[-1] == "n" and set(exact) <= set(shown)
    assert all(shown[key]["n_low"] <= value <= shown[key]["n_high"] for key, value in exact.items())


def test_they_make_no_groups(shop: tuple[Session, Path]) -> None:
    """Four products, not four times two names."""
    assert shop[0].sql(TRUE[0]).preview(epsilon=1).groups == 4
    alone = shop[0].sql(f"SELECT p.id, COUNT(*) AS n {JOINED} GROUP BY p.id")
    assert alone._context.prepared().identity == shop[0].sql(TRUE[0])._context.prepared().identity


def test_clauses_read_them(shop: tuple[Session, Path]) -> None:
    question = f"SELECT p.name, COUNT(*) AS n {JOINED} GROUP BY p.id HAVING p.price > 2 ORDER BY p.price DESC"
    assert [row["name"] for row in shop[0].sql(question).run(epsilon=100)] == [None, "pen", "book"]


REFUSED = [
    f"SELECT p.note, COUNT(*) AS n {JOINED} GROUP BY p.id",  # descriptions are not read
    f"SELECT p.price, COUNT(*) AS n {JOINED} GROUP BY p.name",  # a name is not unique
    f"SELECT m.town, COUNT(*) AS n {JOINED} JOIN makers AS m ON m.maker = p.maker GROUP BY p.name",
    "SELECT p.name, COUNT(*) AS n FROM sales AS s LEFT JOIN products AS p ON s.product = p.id GROUP BY s.product",
]


@pytest.mark.parametrize("question", REFUSED)
def test_what_the_key_does_not_determine_is_refused(shop: tuple[Session, Path], question: str) -> None:
    with pytest.raises(lapcat.Refused) as caught:
        shop[0].sql(question)
    assert caught.value.code in ("row-level", "keys-missing")


MEMBERS = [
    "product IN (SELECT id FROM products WHERE price > 2)",
    "product NOT IN (SELECT id FROM products WHERE price > 2)",
    "product IN (SELECT p.id FROM products AS p) AND amount > 3",
    "product IN (SELECT id FROM products WHERE name = 'pen' OR maker = 10)",
    "EXISTS (SELECT 1 FROM products AS p WHERE p.id = sales.product AND p.price > 2)",
    "NOT EXISTS (SELECT 1 FROM products AS p WHERE p.id = sales.product AND p.price > 2)",
]


@pytest.mark.parametrize("condition", MEMBERS)
def test_rows_with_a_match_in_a_public_table_are_duckdbs(shop: tuple[Session, Path], condition: str) -> None:
    session, folder = shop
    question = f"SELECT COUNT(*) AS n FROM sales WHERE {condition}"
    (row,) = session.sql(question).run(epsilon=100, confidence=CONFIDENCE).rows
    plain = duckdb.connect()
    plain.execute(f"CREATE VIEW sales AS FROM '{folder}/sales.parquet'")
    plain.execute(f"CREATE VIEW products AS FROM '{folder}/products.csv'")
    ((exact,),) = plain.execute(question).fetchall()
    assert row["n_low"] <= exact <= row["n_high"] and 0 < exact < 2_000
    assert [float(s["l1"]) for s in session.sql(question).sensitivity().as_json()["statistics"]] == [1.0]


def test_a_match_by_a_column_that_repeats_is_refused(shop: tuple[Session, Path]) -> None:
    with pytest.raises(lapcat.Refused) as caught:
        shop[0].sql("SELECT COUNT(*) AS n FROM sales WHERE product IN (SELECT maker FROM products)")
    assert caught.value.code == "join-not-unique"


@pytest.mark.parametrize("inside", ["COUNT(*)", "1", "MAX(p.price)"])
def test_exists_of_an_aggregate_is_refused(shop: tuple[Session, Path], inside: str) -> None:
    """SELECT COUNT(*) has a row also where nothing matches: EXISTS is true of every row."""
    more = " GROUP BY p.name HAVING COUNT(*) > 1" if inside == "1" else ""
    question = f"SELECT COUNT(*) AS n FROM sales WHERE EXISTS (SELECT {inside} FROM products AS p WHERE p.id = sales.product{more})"
    with pytest.raises(lapcat.Error):
        shop[0].sql(question)
