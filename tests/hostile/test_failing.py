"""Whether a question fails, and how much work it is, does not depend on one person: attacks that used to read a person's pay.

A chain of joins of a person's rows with themselves grows with the person's rows. It blew up only where a guess about the
person was right, and the failure, or the time that it took, was the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import lapcat
from lapcat.engines.backends import parse_source
from lapcat.engines.base.engine import Settings
from lapcat.engines.duckdb.engine import DuckDBEngine
from lapcat.engines.postgres.connection import in_session
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import Group
from lapcat.plan.work import stations
from lapcat.session import Session
from tests.engines.on_postgres import address, put, tell
from tests.postgres_cluster import Cluster
from tests.spark_session import Spark
from tests.support import deploy

PAY = 42
"""What the attacker wants to know."""
CATALOGUE = """
[engine]
memory = "512MB"
threads = 1

[tables.v]
source = "{source}"
unit = "person_id"
rows_per_unit = 3
budget = {{ epsilon = 1 }}

[tables.v.columns]
person_id = {{ type = "integer" }}
minutes = {{ type = "integer", low = 0, high = 120 }}
name = {{ type = "text" }}
pay = {{ type = "integer", low = 0, high = 100 }}
"""
PHYSICAL = {"person_id": "bigint", "minutes": "bigint", "name": "text", "pay": "bigint"}
Columns = dict[str, list[Any]]


def visits(*, canary: bool, people: int = 300) -> Columns:
    """Three rows of each of many people, and of one whose pay is secret, or not."""
    rows = [(p, k, f"n{p}", (7 * p + k) % 100) for p in range(people) for k in range(3)]
    rows += [(5000, k, "CANARY", PAY) for k in range(3)] if canary else []
    return {name: [row[at] for row in rows] for at, name in enumerate(PHYSICAL)}


def guess(pay: int, joins: int, *, inside: bool = False) -> str:
    """Blows up where the guess is right: all combinations of a person's rows are different."""
    value = " + ".join(f"{3**i} * v{i}.minutes" for i in range(joins + 1))
    chain = "".join(f" JOIN v AS v{i} ON v{i}.person_id = v0.person_id" for i in range(1, joins + 1))
    rows = f"FROM v AS v0{chain} WHERE v0.name = 'CANARY' AND v0.pay = {pay}"
    if inside:
        return f"SELECT COUNT(*) AS n FROM (SELECT v0.person_id, COUNT(DISTINCT {value}) AS m {rows} GROUP BY v0.person_id)"
    return f"SELECT COUNT(DISTINCT {value}) AS n {rows}"


def outcome(db: Session, text: str) -> str:
    try:
        db.sql(text).run(epsilon="0.0001")
    except lapcat.Error as error:
        return error.code
    return "answered"


def in_files(folder: Path, columns: Columns) -> Session:
    text = CATALOGUE.format(source="v.parquet")
    return lapcat.open(deploy(folder, text, {"v.parquet": columns}, refreshed=["v"]))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Session]:
    """With the person, and without."""
    sessions = [
        in_files(tmp_path_factory.mktemp("steal") / str(canary), visits(canary=canary))
        for canary in (True, False)
    ]
    return sessions[0], sessions[1]


@pytest.mark.parametrize("inside", [False, True], ids=["rows", "sub-query"])
def test_a_chain_of_joins_is_refused_whatever_the_guess(both: tuple[Session, Session], inside: bool) -> None:
    for pay in range(0, 100, 7 if inside else 1):
        text = guess(pay, 14, inside=inside)
        assert [outcome(db, text) for db in both] == ["joined-rows", "joined-rows"]
    assert all(db.budget().tables["v"].spent.epsilon == 0 for db in both)


def test_a_chain_within_the_limit_is_answered_whatever_the_guess(both: tuple[Session, Session]) -> None:
    for pay in range(100):
        assert [outcome(db, guess(pay, 4)) for db in both] == ["answered", "answered"]


