"""Questions that follow from stored answers: free for the tables, never from other rows, never without their noise."""

from __future__ import annotations

import json
import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import lapcat
from lapcat.core.answers import packed, unpacked
from lapcat.core.exact import exact
from lapcat.plan.laplace_sums import LaplaceSum
from lapcat.session.files import open_deployment, refresh
from lapcat.stored.digest import identity_of
from tests.support import deploy, seeded

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = "person_id"
rows_per_unit = 2
budget = { epsilon = 9, delta = 1e-6 }
[tables.staff.columns]
person_id = { type = "integer" }
region = { type = "text", keys = ["north", "south"], other = true }
sex = { type = "text", keys = ["f", "m"] }
city = { type = "text", keys = "private" }
salary = { type = "float", low = 0, high = 100, null = 0 }
age = { type = "integer", low = 0, high = 110 }
"""
ANALYSTS = """
[analysts.ana]
tables = { staff = { epsilon = 5, delta = 1e-6 } }
[analysts.bob]
tables = { staff = { epsilon = 3, delta = 1e-6 } }
"""
PEOPLE = 600
ROWS = {
    "person_id": list(range(PEOPLE)),
    "region": ["north", "south", "elsewhere"] * (PEOPLE // 3),
    "sex": ["f", "m"] * (PEOPLE // 2),
    "city": ["here", "there"] * (PEOPLE // 2),
    "salary": [float(i % 101) for i in range(PEOPLE)],
    "age": [i % 90 for i in range(PEOPLE)],
}
BY_REGION = "SELECT region, COUNT(*) AS n, SUM(salary) AS pay FROM staff GROUP BY region"


def staff(folder: Path, extra: str = "", *, change: tuple[str, str] = ("", "")) -> Path:
    return deploy(folder, CATALOGUE.replace(*change) + extra, {"staff.parquet": ROWS}, refreshed=["staff"])


def spent(path: Path) -> Fraction | None:
    return open_deployment(path).budget().tables["staff"].spent.epsilon


def is_derived(session: lapcat.Session, sql: str) -> bool:
    """Whether the question is answered without a price; if not, the refusal is that of a missing price."""
    question = session.sql(sql)
    try:
        answer = question.run()
    except lapcat.BadQuery as refusal:
        assert refusal.code == "price-missing"
        return False
    assert answer.free and answer.derived_from and question.preview().derived is not None
    return True


def test_an_average_follows_from_a_sum_and_a_count_and_costs_nothing(tmp_path: Path) -> None:
    path = staff(tmp_path)
    first = lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    answer = lapcat.open(path).sql("SELECT AVG(salary) AS pay, region FROM staff GROUP BY region").run()
    assert answer.free and answer.derived_from == (first.receipt.id,) and spent(path) == 1
    for row, before in zip(answer.rows, first.rows, strict=True):
        assert row["region"] == before["region"]
        assert row["pay"] == pytest.approx(min(100, max(0, before["pay"] / before["n"])), rel=5e-3)
        assert row["pay_low"] <= row["pay"] <= row["pay_high"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM staff GROUP BY region",
        "SELECT region, SUM(salary) AS pay FROM staff GROUP BY region",  # from the centred sum and the count
        "SELECT region, 2 * SUM(salary) / COUNT(*) AS x FROM staff GROUP BY region HAVING COUNT(*) > 0",
        "SELECT COUNT(*) AS n FROM staff",
        "SELECT SUM(salary) AS pay, AVG(salary) AS mean FROM staff",
        "SELECT region, COUNT(*) AS n FROM staff GROUP BY ROLLUP (region)",
    ],
)
def test_what_follows_from_a_finer_grouping_is_free(tmp_path: Path, sql: str) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    assert is_derived(lapcat.open(path), sql) and spent(path) == 1


SPREAD = "SELECT region, STDDEV(salary) AS s, REGR_SLOPE(salary, age) AS b FROM staff GROUP BY region"


@pytest.mark.patient
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, VAR_POP(salary) AS v FROM staff GROUP BY region",
        "SELECT region, AVG(salary) AS pay, STDDEV_POP(salary) AS s FROM staff GROUP BY region",
        "SELECT region, COVAR_SAMP(salary, age) AS c FROM staff GROUP BY region",
        "SELECT STDDEV(salary) AS s FROM staff",
        "SELECT VAR_SAMP(salary) AS v, AVG(salary) AS pay, COUNT(salary) AS n FROM staff",
        "SELECT REGR_SLOPE(salary, age) AS b, REGR_INTERCEPT(salary, age) AS a FROM staff",
        "SELECT COVAR_POP(age, salary) AS c FROM staff",
        "SELECT region, 2 * STDDEV(salary) AS s FROM staff GROUP BY ROLLUP (region)",
    ],
)
def test_variances_and_lines_follow_from_stored_sums_also_of_a_finer_grouping(
    tmp_path: Path, sql: str
) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(SPREAD).run(epsilon=1)
    assert is_derived(lapcat.open(path), sql) and spent(path) == 1


def test_a_spread_of_added_up_cells_holds_the_true_one_and_is_wider_than_a_paid_one(tmp_path: Path) -> None:
    """At 0.999999 confidence, so that it fails once in a million runs."""
    path = staff(tmp_path)
    session = lapcat.open(path)
    session.sql(SPREAD).run(epsilon=4)
    whole = session.sql("SELECT STDDEV_POP(salary) AS s FROM staff")
    row = whole.run(confidence="0.999999").rows[0]
    assert row["s_low"] <= statistics.pstdev(ROWS["salary"]) <= row["s_high"] < 50
    free = whole.run().rows[0]
    paid = whole.preview(epsilon=4)
    assert not paid.free and paid.derived is not None
    assert free["s_high"] - free["s_low"] < row["s_high"] - row["s_low"]
    margins = [dict(columns[0].assuming)[1_000] for columns in (paid.columns, paid.derived.columns)]
    assert margins[0] < margins[1]


@pytest.mark.parametrize("sql", ["SELECT MEDIAN(salary) AS m FROM staff", "SELECT MODE(sex) AS m FROM staff"])
def test_what_is_chosen_is_not_rolled_up(tmp_path: Path, sql: str) -> None:
    """A median of all does not follow from the medians of the parts."""
    path = staff(tmp_path)
    session = lapcat.open(path)
    finer = sql.replace("SELECT", "SELECT region,") + " GROUP BY region"
    session.sql(finer).run(epsilon=1)
    assert not is_derived(session, sql)


@pytest.mark.patient
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM staff WHERE age > 30 GROUP BY region",
        "SELECT COUNT(*) FILTER (WHERE age > 30) AS n FROM staff",
        "SELECT AVG(CLAMP(salary, 0, 50)) AS pay FROM staff",
        "SELECT SUM(CLAMP(salary, 10, 100)) AS pay FROM staff",
        "SELECT region, sex, COUNT(*) AS n FROM staff GROUP BY region, sex",
        "SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex",
        "SELECT COUNT(age) AS n FROM staff",
        "SELECT COUNT(DISTINCT person_id) AS n FROM staff",
        "SELECT AVG(age) AS n FROM staff",
        "SELECT COUNT(*) AS n FROM staff JOIN staff AS s ON staff.person_id = s.person_id",
    ],
)
def test_other_rows_bounds_filters_and_groups_are_paid_for(tmp_path: Path, sql: str) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    assert not is_derived(lapcat.open(path), sql)


def test_a_filter_makes_another_question(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql(BY_REGION).run(epsilon=1)
    assert not is_derived(session, "SELECT COUNT(*) AS n FROM staff WHERE age > 30")


def test_a_lower_limit_on_rows_is_another_question(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql(BY_REGION).run(epsilon=1)
    question = session.table("staff").agg(n=lapcat.count())
    assert is_derived(session, question.sql)
    assert not is_derived(session, question.bound(rows=1).sql)


def test_a_key_that_leaves_rows_out_does_not_add_up(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql("SELECT region, sex, COUNT(*) AS n FROM staff GROUP BY region, sex").run(epsilon=1)
    assert is_derived(session, "SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex")  # region has an other
    assert not is_derived(session, "SELECT region, COUNT(*) AS n FROM staff GROUP BY region")  # sex has none
    assert not is_derived(session, "SELECT COUNT(*) AS n FROM staff")


def test_cells_come_in_the_order_of_the_question(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    first = session.sql("SELECT region, sex, COUNT(*) AS n FROM staff GROUP BY region, sex").run(epsilon=1)
    turned = session.sql("SELECT sex, region, COUNT(*) AS n FROM staff GROUP BY sex, region").run()
    cells = {(row["region"], row["sex"]): row["n"] for row in first}
    assert {(row["region"], row["sex"]): row["n"] for row in turned} == cells
    rolled = session.sql("SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex").run()
    for row in rolled:
        assert row["n"] == pytest.approx(sum(n for (_, sex), n in cells.items() if sex == row["sex"]), abs=2)


def test_different_values_do_not_add_up_though_their_group_is_free(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql(
        "SELECT region, COUNT(DISTINCT person_id) AS n, COUNT(*) AS rows FROM staff GROUP BY region"
    ).run(epsilon=1)
    distinct = "SELECT {}COUNT(DISTINCT person_id) AS n FROM staff{}"
    assert is_derived(session, distinct.format("region, ", " GROUP BY region"))
    assert not is_derived(session, distinct.format("", ""))


def test_totals_of_a_cube_come_from_the_least_noisy_cells(tmp_path: Path) -> None:
    """The total is stored itself, with the noise of one cell, beside three cells that add up to it."""
    session = lapcat.open(staff(tmp_path))
    cube = session.sql("SELECT region, SUM(salary) AS n FROM staff GROUP BY CUBE (region)").run(epsilon=1)
    total = session.sql("SELECT SUM(salary) AS n FROM staff").run()
    stored = next(row for row in cube if row["region"] is None)
    assert total["n"] == [stored["n"]] and total["n_high"] == [stored["n_high"]]


def test_what_a_strategy_measured_of_each_cell_answers_other_questions(tmp_path: Path) -> None:
    """Its cells have one for all other regions; a question for the listed ones leaves that out."""
    session = lapcat.open(staff(tmp_path))
    cube = session.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY CUBE (region)").run(epsilon=1)
    assert cube.receipt.fields["strategy"] == "identity"
    total = session.sql("SELECT COUNT(*) AS n FROM staff").run()
    by_region = session.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region").run()
    assert total["n"] == [row["n"] for row in cube if row["region"] is None]
    shown = [row["n"] for row in cube if row["region"] is not None]
    # those of the cube were rounded so that they add up, these each by itself
    assert all(abs(n - m) <= 1 for n, m in zip(by_region["n"], shown, strict=True)) and len(shown) == 3
    assert total.derived_from == by_region.derived_from == (cube.receipt.id,)


def test_sums_of_a_strategy_are_not_taken_for_counts(tmp_path: Path) -> None:
    """What is measured are sums of several groups: no other question follows from them."""
    session = lapcat.open(staff(tmp_path))
    text = "SELECT age, SUM(COUNT(*)) OVER (ORDER BY age) AS r FROM staff GROUP BY age"
    answer = session.sql(text).run(epsilon=1)
    assert str(answer.receipt.fields["strategy"]).startswith("optimised")
    with pytest.raises(lapcat.BadQuery, match="exactly one of epsilon"):
        session.sql("SELECT age, COUNT(*) AS n FROM staff GROUP BY age").run()


def test_of_several_stored_answers_the_least_noisy_is_taken(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    session.sql("SELECT COUNT(*) AS n, SUM(salary) FILTER (WHERE age > 3) AS m FROM staff").run(epsilon=1)
    good = session.sql("SELECT COUNT(*) AS n, SUM(salary) FILTER (WHERE age > 4) AS m FROM staff").run(
        epsilon=2
    )
    session.sql("SELECT COUNT(*) AS n, SUM(salary) FILTER (WHERE age > 5) AS m FROM staff").run(epsilon=1)
    answer = session.sql("SELECT COUNT(*) AS n FROM staff").run()
    assert answer["n"] == good["n"] and answer.derived_from == (good.receipt.id,)


def test_statistics_of_two_answers_go_together(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    first = session.sql("SELECT COUNT(*) AS n, AVG(salary) AS pay FROM staff").run(epsilon=1)
    second = session.sql("SELECT COUNT(age) AS n FROM staff").run(epsilon=1)
    both = session.sql("SELECT COUNT(age) AS a, SUM(salary) AS s FROM staff").run()
    assert both.derived_from == (first.receipt.id, second.receipt.id)
    listed = both.receipt.fields["derived_from"]
    assert [(entry["id"], entry["hash"]) for entry in listed] == [  # type: ignore[attr-defined]
        (first.receipt.id, first.receipt.hash),
        (second.receipt.id, second.receipt.hash),
    ]


def test_another_version_is_another_question(tmp_path: Path) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    question = lapcat.open(path).sql("SELECT COUNT(*) AS n FROM staff")
    assert question.run().free
    refresh(open_deployment(path), "staff")
    with pytest.raises(lapcat.BadQuery, match="exactly one of epsilon"):
        question.run()


@pytest.mark.parametrize(
    "change",
    [
        ("rows_per_unit = 2", "rows_per_unit = 3"),
        ("high = 100", "high = 101"),
        ("null = 0", "null = 1"),
    ],
)
def test_another_catalogue_is_another_question(tmp_path: Path, change: tuple[str, str]) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql("SELECT SUM(salary) AS s, AVG(salary) AS a FROM staff").run(epsilon=1)
    path.write_text(CATALOGUE.replace(*change))
    open_deployment(path).accept("changed")
    assert not is_derived(lapcat.open(path), "SELECT AVG(salary) AS a FROM staff")


def test_seeded_noise_and_real_noise_are_never_mixed(tmp_path: Path) -> None:
    path = staff(tmp_path)
    seeded(path).sql(BY_REGION).run(epsilon=1)
    count = "SELECT COUNT(*) AS n FROM staff"
    assert not is_derived(lapcat.open(path), count)
    unsafe = seeded(path).sql(count).run()
    assert "UNSAFE" in unsafe.receipt.fields
    paid = lapcat.open(path).sql("SELECT COUNT(*) AS n, COUNT(age) AS m FROM staff").run(epsilon=1)
    real = lapcat.open(path).sql(count).run()
    assert "UNSAFE" not in real.receipt.fields and real.derived_from == (paid.receipt.id,)
    assert seeded(path).sql(count).run().derived_from == unsafe.derived_from != real.derived_from


def test_no_row_is_read_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = staff(tmp_path)
    lapcat.open(path).sql(BY_REGION).run(epsilon=1)
    session = lapcat.open(path)
    monkeypatch.setattr("lapcat.core.release.release", lambda *_, **__: pytest.fail("the door was opened"))
    monkeypatch.setattr(
        "lapcat.session.deployment.Deployment.engine", lambda *_: pytest.fail("an engine was opened")
    )
    assert session.sql("SELECT COUNT(*) AS n FROM staff").run().free


def test_with_a_price_it_is_paid_unless_what_is_stored_is_as_good(tmp_path: Path) -> None:
    path = staff(tmp_path)
    session = lapcat.open(path)
    session.sql(BY_REGION).run(epsilon=1)
    by_region = session.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region")
    stored = by_region.run()
    assert by_region.preview(epsilon="0.5").free and by_region.run(epsilon="0.5").rows == stored.rows
    offered = by_region.preview(epsilon="0.9")
    assert not offered.free and offered.derived is not None
    assert offered.derived.columns[0].margin > offered.columns[0].margin  # type: ignore[operator]
    paid = by_region.run(epsilon="0.9")
    assert not paid.free and paid.derived_from == () and spent(path) == Fraction(19, 10)


def test_a_preview_says_what_is_free_and_what_a_price_would_give(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    paid = session.sql(BY_REGION).run(epsilon=1)
    preview = session.sql("SELECT COUNT(*) AS n FROM staff").preview(epsilon="0.5")
    body = preview.as_json()
    assert {"cost", "columns", "budget", "free"} <= set(body) and body["free"] is False
    derived = body["derived"]
    assert derived["entries"] == [paid.receipt.id]  # type: ignore[index]
    free, dear = derived["columns"][0]["margin"], body["columns"][0]["margin"]  # type: ignore[index]
    assert f"or free, from entry {paid.receipt.id}: n: ± {free:.6g}" in str(preview)
    assert f"n: ± {dear:.6g}, at 0.95 confidence" in str(preview)


def test_an_analyst_is_debited_once_for_what_another_paid(tmp_path: Path) -> None:
    path = staff(tmp_path, ANALYSTS)
    ana, bob = (lapcat.open(path, analyst=name) for name in ("ana", "bob"))
    ana.sql(BY_REGION).run(epsilon=1)

    def charged() -> list[Fraction | None]:
        gauges = open_deployment(path).budget().analysts
        return [gauges[name]["staff"].spent.epsilon for name in ("ana", "bob")]

    count = "SELECT COUNT(*) AS n FROM staff"
    assert ana.sql(count).run().free and charged() == [1, 0]
    before = bob.sql(count).preview()
    assert before.analyst_left_after == {"staff": before.analyst_left_after["staff"]}  # type: ignore[index]
    assert before.analyst_left_after["staff"].epsilon == 2  # type: ignore[index]
    assert charged() == [1, 0]  # a preview charges nothing
    assert bob.sql(count).run().free and charged() == [1, 1]
    assert (
        bob.sql("SELECT SUM(salary) AS s FROM staff").run().free and charged() == [1, 1] and spent(path) == 1
    )
    assert open_deployment(path).ledger.verify()


def test_what_an_analyst_cannot_afford_is_not_offered(tmp_path: Path) -> None:
    path = staff(tmp_path, ANALYSTS)
    lapcat.open(path, analyst="ana").sql(BY_REGION).run(epsilon=4)
    bob = lapcat.open(path, analyst="bob")
    assert not is_derived(bob, "SELECT COUNT(*) AS n FROM staff")
    paid = bob.sql("SELECT COUNT(*) AS n FROM staff").run(epsilon="0.1")
    assert not paid.free


def test_whoever_names_a_price_is_charged_no_more_for_the_answer_of_another(tmp_path: Path) -> None:
    path = staff(tmp_path, ANALYSTS)
    lapcat.open(path, analyst="ana").sql(BY_REGION).run(epsilon=2)
    bob = lapcat.open(path, analyst="bob").sql("SELECT COUNT(*) AS n FROM staff").run(epsilon="0.1")
    assert not bob.free
    assert open_deployment(path).budget().analysts["bob"]["staff"].spent.epsilon == Fraction(1, 10)


def test_a_paused_table_gives_nothing_out(tmp_path: Path) -> None:
    path = staff(tmp_path)
    session = lapcat.open(path)
    debit = session.sql(BY_REGION).run(epsilon=1).receipt.id
    count = session.sql("SELECT COUNT(*) AS n FROM staff")
    assert count.run().free
    open_deployment(path).ledger.failed(debit)
    with pytest.raises(lapcat.Refused, match="paused"):
        count.run()


def test_private_groups_are_never_added_up_and_come_from_one_answer(tmp_path: Path) -> None:
    session = lapcat.open(staff(tmp_path))
    first = session.sql("SELECT city, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY city").run(
        epsilon=2, delta="1e-7"
    )
    assert len(first) == 2
    again = session.sql("SELECT city, AVG(salary) AS pay FROM staff GROUP BY city").run()
    assert again["city"] == first["city"] and again["pay"] == first["pay"]
    assert not is_derived(session, "SELECT AVG(salary) AS pay FROM staff")
    assert not is_derived(session, "SELECT COUNT(*) AS n FROM staff")
    both = session.sql(
        "SELECT city, region, COUNT(*) AS n, AVG(salary) AS pay FROM staff GROUP BY city, region"
    ).run(epsilon=1, delta="1e-7")
    rolled = session.sql("SELECT city, COUNT(*) AS n FROM staff GROUP BY city").preview()
    assert rolled.derived is not None and rolled.derived.entries == (first.receipt.id,)  # the less noisy
    assert len(both) == 6


def test_the_interval_of_a_rolled_up_count_is_that_of_the_sum_of_its_cells(tmp_path: Path) -> None:
    path = staff(tmp_path)
    session = lapcat.open(path)
    id = session.sql(BY_REGION).run(epsilon=1).receipt.id
    (entry,) = (entry for entry in open_deployment(path).ledger.entries() if entry.id == id)
    parts = json.loads(entry.text)["event"]["parts"]
    scale = exact(next(part["scale"] for part in parts if part["label"] == "count(*)"))
    answer = session.sql("SELECT COUNT(*) AS n FROM staff").run()
    margin = LaplaceSum(scale, 3).margin(Fraction(95, 100)) / 2**20  # a weighed row counts for 2^20 steps
    width = (answer["n_high"][0] - answer["n_low"][0]) / 2
    assert margin <= width <= margin + 2
    alone = session.sql("SELECT region, COUNT(*) AS n FROM staff GROUP BY region").preview().columns[0].margin
    assert alone is not None and alone < margin < 3 * alone


def test_a_stored_answer_is_what_it_was(tmp_path: Path) -> None:
    """Deriving reads the stored bytes and changes nothing in them."""
    path = staff(tmp_path)
    session = lapcat.open(path)
    id = session.sql(BY_REGION).run(epsilon=1).receipt.id
    before = open_deployment(path).ledger.answer(id)
    session.sql("SELECT COUNT(*) AS n FROM staff").run()
    after = open_deployment(path).ledger.answer(id)
    assert before == after and before is not None and packed(unpacked(before)) == before


def test_where_the_number_of_rows_is_public_only_the_sum_is_derived() -> None:
    import pandas as pd

    rows = pd.DataFrame({"age": [i % 90 for i in range(200)], "pay": [50.0] * 200})
    table = lapcat.table(
        rows,
        unit="row",
        relation="replace-one",
        units=200,
        bounds={"pay": (0, 100), "age": (0, 99)},
        null={"pay": 0, "age": 0},
        epsilon=9,
    )
    groups = "COALESCE(age, 0) >= 40"
    table.sql(f"SELECT {groups} AS g, COUNT(*) AS n, SUM(pay) AS s FROM data GROUP BY {groups}").run(
        epsilon=5
    )
    answer = table.sql("SELECT COUNT(*) AS n, AVG(pay) AS pay FROM data").run(confidence="0.99999999")
    (row,) = answer.rows
    assert (row["n"], row["n_low"], row["n_high"]) == (200, 200, 200)  # not the sum of noisy counts
    assert row["pay_low"] <= 50 <= row["pay_high"] and row["pay_high"] - row["pay_low"] < 20


def test_tables_over_one_source_that_declare_other_columns_are_not_mixed(tmp_path: Path) -> None:
    """Which rows of a person come first is decided by the declared columns."""
    deployment = lapcat.open(staff(tmp_path))._deployment
    table = deployment.catalogue.tables["staff"]
    fewer = replace(table, columns={n: spec for n, spec in table.columns.items() if n != "region"})
    assert identity_of(deployment.scan(fewer)) != identity_of(deployment.scan(table))
