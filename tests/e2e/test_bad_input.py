"""Bad input gets a clear error, and nothing is spent."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.e2e.kit import Desk

COUNT = "SELECT COUNT(*) AS n FROM staff"
NESTED = "SELECT COUNT(*) FROM staff WHERE " + "(" * 10_000 + "age = 1" + ")" * 10_000


@dataclass(frozen=True)
class Case:
    """What is typed, and the error that comes of it."""

    name: str
    code: str
    exit: int
    sql: str = COUNT
    price: tuple[str, ...] = ("--epsilon", "0.1")
    says: tuple[str, ...] = ()
    at: int | None = None
    """The column of the caret, 1-based."""
    arguments: tuple[str, ...] = field(default=())
    """Instead of `ask` with the question and its price."""

    def typed(self) -> tuple[str, ...]:
        typed = self.arguments or ("ask", self.sql, *self.price)
        return typed if "--json" in typed else (*typed, "--json")


QUESTIONS = (
    Case(
        "unknown table", "unknown-table", 2, "SELECT COUNT(*) FROM staf", says=("did you mean staff?",), at=22
    ),
    Case(
        "unknown column",
        "unknown-column",
        2,
        "SELECT AVG(salry) FROM staff",
        says=("did you mean salary?",),
        at=12,
    ),
    Case("undeclared column", "unknown-column", 2, "SELECT COUNT(shoe) FROM staff", says=("'shoe'",)),
    Case("missing bounds", "bounds-missing", 3, "SELECT AVG(bonus) FROM staff", says=("needs bounds",), at=8),
    Case("undeclared keys", "keys-missing", 3, "SELECT city, COUNT(*) FROM staff GROUP BY city", at=43),
    Case("rows", "row-level", 3, "SELECT salary FROM staff", says=("single rows",), at=8),
    Case("every column", "row-level", 3, "SELECT * FROM staff"),
    Case("a row beside an aggregate", "not-grouped", 2, "SELECT age, COUNT(*) FROM staff"),
    Case(
        "statements about different rows", "workload-mixed", 2, f"{COUNT}; SELECT COUNT(*) AS n FROM visits"
    ),
    Case("not SQL", "syntax", 2, "SELEC COUNT(*) FROM staff"),
    Case("an open quote", "syntax", 2, "SELECT COUNT(*) FROM staff WHERE city = 'x"),
    Case("an empty question", "syntax", 2, " "),
    Case("no table", "no-table", 2, "SELECT COUNT(*)"),
    Case("a write", "not-a-select", 2, "DROP TABLE staff"),
    Case("a file as a table", "unsupported", 2, "SELECT COUNT(*) FROM read_csv('visits.csv')"),
    Case("an unknown aggregate", "unknown-aggregate", 2, "SELECT STRING_AGG(city) FROM staff"),
    Case("types that do not fit", "type-mismatch", 2, f"{COUNT} WHERE age > 'old'"),
    Case("names that collide", "name-taken", 2, "SELECT COUNT(*) AS n, COUNT(*) AS n_low FROM staff"),
    Case(
        "a position that is not there", "group-position", 2, "SELECT region, COUNT(*) FROM staff GROUP BY 3"
    ),
    Case(
        "too many groups",
        "too-many-groups",
        3,
        "SELECT COUNT(*) FROM staff GROUP BY CLAMP(age * 9999999, 0, 99999999)",
    ),
    Case("nested 10 000 deep", "too-deep", 2, NESTED),
    Case("a join of strangers", "different-people", 3, f"{COUNT} JOIN visits ON staff.age = visits.cost"),
    Case("IN (SELECT)", "sub-query-of-many", 3, f"{COUNT} WHERE age IN (SELECT cost FROM visits)"),
    Case("DISTINCT rows", "row-level", 3, "SELECT DISTINCT region FROM staff"),
    Case("each row with each", "join-of-rows", 3, "SELECT COUNT(*) FROM staff, visits"),
    Case("a query in WITH that is not used", "with-unused", 2, f"WITH s AS (SELECT * FROM staff) {COUNT}"),
)
UNSUPPORTED = {
    "LIMIT": f"{COUNT} LIMIT 1.5",
    "DISTINCT ON": "SELECT DISTINCT ON (region) region, COUNT(*) FROM staff GROUP BY region",
    "SUM(DISTINCT)": "SELECT SUM(DISTINCT age) FROM staff",
    "WITH RECURSIVE": "WITH RECURSIVE s AS (SELECT age FROM staff UNION ALL SELECT age + 1 FROM s) SELECT COUNT(*) FROM s",
    "INTERSECT": f"{COUNT} INTERSECT {COUNT}",
    "EXISTS": f"{COUNT} WHERE EXISTS (SELECT 1 FROM visits)",
    "a window": "SELECT SUM(salary) OVER () FROM staff",
    "a pivot": "SELECT * FROM staff PIVOT (COUNT(*) FOR region IN ('a'))",
    "TABLESAMPLE": "SELECT COUNT(*) FROM staff TABLESAMPLE 10%",
    "a full join": f"{COUNT} FULL JOIN visits ON staff.age = visits.cost",
    "a regular expression": f"{COUNT} WHERE regexp_matches(city, 'x')",
    "a random number": f"{COUNT} WHERE random() < 0.5",
    "a file function": f"{COUNT} WHERE city = getenv('HOME')",
    "PIVOT": "PIVOT staff ON region USING COUNT(*)",
}
CLAUSES = tuple(
    Case(name, "not-a-select" if name == "PIVOT" else "unsupported", 2, sql)
    for name, sql in UNSUPPORTED.items()
)
PRICES = (
    Case("no price", "price-missing", 2, price=()),
    Case("two prices", "price-missing", 2, price=("--epsilon", "1", "--error", "5")),
    Case("epsilon zero", "epsilon-range", 2, price=("--epsilon", "0")),
    Case("epsilon negative", "epsilon-range", 2, price=("--epsilon", "-1")),
    Case("epsilon NaN", "number-unreadable", 2, price=("--epsilon", "NaN")),
    Case("epsilon inf", "number-unreadable", 2, price=("--epsilon", "inf")),
    Case("epsilon abc", "number-unreadable", 2, price=("--epsilon", "abc")),
    Case("epsilon with a comma", "number-unreadable", 2, price=("--epsilon", "0,1")),
    Case("epsilon 1e999", "number-too-large", 2, price=("--epsilon", "1e999")),
    Case(
        "epsilon above the cap", "budget-exceeded", 4, price=("--epsilon", "3.0001"), says=("epsilon 3 left",)
    ),
    Case(
        "epsilon that protects nobody", "protects-nobody", 3, price=("--epsilon", "1000"), says=("certain",)
    ),
    Case("rho against epsilon", "rho-against-epsilon", 3, price=("--rho", "0.1")),
    Case("delta that nothing uses", "delta-unused", 2, price=("--epsilon", "1", "--delta", "1e-7")),
    Case("confidence", "confidence-range", 2, price=("--epsilon", "1", "--confidence", "1")),
    Case("error zero", "error-range", 2, price=("--error", "0")),
    Case("error relative", "error-relative", 3, price=("--error", "5%")),
    Case("error too small", "error-too-small", 3, "SELECT SUM(salary) FROM staff", price=("--error", "1")),
    Case(
        "error of an average", "error-unknown-n", 3, "SELECT AVG(salary) FROM staff", price=("--error", "500")
    ),
)
USAGE = (
    Case("an unknown command", "usage", 2, arguments=("aks",), says=("did you mean ask?",)),
    Case("an unknown option", "usage", 2, price=("--epsilonn", "1"), says=("--epsilon",)),
    Case("an option without its value", "usage", 2, arguments=("accept", "--json", "--reason")),
    Case("no reason", "usage", 2, arguments=("accept",), says=("--reason",)),
    Case("an empty reason", "reason-missing", 2, arguments=("accept", "--reason", " ")),
    Case("no question", "question-missing", 2, arguments=("ask", "--epsilon", "1")),
    Case("two questions", "question-missing", 2, arguments=("ask", COUNT, "-f", "x.sql", "--epsilon", "1")),
    Case(
        "a question file that is not there",
        "question-file",
        2,
        arguments=("ask", "-f", "x.sql", "--epsilon", "1"),
    ),
    Case(
        "a question file that is no text",
        "question-file",
        2,
        arguments=("ask", "-f", "staff.parquet", "--epsilon", "1"),
    ),
    Case("two forms", "forms-conflict", 2, price=("--epsilon", "1", "--csv")),
    Case(
        "no place for the receipt", "receipt-file", 2, price=("--epsilon", "1", "--receipt", "no/such/r.json")
    ),
    Case("an unknown table to resume", "unknown-table", 2, arguments=("resume", "staf", "--reason", "x")),
    Case("an unknown table to refresh", "unknown-table", 2, arguments=("refresh", "staf"), says=("staff",)),
    Case(
        "an unknown table's schema",
        "unknown-table",
        2,
        arguments=("schema", "visit"),
        says=("did you mean visits?",),
    ),
    Case(
        "a missing catalogue",
        "catalogue-missing",
        2,
        arguments=("budget", "-c", "nowhere.toml"),
        says=("nowhere.toml",),
    ),
    Case("a catalogue that is a folder", "catalogue-missing", 2, arguments=("budget", "-c", "lapcat.cache")),
    Case("an analyst where there is none", "analyst-unknown", 2, price=("--epsilon", "1", "--as", "eve")),
)
CASES = (*QUESTIONS, *CLAUSES, *PRICES, *USAGE)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_gets_a_clear_error(case: Case, shared_desk: Desk) -> None:
    done = shared_desk.here(*case.typed())
    assert (done.code, done.out) == (case.exit, ""), done
    error = done.error()
    assert error["code"] == case.code, error
    assert error["message"] and error["fix"], error
    for words in case.says:
        assert words in error["message"] or words in error["fix"], error
    if case.at is not None:
        assert (error["line"], error["column"]) == (1, case.at), error


BY_EXIT = {case.exit: case for case in reversed(CASES)}


@pytest.mark.parametrize("case", BY_EXIT.values(), ids=lambda case: f"exit {case.exit}")
def test_the_installed_command_says_the_same(case: Case, shared_desk: Desk) -> None:
    assert shared_desk.run(*case.typed()) == shared_desk.here(*case.typed())


def test_a_text_over_64_kb_is_refused_before_it_is_read(shared_desk: Desk) -> None:
    long = COUNT + " WHERE age = 1" + " OR age = 2" * 7_000
    (shared_desk.folder / "long.sql").write_text(long, encoding="utf-8")
    done = shared_desk.here("ask", "-f", "long.sql", "--epsilon", "0.1", "--json")
    assert done.code == 2 and done.error()["code"] == "too-long"
    done = shared_desk.here("ask", "-", "--epsilon", "0.1", "--json", stdin="é" * 50_000)
    assert done.code == 2 and done.error()["code"] == "too-long"


def test_after_all_of_this_nothing_is_spent(shared_desk: Desk) -> None:
    """And one wrong question more, so that this test says something alone too."""
    assert shared_desk.here("ask", "SELECT salary FROM staff", "--epsilon", "1").code == 3
    budget = shared_desk.run("budget", "--json").json()
    assert all(gauge["spent"] == {"epsilon": "0"} for gauge in budget["tables"].values())


def test_an_error_for_a_person_points_at_the_place_and_says_why_and_how_to_mend_it(shared_desk: Desk) -> None:
    done = shared_desk.ask("SELECT region, AVG(bonus) FROM staff GROUP BY region", "--epsilon", "0.1")
    assert done.code == 3 and done.out == ""
    what, sql, caret, why, fix = done.err.splitlines()
    assert what == "Refused [bounds-missing]: AVG(bonus) needs bounds for bonus"
    assert sql == "  SELECT region, AVG(bonus) FROM staff GROUP BY region"
    assert caret == "                 ^^^^^^^^^^"
    assert why.startswith("  why: ") and fix.startswith("  fix: give the bounds of bonus")


def test_fixes_work_when_pasted(desk: Desk) -> None:
    """What the error proposes is put in its place, and the question is answered."""
    bounds = desk.here("ask", "SELECT AVG(bonus) AS bonus FROM staff", "--epsilon", "0.1", "--json").error()
    assert "CLAMP(bonus, LOW, HIGH)" in bounds["fix"]
    clamped = desk.here(
        "ask", "SELECT AVG(CLAMP(bonus, 0, 200000)) AS bonus FROM staff", "--epsilon", "0.1", "--json"
    )
    assert clamped.code == 0
    fix = desk.here("ask", COUNT, "--epsilon", "0", "--json").error()["fix"]
    assert desk.here("ask", COUNT, *fix.split(), "--json").code == 0
    fix = desk.here("ask", COUNT, "--epsilon", "9", "--json").error()["fix"]
    assert fix.startswith("--epsilon ")
    assert desk.here("ask", COUNT, *fix.split(), "--json").code == 0
    assert desk.here("budget", "--json").json()["tables"]["staff"]["left"] == {"epsilon": "0"}
    steward = desk.here("ask", "SELECT COUNT(*) AS again FROM staff WHERE age > 3", "--epsilon", "0.1")
    assert steward.code == 4 and "lapcat accept --reason" in steward.err
    keys = desk.here(
        "ask", "SELECT city, COUNT(*) FROM staff GROUP BY city", "--epsilon", "0.1", "--json"
    ).error()["fix"]
    declared = keys.split(": ")[1].split(" under ")[0].replace("…", "here")
    text = desk.catalogue.read_text(encoding="utf-8").replace('city   = { type = "text" }', declared)
    desk.catalogue.write_text(
        text.replace("budget = { epsilon = 3 }", "budget = { epsilon = 6 }"), encoding="utf-8"
    )
    assert desk.here("accept", "--reason", "pasted").code == 0
    assert (
        desk.here("ask", "SELECT city, COUNT(*) AS n FROM staff GROUP BY city", "--epsilon", "0.1").code == 0
    )