def outcomes(dbs: tuple[Session, Session], guesses: Sequence[int], joins: int) -> set[tuple[str, str]]:
    """Of a chain that is too long, and of one that is not, for every guess, with the person and without."""
    return {
        (outcome(db, guess(pay, 14, inside=inside)), outcome(db, guess(pay, joins, inside=inside)))
        for pay in guesses
        for inside in (False, True)
        for db in dbs
    }


FEW = (0, PAY - 1, PAY, PAY + 1, 99)
ALL = range(100)


@pytest.fixture(scope="module")
def both_on_postgresql(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> tuple[Session, Session]:
    def opened(canary: bool) -> Session:
        columns, table = visits(canary=canary), f"steal_{canary}".lower()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        put(cluster, rows, PHYSICAL, table)
        text = CATALOGUE.format(source=address(cluster, f"public.{table}"))
        return lapcat.open(deploy(tmp_path_factory.mktemp("steal") / "v", text, {}, refreshed=["v"]))

    return opened(True), opened(False)


@pytest.fixture(scope="module")
def both_on_spark(tmp_path_factory: pytest.TempPathFactory, spark: Spark) -> tuple[Session, Session]:
    def opened(canary: bool) -> Session:
        folder = tmp_path_factory.mktemp("steal")
        (folder / "v").mkdir()
        data = {"v/part.parquet": visits(canary=canary, people=20)}
        return lapcat.open(deploy(folder, CATALOGUE.format(source="spark:v/"), data, refreshed=["v"]))

    return opened(True), opened(False)


def test_on_postgresql_too(both_on_postgresql: tuple[Session, Session]) -> None:
    assert outcomes(both_on_postgresql, FEW, 4) == {("joined-rows", "answered")}


@pytest.mark.slow
def test_on_postgresql_for_every_guess(both_on_postgresql: tuple[Session, Session]) -> None:
    assert outcomes(both_on_postgresql, ALL, 4) == {("joined-rows", "answered")}


def test_on_spark_too(both_on_spark: tuple[Session, Session]) -> None:
    assert outcomes(both_on_spark, (PAY, PAY + 1), 2) == {("joined-rows", "answered")}


@pytest.mark.slow
def test_on_spark_for_every_guess(both_on_spark: tuple[Session, Session]) -> None:
    assert outcomes(both_on_spark, ALL, 2) == {("joined-rows", "answered")}


# ------------------------------------------------------------------------------------------------ work


def cardinalities(profile: object) -> Iterator[int]:
    """The rows of every operator in DuckDB's own report."""
    if isinstance(profile, list):
        for part in profile:
            yield from cardinalities(part)
    elif isinstance(profile, dict):
        yield from (int(profile[name]) for name in ("intermediate_rows",) if name in profile)
        yield from cardinalities([*profile.values()])


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[DuckDBEngine, Group]]:
    """What DuckDB was asked for, and by whom."""
    calls: list[tuple[DuckDBEngine, Group]] = []
    look = DuckDBEngine.execute

    def overheard(engine: DuckDBEngine, plan: Group, *how: Any, **named: Any) -> Any:
        calls.append((engine, plan))
        return look(engine, plan, *how, **named)

    monkeypatch.setattr(DuckDBEngine, "execute", overheard)
    return calls


def worked(engine: DuckDBEngine, plan: Group) -> list[int]:
    """How many rows each operator of DuckDB makes."""
    statement = engine._statement(plan)
    query = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}"
    ((_, profile),) = engine._cursor().execute(query, statement.parameters or None).fetchall()
    return list(cardinalities(json.loads(profile)))


HEAVY = 80
"""The rows of the only person in the table: all that an operator makes is theirs."""


def diagnoses(joins: int) -> str:
    """Nothing but work, where somebody has a diagnosis: it took 5 s instead of 0.1 s."""
    side = "(SELECT person_id FROM v WHERE name = 'CANARY' AND pay = 42)"
    chain = "".join(f" JOIN {side} AS s{i} ON s0.person_id = s{i}.person_id" for i in range(1, joins + 1))
    return f"SELECT COUNT(*) AS n FROM (SELECT s0.person_id, COUNT(*) AS n FROM {side} AS s0{chain} GROUP BY s0.person_id)"


