"""Whether a question fails, and how much work it is, does not depend on one person: attacks that used to read a person's pay.

A chain of joins of a person's rows with themselves grows with the person's rows. It blew up only where a guess about the
person was right, and the failure, or the time that it took, was the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lapcat
from lapcat.engines.duckdb import DuckDBEngine
from lapcat.engines.homes import Settings
from lapcat.engines.postgres_connection import in_session
from lapcat.engines.sources import parse_source
from lapcat.plan.facts import rows_facts
from lapcat.plan.nodes import Group
from lapcat.plan.work import stations
from lapcat.session import Session
from lapcat.session.files import open_deployment, refresh
from tests.engines.on_postgres import address, put, tell
from tests.postgres_cluster import Cluster
from tests.spark_session import Spark
from tests.support import deploy, write_table

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
    found = [
        in_files(tmp_path_factory.mktemp("steal") / str(canary), visits(canary=canary))
        for canary in (True, False)
    ]
    return found[0], found[1]


@pytest.mark.parametrize("inside", [False, True], ids=["rows", "sub-query"])
def test_a_chain_of_joins_is_refused_whatever_the_guess(both: tuple[Session, Session], inside: bool) -> None:
    for pay in range(0, 100, 7 if inside else 1):
        text = guess(pay, 14, inside=inside)
        assert [outcome(db, text) for db in both] == ["joined-rows", "joined-rows"]
    assert all(db.budget().tables["v"].spent.epsilon == 0 for db in both)


def test_a_chain_within_the_limit_is_answered_whatever_the_guess(both: tuple[Session, Session]) -> None:
    for pay in range(100):
        assert [outcome(db, guess(pay, 4)) for db in both] == ["answered", "answered"]


@pytest.mark.parametrize("inside", [False, True], ids=["rows", "sub-query"])
def test_on_postgresql_too(tmp_path: Path, cluster: Cluster, inside: bool) -> None:
    for pay in (PAY, PAY + 1):
        found = []
        for canary in (True, False):
            folder = tmp_path / f"{pay} {canary}"
            columns = visits(canary=canary)
            table = f"steal_{inside}_{pay}_{canary}".lower()
            put(
                cluster,
                [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
                PHYSICAL,
                table,
            )
            catalogue = deploy(
                folder, CATALOGUE.format(source=address(cluster, f"public.{table}")), {}, refreshed=["v"]
            )
            db = lapcat.open(catalogue)
            found.append(
                (outcome(db, guess(pay, 14, inside=inside)), outcome(db, guess(pay, 4, inside=inside)))
            )
        assert found == [("joined-rows", "answered")] * 2


def test_on_spark_too(tmp_path: Path, spark: Spark) -> None:
    found = []
    for canary in (True, False):
        folder = tmp_path / str(canary)
        (folder / "v").mkdir(parents=True)
        write_table(folder / "v" / "part.parquet", visits(canary=canary, people=20))
        (folder / "lapcat.toml").write_text(CATALOGUE.format(source="spark:v/"))
        deployment = open_deployment(folder / "lapcat.toml")
        deployment.require_acceptance()
        refresh(deployment, "v")
        db = lapcat.open(folder / "lapcat.toml")
        found.append((outcome(db, guess(PAY, 14)), outcome(db, guess(PAY, 2))))
    assert found == [("joined-rows", "answered")] * 2


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
    found: list[tuple[DuckDBEngine, Group]] = []
    look = DuckDBEngine.look

    def overheard(engine: DuckDBEngine, plan: Group, *how: Any, **named: Any) -> Any:
        found.append((engine, plan))
        return look(engine, plan, *how, **named)

    monkeypatch.setattr(DuckDBEngine, "look", overheard)
    return found


def worked(engine: DuckDBEngine, plan: Group) -> list[int]:
    """How many rows each operator of DuckDB makes."""
    statement = engine._statement(plan)
    told = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}"
    ((_, found),) = engine._cursor().execute(told, statement.parameters or None).fetchall()
    return list(cardinalities(json.loads(found)))


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
        most = max(claim.rows or 0 for claim in claims if claim is not None)
        assert most == 3**5
        assert max(worked(engine, plan)) == most


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
    found = []
    for pinned in (True, False):

        def explained(connection: Any, pinned: bool = pinned) -> set[str]:
            if not pinned:
                connection.execute(b"SET join_collapse_limit = 8; SET from_collapse_limit = 8")
            ((plan,),) = connection.execute(IN_ORDER.encode()).fetchall()
            return joined_first(plan[0]["Plan"])

        found.append(in_session(source, Settings(), explained))
    assert found == [{"ordered_a", "ordered_b"}, {"ordered_b", "ordered_c"}]
