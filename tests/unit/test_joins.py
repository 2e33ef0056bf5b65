"""Joins as people write them: each form has the rows that DuckDB gives it, within the interval; what has no rule is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pytest

import lapcat
from lapcat.frontend.sql.join_order import without_common
from lapcat.frontend.sql.text import Text
from lapcat.session import Session
from lapcat.session.files import open_deployment
from tests.support import deploy

CONFIDENCE = 0.999_999_999
"""Of an interval that a test relies on: wrong once in a thousand million runs."""
LARGE = 'budget = { epsilon = 1e9, i_understand = "a test of meanings, on made-up people" }'
CATALOGUE = f"""
[populations.shoppers]
{LARGE}

[tables.customers]
source = "customers.parquet"
unit = {{ column = "customer_id", of = "shoppers" }}
rows_per_unit = 1
{LARGE}
[tables.customers.columns]
customer_id = {{ type = "integer", unique = true }}
nation_id = {{ type = "integer" }}
age = {{ type = "integer", low = 0, high = 100 }}

[tables.orders]
source = "orders.parquet"
unit = {{ column = "customer_id", of = "shoppers" }}
rows_per_unit = 20
{LARGE}
[tables.orders.columns]
customer_id = {{ type = "integer" }}
order_id = {{ type = "integer", unique = true }}
amount = {{ type = "float", low = 0, high = 100 }}
status = {{ type = "text", keys = ["open", "sent"] }}

[tables.items]
source = "items.parquet"
unit = {{ column = "order_id", through = "orders.order_id" }}
rows_per_unit = 80
{LARGE}
[tables.items.columns]
order_id = {{ type = "integer" }}
product_id = {{ type = "integer" }}
maker_id = {{ type = "integer" }}
quantity = {{ type = "integer", low = 0, high = 9 }}

