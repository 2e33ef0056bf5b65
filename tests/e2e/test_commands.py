"""Every command in every form, as a user or a script meets it."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction

import pytest

import lapcat
from lapcat.cli.app import COMMANDS
from lapcat.session.debit_request import request_of
from tests.e2e.kit import Desk

COUNT = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
PAY = "SELECT region, AVG(salary) AS pay, COUNT(*) AS n FROM staff GROUP BY region"
DRAWN = set("├┤●─█░ερδ±Δ")


def test_an_answer_has_the_keys_of_the_contract(desk: Desk) -> None:
    answer = desk.ask(PAY, "--epsilon", "0.5", "--json").json()
    assert set(answer) >= {"columns", "rows", "cost", "receipt", "budget", "free"}
    assert [(c["name"], c["type"], c["role"]) for c in answer["columns"]] == [
        ("region", "text", "key"),
        ("pay", "float", "value"),
        ("pay_low", "float", "low"),
        ("pay_high", "float", "high"),
        ("n", "integer", "value"),
        ("n_low", "integer", "low"),
        ("n_high", "integer", "high"),
    ]
    assert [row["region"] for row in answer["rows"]] == ["north", "south", "west"]
    for row in answer["rows"]:
        assert list(row) == [column["name"] for column in answer["columns"]]
        assert isinstance(row["n"], int) and isinstance(row["pay"], float)
        assert row["pay_low"] <= row["pay"] <= row["pay_high"] and row["n_low"] <= row["n"] <= row["n_high"]
    assert answer["cost"] == {"epsilon": "0.5"} and answer["free"] is False
    assert answer["confidence"] == 0.95
    assert answer["budget"]["tables"]["staff"] == {
        "cap": {"epsilon": "3"},
        "spent": {"epsilon": "0.5"},
        "left": {"epsilon": "2.5"},
    }
    assert isinstance(answer["receipt"]["id"], int) and re.fullmatch(
        "[0-9a-f]{64}", answer["receipt"]["hash"]
    )


def test_the_same_question_again_is_free_and_gives_the_same_answer(desk: Desk) -> None:
    first = desk.here("ask", COUNT, "--epsilon", "0.25", "--json").json()
    again = desk.here(
        "ask", "select REGION, count(*) as n\nfrom staff group by 1", "--epsilon", "0.2", "--json"
    ).json()
    assert again["free"] is True and again["cost"] == {"epsilon": "0"}
    assert [list(row.values()) for row in again["rows"]] == [list(row.values()) for row in first["rows"]]
    assert again["receipt"]["id"] == first["receipt"]["id"]
    assert desk.spent() == "0.25"


def test_for_a_person_the_answer_is_a_table_with_bars_a_gauge_and_a_receipt(desk: Desk) -> None:
    done = desk.ask(COUNT, "--epsilon", "0.2")
    assert (done.code, done.err) == (0, "")
    head, *rows, covered, spent = done.out.splitlines()
    assert head.split() == ["region", "n", "95", "%", "interval"]
    assert covered == " the intervals cover the noise, not sampling error"
    assert [row.split()[0] for row in rows] == ["north", "south", "west"]
    assert all("●" in row and re.search(r"\[-?\d+, -?\d+\]", row) for row in rows)
    assert re.fullmatch(r" spent ε 0\.2   staff █+░+ 2\.8 of 3 left   receipt \d+:[0-9a-f]{4}…", spent)
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\x1b" not in done.out


def test_plain_has_no_drawn_characters(desk: Desk) -> None:
    for done in (
        desk.here("ask", COUNT, "--epsilon", "0.2", "--plain"),
        desk.here("preview", COUNT, "--epsilon", "0.2", "--plain"),
        desk.here("budget", "--plain"),
        desk.here("sensitivity", COUNT, "--plain"),
    ):
        assert done.code == 0 and not DRAWN & set(done.out), done


def test_csv_is_the_table_alone_and_what_was_spent_goes_to_standard_error(desk: Desk) -> None:
    done = desk.ask(COUNT, "--epsilon", "0.2", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["region"] for row in rows] == ["north", "south", "west"]
    assert list(rows[0]) == ["region", "n", "n_low", "n_high"]
    assert "spent ε 0.2" in done.err and "receipt" in done.err


def test_a_question_comes_from_a_file_or_from_standard_input(desk: Desk) -> None:
    (desk.folder / "question.sql").write_text("\ufeff" + COUNT + ";\n", encoding="utf-8")
    from_file = desk.run("ask", "-f", "question.sql", "--epsilon", "0.2", "--json").json()
    from_pipe = desk.run("ask", "-", "--epsilon", "0.2", "--json", stdin=COUNT).json()
    assert from_pipe["free"] is True and from_pipe["rows"] == from_file["rows"]


def test_a_file_with_several_statements_is_asked_together_and_paid_for_once(desk: Desk) -> None:
    text = """-- three at once; they overlap