def test_the_work_that_one_person_causes_is_within_public_numbers(
    tmp_path: Path, looks: list[tuple[DuckDBEngine, Group]]
) -> None:
    rows = [(5000, k % 3, "CANARY", PAY) for k in range(HEAVY)]
    db = in_files(tmp_path, {name: [row[at] for row in rows] for at, name in enumerate(PHYSICAL)})
    for text in (diagnoses(4), guess(PAY, 4), guess(PAY, 4, inside=True)):
        assert outcome(db, text) == "answered"
        engine, plan = looks[-1]
        claims = [rows_facts(station.rows).produced for station in stations(plan)]
        bound = max(claim.rows or 0 for claim in claims if claim is not None)
        assert bound == 3**5
        assert max(worked(engine, plan)) == bound


def test_a_person_whose_rows_do_not_fit_into_memory_is_joined_like_anybody(tmp_path: Path) -> None:
    """All their rows have the same hash, and none of them is cut off where they meet one row."""
    rows = [(5000, k, f"{k}" + "n" * 4000, PAY) for k in range(30_000)]
    text = CATALOGUE.format(source="v.parquet").replace("512MB", "80MB")
    data = {"v.parquet": {name: [row[at] for row in rows] for at, name in enumerate(PHYSICAL)}}
    db = lapcat.open(deploy(tmp_path, text, data, refreshed=["v"]))
    first = "(SELECT person_id, MIN(name) AS name FROM v GROUP BY person_id)"
    for how in ("JOIN", "LEFT JOIN"):
        inner = f"SELECT a.person_id FROM {first} AS a {how} v AS b ON a.person_id = b.person_id WHERE a.name <> b.name"
        assert outcome(db, f"SELECT COUNT(*) AS n FROM ({inner} GROUP BY a.person_id)") == "answered"


# ------------------------------------------------------------------------------------------------ the order of joins

IN_ORDER = """EXPLAIN (FORMAT JSON) SELECT count(*) FROM
(SELECT a.who, a.k2 FROM public.ordered_a AS a JOIN public.ordered_b AS b ON a.k1 = b.id AND a.who = b.who) AS l
JOIN public.ordered_c AS c ON l.k2 = c.id AND l.who = c.who"""
"""Nothing but the person is common to b and c: their pairs are not bounded."""


def joined_first(plan: dict[str, Any]) -> set[str]:
    """The tables of the innermost join."""
    below = [joined_first(child) for child in plan.get("Plans", [])]
    if "Join Type" in plan and all(len(tables) == 1 for tables in below):
        return set().union(*below)
    joins = [tables for tables in below if len(tables) > 1]
    return (
        joins[0] if joins else set().union({plan["Relation Name"]} if "Relation Name" in plan else (), *below)
    )


def test_postgresql_joins_in_the_order_of_the_plan(cluster: Cluster) -> None:
    """By itself it joins two small tables first, in which one person has all rows."""
    big = [dict.fromkeys(("who", "k1", "k2"), n % 3) for n in range(20_000)]
    small = [{"who": n, "id": n} for n in range(3)]
    put(cluster, big, dict.fromkeys(big[0], "bigint"), "ordered_a")
    for name in ("ordered_b", "ordered_c"):
        put(cluster, small, dict.fromkeys(small[0], "bigint"), name)
    tell(cluster, "ANALYZE")
    source = parse_source(address(cluster, "public.ordered_a"), Path())
    joins = []
    for pinned in (True, False):

        def explained(connection: Any, pinned: bool = pinned) -> set[str]:
            if not pinned:
                connection.execute(b"SET join_collapse_limit = 8; SET from_collapse_limit = 8")
            ((plan,),) = connection.execute(IN_ORDER.encode()).fetchall()
            return joined_first(plan[0]["Plan"])

        joins.append(in_session(source, Settings(), explained))
    assert joins == [{"ordered_a", "ordered_b"}, {"ordered_b", "ordered_c"}]