[tables.products]
public = true
source = "products.parquet"
[tables.offers]
public = true
source = "offers.parquet"
unique = [["product_id", "maker_id"]]
[tables.categories]
public = true
source = "categories.parquet"
[tables.nations]
public = true
source = "nations.parquet"
[tables.regions]
public = true
source = "regions.parquet"
"""


def rows_of_tables() -> dict[str, tuple[str, list[tuple[object, ...]]]]:
    """The columns and rows of each table: keys that are missing, unknown or NULL included."""
    dice = Random(7)
    customers = [(n, dice.choice([*range(6), None]), n % 90) for n in range(300)]
    orders = [
        (dice.randrange(300), n, float(n % 100), dice.choice(["open", "sent", None])) for n in range(1500)
    ]
    items = [
        (dice.randrange(1500), dice.choice([*range(12), None]), dice.randrange(4), n % 10)
        for n in range(5000)
    ]
    return {
        "customers": ("customer_id BIGINT, nation_id BIGINT, age BIGINT", list(customers)),
        "orders": ("customer_id BIGINT, order_id BIGINT, amount DOUBLE, status VARCHAR", list(orders)),
        "items": ("order_id BIGINT, product_id BIGINT, maker_id BIGINT, quantity BIGINT", list(items)),
        "products": (
            "product_id BIGINT, category_id BIGINT, title VARCHAR, cost DOUBLE",
            [(n, n % 4 if n else None, f"p{n}", float(n)) for n in range(10)],
        ),
        "offers": (
            "product_id BIGINT, maker_id BIGINT, price DOUBLE",
            [(p, m, float((p or 0) + (m or 0))) for p in (*range(9), None) for m in (0, 1, 2, None)],
        ),
        "categories": ("category_id BIGINT, category VARCHAR", [(0, "books"), (1, "toys"), (2, "garden")]),
        "nations": (
            "nation_id BIGINT, region_id BIGINT, nation VARCHAR",
            [(n, n % 3, f"n{n}") for n in range(5)],
        ),
        "regions": ("region_id BIGINT, region VARCHAR", [(0, "north"), (1, "south")]),
    }


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, duckdb.DuckDBPyConnection]]:
    folder: Path = tmp_path_factory.mktemp("shop")
    plain = duckdb.connect()
    for name, (columns, rows) in rows_of_tables().items():
        plain.execute(f"CREATE TABLE {name} ({columns})")
        plain.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        plain.execute(f"COPY {name} TO '{folder / name}.parquet'")
    yield lapcat.open(deploy(folder, CATALOGUE, {})), plain
    plain.close()


BY_REGION = """SELECT region, COUNT(*) AS n, SUM(quantity) AS q FROM {}
GROUP BY region"""
EVERY_KEY = (
    "r.region_id = n.region_id AND n.nation_id = c.nation_id AND c.customer_id = o.customer_id "
    "AND o.order_id = i.order_id"
)
FORMS = [
    # tables in any order, conditions in WHERE
    BY_REGION.format(f"customers c, orders o, items i, nations n, regions r WHERE {EVERY_KEY}"),
    BY_REGION.format(f"regions r, nations n, customers c, orders o, items i WHERE {EVERY_KEY}"),
    BY_REGION.format(f"items i, regions r, orders o, nations n, customers c WHERE age > 20 AND ({EVERY_KEY} AND amount < 50)"),
    BY_REGION.format(f"regions r CROSS JOIN nations n CROSS JOIN items i CROSS JOIN orders o CROSS JOIN customers c WHERE {EVERY_KEY}"),
    # public tables first, chains of them
    BY_REGION.format(
        "regions r JOIN nations n ON r.region_id = n.region_id JOIN customers c ON c.nation_id = n.nation_id "
        "JOIN (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) t ON t.customer_id = c.customer_id"
    ).replace("SUM(quantity)", "COUNT(total)"),
    "SELECT category, COUNT(*) AS n FROM categories JOIN products USING (category_id) JOIN items USING (product_id) GROUP BY category",
    "SELECT category, COUNT(*) AS n FROM (categories JOIN products USING (category_id)) JOIN items USING (product_id) GROUP BY category",
    "SELECT category, COUNT(*) AS n FROM items JOIN (products p JOIN categories k ON p.category_id = k.category_id) ON items.product_id = p.product_id GROUP BY category",
    "SELECT category, COUNT(*) AS n FROM items i, products p, categories k WHERE i.product_id = p.product_id AND p.category_id = k.category_id AND p.cost > 2 GROUP BY category",
    "SELECT category, COUNT(*) AS n FROM items i LEFT JOIN products p ON i.product_id = p.product_id LEFT JOIN categories k ON p.category_id = k.category_id GROUP BY category",
    "SELECT region, COUNT(*) AS n FROM regions r JOIN nations n ON r.region_id = n.region_id AND nation_id > 1 JOIN customers c ON c.nation_id = n.nation_id GROUP BY region",
    # one public table twice, and an equality of tables that are joined already
    "SELECT a.nation AS x, b.nation AS y, COUNT(*) AS n FROM nations a, nations b, customers c, orders o, items i WHERE c.nation_id = a.nation_id AND i.maker_id = b.nation_id AND c.customer_id = o.customer_id AND o.order_id = i.order_id GROUP BY x, y",
    "SELECT COUNT(*) AS n FROM customers c, orders o, items i, nations m WHERE c.customer_id = o.customer_id AND o.order_id = i.order_id AND i.maker_id = m.nation_id AND c.nation_id = m.nation_id",
    "SELECT COUNT(*) AS n FROM items i JOIN orders o ON i.order_id = o.order_id JOIN customers c ON o.customer_id = c.customer_id AND c.nation_id = i.maker_id",
    # equalities common to all arms of OR
    "SELECT SUM(quantity) AS q FROM items i, products p WHERE (i.product_id = p.product_id AND cost > 5 AND quantity < 3) OR (p.product_id = i.product_id AND title = 'p2')",
    "SELECT SUM(quantity) AS q FROM items i, products p WHERE quantity > 1 AND ((i.product_id = p.product_id AND cost > 5) OR i.product_id = p.product_id)",
    "SELECT COUNT(*) AS n FROM items i, orders o WHERE (i.order_id = o.order_id AND amount > 50) OR (o.order_id = i.order_id AND status = 'open') OR (i.order_id = o.order_id AND quantity = 1)",
    # ON TRUE, ON 1 = 1, conditions in any order
    "SELECT COUNT(*) AS n FROM items i JOIN products p ON TRUE WHERE p.product_id = i.product_id AND cost > 3",
    "SELECT COUNT(*) AS n FROM items i INNER JOIN products p ON 1 = 1 WHERE i.product_id = p.product_id",
    "SELECT COUNT(*) AS n FROM items i JOIN products p ON cost > 3 AND p.product_id = i.product_id AND quantity < cost",
    "SELECT COUNT(*) AS n FROM products p JOIN items i ON cost > 3 AND quantity < cost AND p.product_id = i.product_id",
    # conditions in LEFT JOIN … ON
    "SELECT category_id, COUNT(*) AS n FROM items i LEFT JOIN products p ON i.product_id = p.product_id AND p.cost > 4 GROUP BY category_id",
    "SELECT COUNT(*) AS n, COUNT(p.cost) AS m FROM items i LEFT JOIN products p ON i.product_id = p.product_id AND i.quantity > 4 AND p.cost > 1",
    "SELECT COUNT(*) AS n, COUNT(o.amount) AS m FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id AND o.amount > 60",
    "SELECT COUNT(*) AS n, COUNT(o.amount) AS m FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id AND c.age > 60 AND o.status = 'sent'",
    "SELECT COUNT(*) AS n, COUNT(c.age) AS m FROM orders o LEFT JOIN customers c ON c.customer_id = o.customer_id AND o.amount > 60 AND c.age > 20",
    "SELECT COUNT(*) AS n, COUNT(p.cost) AS m FROM items i LEFT JOIN products p ON i.product_id = p.product_id AND TRUE",
    # RIGHT, NATURAL, parentheses, quotes and schemas
    "SELECT nation, COUNT(*) AS n FROM nations RIGHT JOIN customers ON nations.nation_id = customers.nation_id GROUP BY nation",
    "SELECT COUNT(*) AS n, COUNT(amount) AS m FROM orders RIGHT OUTER JOIN customers USING (customer_id)",
    "SELECT COUNT(*) AS n, COUNT(nation) AS m FROM nations s RIGHT JOIN customers c ON s.nation_id = c.nation_id AND s.region_id = 1",
    "SELECT COUNT(*) AS n FROM orders NATURAL JOIN customers",
    "SELECT category, COUNT(*) AS n FROM categories NATURAL JOIN products NATURAL JOIN items GROUP BY category",
    "SELECT COUNT(*) AS n, COUNT(cost) AS m FROM items NATURAL LEFT JOIN products",
    "SELECT t.status, COUNT(*) AS n FROM (orders o JOIN customers c ON o.customer_id = c.customer_id) AS t WHERE t.age > 30 GROUP BY t.status",
    "SELECT COUNT(*) AS n FROM ((items i JOIN orders o ON i.order_id = o.order_id) JOIN customers c ON o.customer_id = c.customer_id) WHERE age > 9",
    "SELECT COUNT(*) AS n FROM (customers) AS t WHERE t.age > 9",
    'SELECT "t"."age" > 30 AS x, COUNT(*) AS n FROM "main"."orders" AS "s" JOIN "main"."customers" AS "t" ON "s"."customer_id" = "t"."customer_id" GROUP BY 1',
    "SELECT COUNT(*) AS n FROM orders a, orders b WHERE a.customer_id = b.customer_id AND a.status = 'open' AND b.status = 'sent'",
    # a key of two columns
    "SELECT COUNT(*) AS n FROM items i JOIN offers f ON i.product_id = f.product_id AND f.maker_id = i.maker_id",
    "SELECT COUNT(*) AS n, COUNT(price) AS m FROM items LEFT JOIN offers USING (maker_id, product_id)",
    "SELECT COUNT(*) AS n FROM offers f, items i WHERE f.price > 3 AND f.maker_id = i.maker_id AND f.product_id = i.product_id",
    "SELECT COUNT(*) AS n FROM items NATURAL JOIN offers",
    # a public table in a sub-query
    "SELECT COUNT(*) AS n FROM items i JOIN (SELECT product_id FROM products WHERE cost > 4) p ON i.product_id = p.product_id",
    "SELECT category_id, COUNT(*) AS n FROM items LEFT JOIN (SELECT product_id, category_id FROM products WHERE cost > 4) AS p USING (product_id) GROUP BY category_id",
    "WITH dear AS (SELECT * FROM products WHERE cost > 4 AND category_id IS NOT NULL) SELECT SUM(quantity) AS q FROM dear, items WHERE items.product_id = dear.product_id",
]  # fmt: skip


@pytest.mark.parametrize("question", FORMS)
def test_a_join_has_the_rows_that_duckdb_gives_it(
    shop: tuple[Session, duckdb.DuckDBPyConnection], question: str
) -> None:
    session, plain = shop
    answer = session.sql(question).run(epsilon=10**5, confidence=CONFIDENCE)
    cursor = plain.execute(question)
    names = [column[0] for column in cursor.description or ()]
    numbers = [name for name in names if f"{name}_low" in answer.columns]
    keys = [name for name in names if name not in numbers]
    exact = {tuple(row[names.index(key)] for key in keys): row for row in cursor.fetchall()}
    assert numbers and any(row[names.index(numbers[0])] for row in exact.values()), (
        "the test would prove nothing"
    )
    shown = {tuple(row[key] for key in keys): row for row in answer.rows}
    nowhere = {key for key in exact if None in key}  # rows without a key belong to no group
    assert set(exact) - nowhere <= set(shown)
    for key, row in shown.items():
        for name in numbers:
            value = exact[key][names.index(name)] if key in exact else 0
            assert row[f"{name}_low"] <= value <= row[f"{name}_high"], (key, name, value, row)
            assert row[f"{name}_high"] - row[f"{name}_low"] <= 4, "the interval would prove nothing"


REFUSED = [
    ("SELECT COUNT(*) AS n FROM customers c FULL JOIN orders o ON c.customer_id = o.customer_id", "unsupported"),
    ("SELECT COUNT(*) AS n FROM nations n LEFT JOIN customers c ON c.nation_id = n.nation_id", "public-table"),
    ("SELECT COUNT(*) AS n FROM customers c RIGHT JOIN nations n ON c.nation_id = n.nation_id", "public-table"),
    ("SELECT COUNT(*) AS n FROM (nations n JOIN regions r ON n.region_id = r.region_id) RIGHT JOIN customers c ON c.nation_id = n.nation_id", "public-table"),
    ("SELECT COUNT(*) AS n FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id AND o.amount > c.age", "unsupported"),
    ("SELECT COUNT(*) AS n FROM items i, products p WHERE (i.product_id = p.product_id AND cost > 5) OR (i.maker_id = p.product_id AND cost > 3)", "unsupported"),
    ("SELECT COUNT(*) AS n FROM items i, products p WHERE (i.product_id = p.product_id AND cost > 5) OR quantity = 3", "unsupported"),
    ("SELECT COUNT(*) AS n FROM items i, products p WHERE i.quantity = p.category_id", "join-not-unique"),
    ("SELECT COUNT(*) AS n FROM items i JOIN offers f ON i.product_id = f.product_id", "join-not-unique"),
    ("SELECT COUNT(*) AS n FROM items i, offers f WHERE i.maker_id = f.maker_id", "join-not-unique"),
    ("SELECT COUNT(*) AS n FROM regions r, nations n, customers c WHERE r.region_id = n.region_id", "unsupported"),
    ("SELECT COUNT(*) AS n FROM orders a, orders b WHERE a.amount = b.amount", "join-strangers"),
    ("SELECT COUNT(*) AS n FROM customers NATURAL JOIN categories", "unsupported"),
    ("SELECT COUNT(*) AS n FROM nations n, regions r WHERE n.region_id = r.region_id", "public-table"),
    ("SELECT COUNT(*) AS n FROM orders o, customers c WHERE customer_id = o.customer_id", "unsupported"),
    ("SELECT COUNT(*) AS n FROM regions r JOIN nations n ON r.region_id = age JOIN customers c ON c.nation_id = n.nation_id", "unknown-column"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "code"), REFUSED)
def test_a_join_without_a_rule_is_refused(
    shop: tuple[Session, duckdb.DuckDBPyConnection], question: str, code: str
) -> None:
    with pytest.raises(lapcat.Error) as refused:
        shop[0].sql(question).preview(epsilon=1)
    assert refused.value.code == code and refused.value.fix


def identity(session: Session, question: str) -> str:
    return str(session.sql(question)._context.prepared().identity)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "SELECT COUNT(*) AS n FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id AND o.amount > 60",
            "SELECT COUNT(*) AS n FROM customers c LEFT JOIN (SELECT * FROM orders WHERE amount > 60) o ON c.customer_id = o.customer_id",
        ),
        (
            "SELECT COUNT(*) AS n FROM orders o RIGHT JOIN customers c ON c.customer_id = o.customer_id",
            "SELECT COUNT(*) AS n FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id",
        ),
        (
            "SELECT COUNT(*) AS n FROM items i, products p WHERE (i.product_id = p.product_id AND cost > 5) OR (i.product_id = p.product_id AND cost < 2)",
            "SELECT COUNT(*) AS n FROM items i JOIN products p ON i.product_id = p.product_id WHERE cost > 5 OR cost < 2",
        ),
        (
            "SELECT COUNT(*) AS n FROM customers c, orders o, items i WHERE c.customer_id = o.customer_id AND o.order_id = i.order_id",
            "SELECT COUNT(*) AS n FROM items i JOIN orders o ON o.order_id = i.order_id JOIN customers c ON c.customer_id = o.customer_id",
        ),
    ],
)
def test_another_form_of_a_join_is_the_same_question(
    shop: tuple[Session, duckdb.DuckDBPyConnection], written: str, plain: str
) -> None:
    assert identity(shop[0], written) == identity(shop[0], plain)


def test_a_list_of_tables_is_read_from_the_one_that_names_the_others(
    shop: tuple[Session, duckdb.DuckDBPyConnection],
) -> None:
    """Items name their order, and orders their customer: each row has at most one match, and counts once."""
    question = (
        f"SELECT COUNT(*) AS n FROM customers c, orders o, items i, nations n, regions r WHERE {EVERY_KEY}"
    )
    (statistic,) = shop[0].sql(question).sensitivity().as_json()["statistics"]
    assert float(statistic["l1"]) == 80


def test_a_natural_join_says_which_columns_it_compares(
    shop: tuple[Session, duckdb.DuckDBPyConnection],
) -> None:
    answer = shop[0].sql("SELECT COUNT(*) AS n FROM orders NATURAL JOIN customers").run(epsilon=10)
    assert any("NATURAL JOIN compares the declared columns customer_id" in note for note in answer.notes)


def test_columns_keep_the_order_of_the_text_whatever_the_order_of_joins(
    shop: tuple[Session, duckdb.DuckDBPyConnection],
) -> None:
    """UNION ALL matches columns by position."""
    twice = " UNION ALL ".join(
        f"SELECT * FROM ({part}) AS t"
        for part in (
            "SELECT n.nation_id AS a, c.age AS b FROM nations n, customers c WHERE n.nation_id = c.nation_id",
            "SELECT nation_id AS a, age AS b FROM customers",
        )
    )
    question = f"SELECT SUM(CLAMP(b, 0, 100)) AS s FROM ({twice}) AS u WHERE a = 1"
    session, plain = shop
    (row,) = session.sql(question).run(epsilon=10**5, confidence=CONFIDENCE).rows
    (exact,) = plain.execute(question.replace("CLAMP(b, 0, 100)", "b")).fetchone() or ()
    assert row["s_low"] <= exact <= row["s_high"]


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("(a.x = b.x AND c) OR (b.x = a.x AND d)", ["a.x = b.x", "c OR d"]),
        ("(a.x = b.x AND c) OR (a.x = b.y AND d)", ["(a.x = b.x AND c) OR (a.x = b.y AND d)"]),
        ("(a.x = b.x AND c) OR a.x = b.x", ["a.x = b.x"]),
        ("(a.x = b.x AND c) OR d", ["(a.x = b.x AND c) OR d"]),
        ("(a.x = 1 AND c) OR (a.x = 1 AND d)", ["(a.x = 1 AND c) OR (a.x = 1 AND d)"]),
        ("a.x = b.x AND c", ["a.x = b.x AND c"]),
    ],
)
def test_what_all_arms_of_an_or_have_in_common_stands_alone(condition: str, parts: list[str]) -> None:
    where = Text(f"SELECT COUNT(*) FROM t WHERE {condition}").parse().args["where"].this
    assert [part.sql() for part in without_common(where)] == parts


def test_a_repeated_key_of_two_columns_refuses_the_version(tmp_path: Path) -> None:
    people = {"people.parquet": {"who": [1, 2], "a": [1, 1], "b": [1, 2]}}
    catalogue = f"""