SELECT COUNT(*) AS n FROM staff WHERE region = 'north';
SELECT COUNT(*) AS n FROM staff WHERE age >= 30 AND city <> ';';
SELECT region, COUNT(*) AS n FROM staff GROUP BY region;
"""
    (desk.folder / "questions.sql").write_text(text, encoding="utf-8")
    sensitivity = desk.here("sensitivity", "-f", "questions.sql", "--json").json()
    assert (
        sensitivity["l1"] == "2" and len(sensitivity["statistics"]) == 4
    )  # north is counted once for two questions
    shown = desk.here("preview", "-f", "questions.sql", "--epsilon", "0.5").out
    assert "2: n" in shown and "would cost" in shown
    answers = desk.here("ask", "-f", "questions.sql", "--epsilon", "0.5", "--json").json()
    assert [len(answer["rows"]) for answer in answers["answers"]] == [1, 1, 3]
    assert answers["cost"] == {"epsilon": "0.5"}
    assert answers["budget"]["tables"]["staff"]["left"] == {"epsilon": "2.5"}
    first, _, regions = answers["answers"]
    again = desk.here("ask", "-f", "questions.sql", "--epsilon", "0.5", "--csv").out.split("\n\n")
    assert again[0].splitlines() == ["n,n_low,n_high", ",".join(map(str, first["rows"][0].values()))]
    assert again[2].splitlines()[1].startswith(f"north,{regions['rows'][0]['n']},")
    drawn = desk.here("ask", "-f", "questions.sql", "--epsilon", "0.5").out
    assert drawn.count("95 % interval") == 3 and drawn.count("answered before") == 1


def test_preview_shows_every_way_to_answer(desk: Desk) -> None:
    thirds = ", ".join(f"COUNT(*) FILTER (WHERE age < {a}) AS below_{a}" for a in range(10, 100, 10))
    shown = desk.here("preview", f"SELECT {thirds} FROM staff", "--epsilon", "0.5").out
    assert "expected error" in shown and "asked separately" in shown and "taken" in shown and "█" in shown
    plain = desk.here("preview", f"SELECT {thirds} FROM staff", "--epsilon", "0.5", "--plain").out
    assert "expected error" in plain and "█" not in plain


def test_a_receipt_is_saved(desk: Desk) -> None:
    answer = desk.here("ask", COUNT, "--epsilon", "0.2", "--json", "--receipt", "r.json").json()
    saved = json.loads((desk.folder / "r.json").read_text(encoding="utf-8"))
    assert saved == answer["receipt"]


def test_an_error_can_be_asked_for_instead_of_an_epsilon(desk: Desk) -> None:
    done = desk.here(
        "ask", "SELECT COUNT(*) AS n FROM staff", "--error", "20", "--confidence", "0.9", "--json"
    ).json()
    (row,) = done["rows"]
    assert (row["n_high"] - row["n_low"]) / 2 <= 20 and done["confidence"] == 0.9


def test_a_relative_error_is_refused_until_something_was_released_and_the_fix_works(desk: Desk) -> None:
    refused = desk.here("ask", "SELECT COUNT(*) AS n FROM staff", "--error", "60%")
    assert refused.code == 3 and "--epsilon 0.1 first, then with --error 60%" in refused.err
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM staff", "--epsilon", "0.5").code == 0
    done = desk.here("preview", "SELECT COUNT(*) AS n FROM staff", "--error", "60%", "--json")
    assert done.code == 0 and done.json()["columns"][0]["margin"] > 0


def test_a_preview_says_the_price_and_the_error_and_spends_nothing(desk: Desk) -> None:
    preview = desk.here("preview", PAY, "--epsilon", "0.5", "--json").json()
    assert set(preview) == {"cost", "columns", "groups", "budget", "free"} and preview["groups"] == 3
    assert preview["cost"] == {"epsilon": "0.5"} and preview["free"] is False
    assert preview["budget"] == {"tables": {"staff": {"left_after": {"epsilon": "2.5"}}}, "analyst": None}
    pay, n = preview["columns"]
    assert set(pay) == set(n) == {"name", "margin", "confidence", "assuming"}
    assert pay["margin"] is None and [case["n"] for case in pay["assuming"]] == [100, 1000, 10000]
    assert n["margin"] > 0 and n["confidence"] == 0.95
    shown = desk.here("preview", PAY, "--epsilon", "0.5").out
    assert "would cost ε 0.5; no row was read, nothing was spent" in shown and "2.5 of 3 left after" in shown
    assert "salary is clamped to 20000..200000" in shown and "if n = 1 000" in shown
    assert desk.spent() == "0"


def test_a_preview_beyond_the_budget_says_so(shared_desk: Desk) -> None:
    done = shared_desk.here("preview", COUNT, "--epsilon", "4")
    assert done.code == 0 and "more than the budget has left: it would be refused" in done.out


def test_a_sensitivity_has_the_keys_of_the_contract(shared_desk: Desk) -> None:
    sensitivity = shared_desk.here("sensitivity", PAY, "--json").json()
    assert set(sensitivity) == {"relation", "unit", "statistics", "l1", "l2_squared"}
    assert (
        sensitivity["relation"] == "add-remove" and sensitivity["unit"] == "row" and sensitivity["l1"] is None
    )
    for statistic in sensitivity["statistics"]:
        assert (
            set(statistic) == {"label", "kind", "l1", "l2_squared", "because"} and statistic["kind"] == "sum"
        )
        assert all(set(reason) == {"rule", "text"} for reason in statistic["because"])
    counted = shared_desk.here("sensitivity", COUNT, "--json").json()
    assert (counted["l1"], counted["l2_squared"]) == ("1", "1")
    assert (
        "sensitivity: the most that one row can change (add-remove)"
        in shared_desk.here("sensitivity", COUNT).out
    )


def test_a_budget_has_the_keys_of_the_contract(shared_desk: Desk) -> None:
    budget = shared_desk.here("budget", "--json").json()
    assert set(budget) == {"tables", "analysts"} and budget["analysts"] == {}
    assert budget["tables"]["staff"] == {
        "cap": {"epsilon": "3"},
        "spent": {"epsilon": "0"},
        "left": {"epsilon": "3"},
    }
    assert re.search(r"staff +█{21} 3 of 3 left", shared_desk.here("budget").out)


def test_tables_and_schema_say_what_may_be_asked(shared_desk: Desk) -> None:
    listed = shared_desk.here("tables", "--json").json()
    assert [table["name"] for table in listed["tables"]] == ["staff", "visits", "orders"]
    schema = shared_desk.here("schema", "staff", "--json").json()
    assert {column["name"]: column["type"] for column in schema["columns"]}["salary"] == "float"
    shown = shared_desk.here("schema", "visits").out
    assert "visits protects each person_id, with at most 5 rows (add-remove)" in shown and "0..500" in shown
    assert "each row" in shared_desk.here("tables").out


def test_csv_files_and_databases_answer_too(desk: Desk) -> None:
    visits, orders = desk.run_all(
        [
            ("ask", "SELECT kind, SUM(cost) AS cost FROM visits GROUP BY kind", "--epsilon", "1", "--json"),
            ("ask", "SELECT paid, COUNT(*) AS n FROM orders GROUP BY paid", "--epsilon", "1", "--json"),
        ]
    )
    assert [row["kind"] for row in visits.json()["rows"]] == ["test", "cure"]
    assert [row["paid"] for row in orders.json()["rows"]] == [False, True]
    assert "false,true" in ",".join(
        line.split(",")[0]
        for line in desk.here(
            "ask", "SELECT paid, COUNT(*) AS n FROM orders GROUP BY paid", "--epsilon", "1", "--csv"
        ).out.splitlines()
    )


def test_a_new_version_of_the_data_costs_again(desk: Desk) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.2")
    done = desk.here("refresh", "staff")
    assert (done.code, done.out, done.err) == (0, "staff: version 2\n", "")
    assert desk.here("ask", COUNT, "--epsilon", "0.2", "--json").json()["free"] is False
    assert desk.spent() == "0.4"
    assert desk.here("refresh").out == "staff: version 3\nvisits: version 2\norders: version 2\n"


def test_a_changed_catalogue_waits_for_the_steward(desk: Desk) -> None:
    desk.here("tables")
    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(
        text.replace("budget = { epsilon = 3 }", "budget = { epsilon = 5 }"), encoding="utf-8"
    )
    refused = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert refused.code == 5 and refused.error()["code"] == "catalogue-unaccepted"
    checked = desk.here("check")
    assert (
        checked.code == 0
        and "not accepted yet" in checked.out
        and "accepted epsilon 3, the file says epsilon 5 (raised)" in checked.out
    )
    accepted = desk.here("accept", "--reason", "the board allowed more")
    assert (
        accepted.code == 0
        and "the budget of staff: accepted epsilon 3, the file says epsilon 5 (raised)" in accepted.out
    )
    assert desk.here("accept", "--reason", "again").out.startswith("nothing to accept")
    assert desk.here("ask", COUNT, "--epsilon", "4", "--json").json()["cost"] == {"epsilon": "4"}


def test_analysts_have_limits_of_their_own(desk: Desk) -> None:
    with desk.catalogue.open("a", encoding="utf-8") as file:
        file.write(
            "\n[analysts.ana]\ntables = { staff = { epsilon = 1, per_query = 0.3 } }\n[analysts.bo]\ntables = {}\n"
        )
    assert desk.here("accept", "--reason", "analysts").code == 0
    nobody = desk.here("ask", COUNT, "--epsilon", "0.2", "--json")
    assert nobody.code == 2 and nobody.error()["code"] == "analyst-missing"
    answer = desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "ana")
    assert "you 0.8 of 1" in answer.out
    assert (
        desk.here("ask", COUNT, "--epsilon", "0.5", "--as", "ana", "--json").error()["code"]
        == "per-query-exceeded"
    )
    assert (
        desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "bo", "--json").error()["code"]
        == "table-not-granted"
    )
    assert (
        desk.here("ask", COUNT, "--epsilon", "0.2", "--as", "cy", "--json").error()["code"]
        == "analyst-unknown"
    )
    preview = desk.run(
        "preview", "SELECT COUNT(*) FROM staff", "--epsilon", "0.3", "--json", env={"LAPCAT_ANALYST": "ana"}
    )
    assert preview.json()["budget"]["analyst"] == {"left_after": {"epsilon": "0.5"}}
    assert desk.here("tables", "--json", "--as", "ana").json()["tables"][0]["name"] == "staff"
    assert "ana on staff" in desk.here("budget").out
    assert set(desk.here("budget", "--json", "--as", "ana").json()["analysts"]) == {"ana"}


def test_a_table_that_was_not_paused_can_be_resumed_all_the_same(desk: Desk) -> None:
    done = desk.here("resume", "staff", "--reason", "looked at the disk")
    assert (done.code, done.err) == (0, "") and "was not paused" in done.out


def test_the_catalogue_is_named_by_option_or_environment(shared_desk: Desk, tmp_path: object) -> None:
    elsewhere = Desk(tmp_path)  # type: ignore[arg-type]
    path = str(shared_desk.catalogue)
    assert elsewhere.run("tables", "-c", path).code == 0
    assert elsewhere.run("tables", env={"LAPCAT_CATALOGUE": path}).code == 0
    missing = elsewhere.run("tables", "--json")
    assert missing.code == 2 and missing.error()["code"] == "catalogue-missing"


def test_errors_are_explained(shared_desk: Desk) -> None:
    done = shared_desk.here("error", "bounds-missing")
    assert done.code == 0 and "exit code 3" in done.out and "CLAMP" in done.out
    assert shared_desk.here("error", "bounds-missing", "--json").json()["family"] == "Refused"
    near = shared_desk.here("error", "bonds-missing")
    assert near.code == 2 and "did you mean bounds-missing?" in near.err
    assert "table-paused" in shared_desk.here("error").out


def test_version_and_help(shared_desk: Desk) -> None:
    assert re.fullmatch(r"lapcat \d+\.\d+\.\d+\n", shared_desk.run("--version").out)
    shown = shared_desk.run("--help").out
    assert all(re.search(rf"^  {name}\b", shown, re.MULTILINE) for name in COMMANDS)
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, shared_desk: Desk) -> None:
    done = shared_desk.here(command, "--help")
    assert done.code == 0 and done.out.startswith(f"Usage: lapcat {command}") and "-h, --help" in done.out


def unfinished(desk: Desk) -> int:
    """The entry of a question that was paid for and that nobody looked at yet, as after a crash."""
    db = lapcat.open(desk.catalogue)
    question = db.sql("SELECT COUNT(*) AS n FROM staff WHERE age > 50")
    program = question.priced_at(Fraction(1, 10), None)
    return db._deployment.ledger.debit(request_of(question._context, program)).id


def test_every_command_runs_when_it_is_installed(desk: Desk) -> None:
    """One transcript of each; what they print is tested elsewhere."""
    typed = {
        "init": ("init", "staff.parquet", "-c", "other.toml"),
        "init --from": ("init", "--from", "smartnoise.yaml", "staff.parquet", "-c", "third.toml"),
        "check": ("check",),
        "check --engine": ("check", "--engine"),
        "accept": ("accept", "--reason", "because"),
        "refresh": ("refresh", "visits"),
        "snapshots": ("snapshots",),
        "pause": ("pause", "orders", "--reason", "because"),
        "resume": ("resume", "staff", "--reason", "because"),
        "void": ("void", str(unfinished(desk)), "--reason", "because"),
        "tables": ("tables",),
        "schema": ("schema", "staff"),
        "preview": ("preview", COUNT, "--epsilon", "0.1"),
        "ask": ("ask", COUNT, "--epsilon", "0.1"),
        "sensitivity": ("sensitivity", COUNT),
        "budget": ("budget",),
        "ledger": ("ledger", "list"),
        "receipt": ("receipt", "verify", "receipt.json", "--ledger", "lapcat.toml"),
        "bounds": ("bounds", "staff.age", "--epsilon", "0.1"),
        "epsilon": ("epsilon", "1"),
        "statement": ("statement",),
        "size": ("size", "--questions", "10", "--error", "0.02", "--epsilon", "1"),
        "local": ("local", "compare", "--n", "10000", "--epsilon", "1"),
        "local encode": (
            "local",
            "encode",
            "staff.parquet",
            "--column",
            "age",
            "--epsilon",
            "1",
            "-o",
            "r.parquet",
        ),
        "audit": ("audit", "--questions", "0", "-c", "small.toml"),
        "attack": ("attack", "membership", "fork"),
        "error": ("error", "syntax"),
    }
    (desk.folder / "small.toml").write_text(
        '[ledger]\nstore = "sqlite:small.ledger"\n\n[tables.cats]\nsource = "cats.parquet"\nunit = "row"\n'
        'budget = { epsilon = 1 }\n\n[tables.cats.columns]\nage = { low = 0, high = 20, type = "integer" }\n',
        encoding="utf-8",
    )
    (desk.folder / "smartnoise.yaml").write_text(
        "db:\n  '':\n    staff:\n      row_privacy: True\n      age:\n        type: int\n", encoding="utf-8"
    )
    assert desk.here("ask", COUNT, "--epsilon", "0.1", "--receipt", "receipt.json").code == 0
    assert {words[0] for words in typed.values()} == set(COMMANDS) - {"demo"}, (
        "the demo has a test of its own"
    )
    for done in desk.run_all(list(typed.values())):
        assert (done.code, done.err) == (0, "") and done.out, done


def test_sample_sizes_are_those_of_the_theory(shared_desk: Desk) -> None:
    typed = ("size", "--questions", "10", "--error", "0.02", "--failure", "0.05", "--epsilon", "1")
    done = shared_desk.run(*typed)
    assert done.code == 0 and "2 650" in done.out and "3 000 727" in done.out
    reverse = shared_desk.run("size", "--questions", "10", "--n", "2650", "--epsilon", "1")
    assert reverse.code == 0 and "from 2 650 people" in reverse.out
    assert shared_desk.run("size", "--error", "0.02", "--epsilon", "0").code == 2


def test_the_shell_completes_commands_and_options(shared_desk: Desk) -> None:
    env = {"_LAPCAT_COMPLETE": "bash_complete", "COMP_WORDS": "lapcat sens", "COMP_CWORD": "1"}
    assert shared_desk.run(env=env).out == "plain,sensitivity\n"
    env = {"_LAPCAT_COMPLETE": "bash_complete", "COMP_WORDS": "lapcat ask --rec", "COMP_CWORD": "2"}
    assert shared_desk.run(env=env).out == "plain,--receipt\n"


def test_help_loads_nothing_heavy() -> None:
    from tests.test_imports import HEAVY, loaded_by

    quiet = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    from lapcat.cli.app import run; run(['--help'])"
    assert loaded_by(quiet) & (set(HEAVY) - {"click"}) == set()


def test_bounds_are_found_paid_for_and_written_into_the_catalogue(desk: Desk) -> None:
    done = desk.run("bounds", "orders.amount", "--epsilon", "1.5", "--write", "--json")
    bounds = done.json()
    assert bounds["cost"] == {"epsilon": "1.5"} and f"low = {bounds['low']}" in bounds["line"]
    assert "lapcat accept" in done.err
    assert f"low = {bounds['low']}, high = {bounds['high']}" in desk.catalogue.read_text(encoding="utf-8")
    refused = desk.here("tables", "--json")
    assert refused.code == 5 and refused.error()["code"] == "catalogue-unaccepted"
    assert desk.here("accept", "--reason", "found").code == 0
    again = desk.here("bounds", "orders.amount", "--epsilon", "1.5")
    assert again.code == 0 and bounds["line"] in again.out, "asked again it is free, and not written unasked"
    assert desk.here("bounds", "orders.paid", "--epsilon", "1", "--json").error()["code"] == "type-mismatch"
    assert desk.here("bounds", "staff.salary", "--json").error()["code"] == "price-missing"


def test_what_follows_from_stored_answers_is_offered_and_asked_for_without_a_price(desk: Desk) -> None:
    by_region = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
    missing = desk.here("ask", by_region, "--json")
    assert missing.code == 2 and missing.error()["code"] == "price-missing"
    assert missing.error()["fix"] == "--epsilon 0.1"
    desk.here("ask", PAY, "--epsilon", "0.5")
    offer = desk.here("preview", by_region, "--epsilon", "0.5", "--plain").out.splitlines()
    assert offer[:4] == [
        " would cost epsilon 0.5; no row was read, nothing was spent",
        " column  95 % margin",
        " n       +- 6",
        " or free, from entry 8: n +- 11 (ask without a price)",
    ]
    free = desk.here("preview", by_region, "--plain").out.splitlines()
    assert free[0] == " free, from entry 8: it follows from what was released before"
    assert free[2] == " n       +- 11"
    answer = desk.here("ask", by_region, "--json").json()
    assert answer["free"] is True and answer["derived"] == {"entries": [8]}
    assert [entry["id"] for entry in answer["receipt"]["derived_from"]] == [8]
    shown = desk.here("ask", by_region).out
    assert "free: from entry 8" in shown
    assert shown.count("the intervals cover the noise, not sampling error") == 1
    assert desk.spent() == "0.5"


def test_a_median_that_was_released_beside_a_count_is_not_paid_again(desk: Desk) -> None:
    both = "SELECT region, MEDIAN(salary) AS m, COUNT(*) AS n FROM staff GROUP BY region"
    first = desk.here("ask", both, "--epsilon", "0.5", "--json").json()
    alone = "SELECT region, MEDIAN(salary) AS m FROM staff GROUP BY region"
    offered = desk.here("preview", alone, "--epsilon", "0.5", "--plain").out
    assert "would cost epsilon 0.5" in offered and "or free, from entry 8" in offered
    again = desk.here("ask", alone, "--json").json()
    assert again["free"] is True and again["derived"] == {"entries": [8]}
    for row, before in zip(again["rows"], first["rows"], strict=True):
        assert row == {name: before[name] for name in row} and "m_low" in row
    assert desk.spent() == "0.5" and desk.here("ledger", "verify").code == 0


def test_all_intervals_hold_at_once_on_request(desk: Desk) -> None:
    by_region = "SELECT region, COUNT(*) AS n FROM staff GROUP BY region"
    alone = desk.here("ask", by_region, "--epsilon", "0.5", "--json").json()
    together = desk.here("ask", by_region, "--epsilon", "0.5", "--simultaneous", "--json").json()
    assert alone["simultaneous"] is None and together["simultaneous"]["intervals"] == 3
    assert together["rows"][0]["n_high"] > alone["rows"][0]["n_high"] and together["confidence"] == 0.95
    sentence = (
        "all 3 intervals hold together at 0.95 confidence, each by itself at 0.983048 (independent noise)"
    )
    assert sentence in " ".join(desk.here("ask", by_region, "--epsilon", "0.5", "--simultaneous").out.split())
    assert sentence in " ".join(
        desk.here("preview", by_region, "--epsilon", "0.5", "--simultaneous").out.split()
    )
