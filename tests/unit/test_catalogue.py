"""The steward's file: every key is consumed or refused, with its line and a fix."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

import lapcat
from lapcat.errors import BadQuery
from lapcat.frontend.catalogue import read_catalogue, read_cluster
from lapcat.plan.schema import (
    Bounds,
    Catalogue,
    Cluster,
    Dates,
    ListedKeys,
    RangeKeys,
    Relation,
    Type,
    Unit,
)

GOOD = """\
[tables.staff]
source = "staff.parquet"
unit = "person_id"
rows_per_unit = 10
budget = { epsilon = 3 }

[tables.staff.columns]
region = { type = "text", keys = ["north", "south"], other = true }
salary = { type = "float", low = 20000, high = 200000.5, null = 20000 }
zip = { type = "integer", keys = { from = 0, to = 999 } }
born = { type = "date", low = 1920-01-01, high = 2010-12-31 }
age = {}

[analysts.ana]
tables = { staff = { epsilon = 1, per_query = 0.2 } }
"""


def read(text: str) -> Catalogue:
    return read_catalogue(text, lambda source: {"age": Type.INTEGER})


def test_a_catalogue_is_read_exactly() -> None:
    table = read(GOOD).tables["staff"]
    assert table.unit == Unit("person_id") and table.relation is Relation.ADD_REMOVE
    assert table.columns["salary"].bounds == Bounds(Fraction(20000), Fraction(400001, 2))
    assert table.columns["region"].keys == ListedKeys(("north", "south"), True)
    assert table.columns["zip"].keys == RangeKeys(0, 999)
    assert table.columns["born"].bounds == Dates(date(1920, 1, 1), date(2010, 12, 31))
    assert table.columns["age"].type is Type.INTEGER  # from the source's own schema
    assert read(GOOD).analysts["ana"].tables["staff"].per_query == Fraction(1, 5)


def test_limits_on_work_are_read_and_the_rest_keeps_its_default() -> None:
    limits = read(GOOD + "[limits]\njoined_rows = 500\nmin_epsilon = 0.001\n").limits
    assert (limits.joined_rows, limits.min_epsilon) == (500, Fraction(1, 1000))
    assert limits.min_rho == Fraction(1, 2_000_000) and limits.groups == read(GOOD).limits.groups
    with pytest.raises(BadQuery, match="joined_row'; did you mean 'joined_rows'"):
        read(GOOD + "[limits]\njoined_row = 500\n")
    with pytest.raises(BadQuery, match=r"limits\.groups"):
        read(GOOD + "[limits]\ngroups = 0\n")
    with pytest.raises(BadQuery, match=r"limits\.max_length"):
        read(GOOD + "[limits]\nmax_length = 19\n")  # the text of an integer may be longer


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('unit = "person_id"\n', "", 1, "privacy unit is missing"),
        ("rows_per_unit = 10\n", "", 1, "rows_per_unit"),
        ("rows_per_unit = 10", "rows_per_unit = 0", 4, "whole number"),
        ("rows_per_unit = 10", "rows_per_unti = 10", 4, "did you mean 'rows_per_unit'"),
        ("{ epsilon = 3 }", "{ epsilon = -3 }", 5, "above zero"),
        ("{ epsilon = 3 }", "{ epsilon = 3, rho = 1 }", 5, "either epsilon or rho"),
        ("{ epsilon = 3 }", "{ epsilon = nan }", 5, "not a number"),
        ("{ epsilon = 3 }", '{ epsilon = "3,0" }', 5, "not a number"),
        ("{ epsilon = 3 }", "3", 5, "section"),
        ("low = 20000,", "low = 300000,", 9, "low must be below high"),
        ("low = 20000,", "", 9, "both low and high"),
        ("null = 20000", "null = 1", 9, "outside low..high"),
        ('type = "float"', 'type = "flaot"', 9, "no type"),
        ("from = 0, to = 999", "from = 9, to = 1", 10, "from low to high"),
        ('["north", "south"]', "[]", 8, "list of public values"),
        ('["north", "south"]', '["north", "north"]', 8, "listed twice"),
        ('["north", "south"]', '["north", 3]', 8, "is not of type text"),
        ("age = {}", "agee = {}", 12, "the source has no column 'agee'"),
        ("staff = { epsilon = 1", "staf = { epsilon = 1", 15, "did you mean 'staff'"),
        ("[analysts.ana]", "[analyst.ana]", 14, "did you mean 'analysts'"),
        ('source = "staff.parquet"', "source = 3", 2, "text in quotes"),
        ('unit = "person_id"', 'unit = "person_id"\nunits = 5', 4, "replace-one"),
        ('unit = "person_id"', 'unit = "person_id"\nrelation = "sideways"', 4, "no relation"),
        ('unit = "person_id"', 'unit = { column = "person_id", of = "people" }', 3, "no population"),
        ("[tables.staff]", "[tables.staff", 1, "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_fix(old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    with pytest.raises(lapcat.BadQuery, match=says) as problem:
        read(GOOD.replace(old, new))
    assert problem.value.place is not None and problem.value.place.line == line
    assert problem.value.fix


@pytest.mark.parametrize("limit", ["epsilon = 10.01", "rho = 2", "epsilon = 1, delta = 1e-5"])
def test_a_limit_that_protects_nobody_must_be_a_decision(limit: str) -> None:
    text = GOOD.replace("{ epsilon = 3 }", f"{{ {limit} }}")
    with pytest.raises(lapcat.Refused) as refusal:
        read(text)
    assert refusal.value.code == "protects-nobody"
    decided = read(GOOD.replace("{ epsilon = 3 }", f'{{ {limit}, i_understand = "a class exercise" }}'))
    assert decided.tables["staff"].limit.i_understand == "a class exercise"


def test_numbers_are_what_was_written_not_what_ieee_stores() -> None:
    catalogue = read(GOOD.replace("epsilon = 3", "epsilon = 0.1"))
    assert catalogue.tables["staff"].limit.epsilon == Fraction(1, 10)


SHOP = """\
[tables.items]
source = "items.csv"
unit = { column = "order_id", through = "orders.order_id" }
rows_per_unit = 20
budget = { epsilon = 1 }