[tables.people]
source = "people.parquet"
unit = "who"
rows_per_unit = 1
{LARGE}
[tables.people.columns]
a = {{ type = "integer" }}
b = {{ type = "integer" }}
[tables.places]
public = true
source = "places.parquet"
unique = [["a", "b"]]
"""
    places = {"a": [1, 1, 2, None, None], "b": [1, 2, 2, 1, 1]}
    path = deploy(tmp_path / "fits", catalogue, {**people, "places.parquet": places})
    question = "SELECT COUNT(*) AS n FROM people JOIN places USING (a, b)"
    (row,) = lapcat.open(path).sql(question).run(epsilon=10**5).rows
    assert row["n"] == 2
    columns = {column.name: column for column in lapcat.open(path).schema("places").columns}
    assert columns["a"].unique == "with b" and columns["a"].allows.endswith("JOIN")
    again = {"a": [1, 1, 2], "b": [1, 1, 2]}
    with pytest.raises(lapcat.Refused, match="1 rows repeat") as refusal:
        deploy(tmp_path / "repeats", catalogue, {**people, "places.parquet": again})
    assert refusal.value.code == "key-not-unique"
    with pytest.raises(lapcat.BadQuery) as missing:
        deploy(tmp_path / "misses", catalogue, {**people, "places.parquet": {"a": [1]}})
    assert missing.value.code == "column-missing"


def test_a_key_that_is_declared_later_is_checked_before_it_is_used(tmp_path: Path) -> None:
    """Joins trust a snapshot that was checked for the key, and no other."""
    people = {
        "people.parquet": {"who": [1], "a": [1], "b": [1]},
        "places.parquet": {"a": [1, 1], "b": [1, 1]},
    }
    catalogue = f"""
[tables.people]
source = "people.parquet"
unit = "who"
rows_per_unit = 1
{LARGE}
[tables.people.columns]
a = {{ type = "integer" }}
b = {{ type = "integer" }}
[tables.places]
public = true
source = "places.parquet"
"""
    path = deploy(tmp_path, catalogue, people)
    path.write_text(catalogue + 'unique = [["a", "b"]]\n', encoding="utf-8")
    open_deployment(path).accept("a key of two columns")
    session = lapcat.open(path)
    with pytest.raises(lapcat.Error) as refused:
        session.sql("SELECT COUNT(*) AS n FROM people JOIN places USING (a, b)").run(epsilon=1)
    assert refused.value.code == "snapshot-missing"