[tables.orders]
source = "orders.csv"
unit = { column = "person_id", of = "people" }
rows_per_unit = 5
budget = { epsilon = 1 }

[tables.orders.columns]
order_id = { type = "integer", unique = true }

[tables.regions]
public = true
source = "regions.csv"

[tables.regions.columns]
region = { type = "text", unique = true }
country = { type = "text" }

[populations.people]
budget = { epsilon = 2 }
"""


def test_a_unit_by_a_path_of_keys_is_of_the_people_at_its_end() -> None:
    longer = SHOP + (
        '[tables.returns]\nsource = "r.csv"\nunit = { column = "item", through = "items.item_id" }\n'
        "rows_per_unit = 2\nbudget = { epsilon = 1 }\n"
        '[tables.items.columns]\nitem_id = { type = "text", unique = true }\n'
    )
    catalogue = read(longer)
    assert catalogue.tables["items"].unit == Unit("order_id", "people", ("orders", "order_id"), "person_id")
    assert catalogue.tables["returns"].unit == Unit("item", "people", ("items", "item_id"), "person_id")
    assert {str(catalogue.population(table)) for table in catalogue.tables.values()} == {"population:people"}


def test_public_tables_have_columns_too() -> None:
    columns = read(SHOP).public["regions"].columns
    assert columns["region"].unique and not columns["country"].unique


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ('"orders.order_id"', '"orders"', 3, "another table and its unique column"),
        ('"orders.order_id"', '"order.order_id"', 3, "did you mean 'orders'"),
        ('"orders.order_id"', '"regions.region"', 3, "has no units"),
        ('"orders.order_id"', '"orders.person_id"', 3, "not declared unique"),
        ('"orders.order_id"', '"items.order_id"', 3, "not declared unique"),
        (", unique = true }\n\n[tables.regions]", " }\n\n[tables.regions]", 3, "not declared unique"),
        (
            'unit = { column = "person_id", of = "people" }\nrows_per_unit = 5',
            'unit = "row"',
            3,
            "is the row",
        ),
        (
            'unit = { column = "person_id", of = "people" }',
            'unit = { column = "item", through = "items.id" }',
            9,
            "not declared unique",
        ),
        (
            '{ column = "order_id", through = "orders.order_id" }',
            '{ column = "order_id", through = "orders.order_id", of = "cats" }',
            3,
            "no population",
        ),
        (
            'source = "orders.csv"',
            'source = "orders.csv"\nrelation = "replace-one"\nunits = 7',
            3,
            "different relations",
        ),
        ("unique = true", "unique = 1", 14, "true or false"),
        ("public = true", 'public = true\nunique = ["region", "country"]', 18, "two or more columns"),
        ("public = true", 'public = true\nunique = [["region"]]', 18, "two or more columns"),
        ("public = true", 'public = true\nunique = [["region", "region"]]', 18, "two or more columns"),
        ("public = true", 'public = true\nunique = [["region", "contry"]]', 18, "did you mean 'country'"),
        ('source = "regions.csv"', 'source = "regions.csv"\nunit = "row"', 19, "no key 'unit'"),
    ],
)
def test_a_path_that_leads_to_nobody_is_named_with_its_line_and_a_fix(
    old: str, new: str, line: int, says: str
) -> None:
    assert old in SHOP
    with pytest.raises(lapcat.BadQuery, match=says) as problem:
        read(SHOP.replace(old, new, 1))
    assert problem.value.place is not None and problem.value.place.line == line
    assert problem.value.fix


def test_a_path_in_a_circle_or_to_other_people_is_refused() -> None:
    circle = SHOP.replace(
        '{ column = "person_id", of = "people" }', '{ column = "item", through = "items.item_id" }'
    )
    circle += '[tables.items.columns]\nitem_id = { type = "integer", unique = true }\n'
    with pytest.raises(lapcat.BadQuery, match="is a cycle: items → orders → items"):
        read(circle)
    others = SHOP.replace('"orders.order_id" }', '"orders.order_id", of = "cats" }')
    with pytest.raises(lapcat.BadQuery, match="leave `of` out"):
        read(others + "[populations.cats]\nbudget = { epsilon = 1 }\n")


def test_the_fix_of_an_undeclared_key_works_when_pasted() -> None:
    wrong = SHOP.replace(", unique = true }\n\n[tables.regions]", " }\n\n[tables.regions]", 1)
    with pytest.raises(lapcat.BadQuery) as problem:
        read(wrong)
    pasted = problem.value.fix.partition("  under")[0]
    assert read(wrong.replace('order_id = { type = "integer" }', pasted)).tables["items"].unit.of == "people"


def test_where_spark_is_is_read_exactly() -> None:
    text = '[engine.spark]\nmaster = "spark://head:7077"\nconf = { "spark.executor.memory" = "8g" }\n'
    assert read_cluster(text) == Cluster("spark://head:7077", {"spark.executor.memory": "8g"})
    assert read_cluster("") == Cluster()
    for server in ("sc://head", "sc://head:15002/", "sc://[::1]:1/;use_ssl=true;user_id=ana"):
        assert read_cluster(f'[engine.spark]\nmaster = "{server}"\n') == Cluster(server)


@pytest.mark.parametrize(
    ("spark", "says"),
    [
        ("master = 7077", "master must be a text"),
        ('url = "spark://head"', "has no key 'url'"),
        ('conf = { "executor.memory" = "8g" }', "is not a Spark setting"),
        ('conf = { "spark.cores.max" = 8 }', "a text in quotes"),
        ('conf = { spark.cores.max = "8" }', "is not a Spark setting"),
        ('conf = { "spark.hadoop.fs.s3a.secret.key" = "hush" }', "is a secret"),
        ('master = "sc://head:15002/;token=hush"', "may be secret"),
        ('master = "SC://head/;use_ssl=true;x-key=hush"', "may be secret"),
        ('master = "sc://ana:hush@head"', "may be secret"),
        ('master = "sc://head/;session_id=00112233-4455-6677-8899-aabbccddeeff"', "may be secret"),
    ],
)
def test_a_mistake_about_spark_is_named_with_a_fix(spark: str, says: str) -> None:
    with pytest.raises(BadQuery, match=says) as problem:
        read_cluster(f"[engine.spark]\n{spark}\n")
    assert problem.value.fix and "hush" not in str(problem.value)
