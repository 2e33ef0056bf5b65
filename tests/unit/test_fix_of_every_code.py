"""Every refusal that an analyst can meet in Python: what raises it, and its fix, which is Python that works when pasted.

Refusals of the text of a question are in tests/golden (test_refusals.py), each with its fix pasted. Here are those of calls.
What the fix says is read as arguments of the same call, or is done by hand where it is words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import lapcat
from tests.golden.corpus import REFUSED

DATA = pd.DataFrame(
    {
        "age": [20, 30, 40, 50],
        "name": ["Ann", "Bob", "Ann", "Bob"],
        "pid": [1, 2, 3, 4],
        "pay": [1.5, 2.5, 3.5, 4.5],
    }
)
COUNT = "SELECT COUNT(*) AS n FROM data"
BY_NAME = "SELECT name, COUNT(*) AS n FROM data GROUP BY name"
PRICED = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.1) COUNT(*) AS n FROM data"
SOURCE = Path(lapcat.__file__).parent


def table(**changed: Any) -> lapcat.Session:
    data = changed.pop("data", DATA)
    usual = {"unit": "row", "epsilon": 1, "bounds": {"age": (0, 99)}, "keys": {"name": ["Ann", "Bob"]}}
    return lapcat.table(data, **{**usual, **changed})


def rows() -> Any:
    return table().table("data")


def preview(sql: str = COUNT, **price: Any) -> object:
    return table().sql(sql).preview(**price)


def private(**price: Any) -> object:
    return table(keys={"name": "private"}, delta="1e-6").sql(BY_NAME).preview(**price)


def run(**price: Any) -> object:
    return table().sql(COUNT).run(**price)


@dataclass(frozen=True)
class Example:
    """A call that is refused: the arguments that the fix replaces, or what somebody does who follows its words."""

    call: Callable[..., object]
    wrong: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    """What the fix asks for: LOW and HIGH, or the … in it."""
    says: str = ""
    """Words of a fix that is no argument."""
    done: Callable[[], object] | None = None
    """What those words make of the call."""


KEYS = {'"…"': '"Ann"'}
EXAMPLES: Mapping[str, Example] = {
    "bounds-range": Example(table, {"bounds": {"age": (9, 0)}}),
    "bounds-type": Example(table, {"bounds": {"name": (0, 9)}}, says="keys={'name': [\"…\"]}", done=lambda: table(keys={"name": ["Ann"]})),
    "budget-range": Example(table, {"epsilon": 0}),
    "column-twice": Example(
        lambda: table(data=pd.DataFrame([[1, 2]], columns=["age", "age"]), keys={}),
        says="rename one",
        done=lambda: table(data=pd.DataFrame([[1, 2]], columns=["age", "years"]), keys={}),
    ),
    "frame-unknown": Example(
        lambda: lapcat.table([1, 2], unit="row", epsilon=1),
        says='lapcat.table({"age": [34, 51], "region": ["north", "south"]}, …)',
        done=lambda: lapcat.table({"age": [34, 51], "region": ["north", "south"]}, unit="row", epsilon=1),
    ),
    "keys-range": Example(table, {"keys": {"name": []}}, KEYS),
    "keys-type": Example(table, {"keys": {"name": [3]}}, KEYS),
    "null-range": Example(table, {"null": {"age": 1000}}),
    "relation-unknown": Example(table, {"relation": "x"}),
    "rows-per-unit-missing": Example(lambda **own: table(unit="pid", **own)),
    "type-unknown": Example(table, {"types": {"name": "x"}}, says="one of: integer, float, text", done=lambda: table(types={"name": "text"})),
    "today-date": Example(table, {"today": "tomorrow"}),
    "today-missing": Example(
        lambda: preview(f"{COUNT} WHERE CURRENT_DATE > DATE '2024-01-01'", epsilon=1),
        says='lapcat.table(..., today="2024-06-30")',
        done=lambda: table(today="2024-06-30").sql(f"{COUNT} WHERE CURRENT_DATE > DATE '2024-01-01'").preview(epsilon=1),
    ),
    "units": Example(lambda **own: table(units=4, **own)),
    "units-differ": Example(lambda **own: table(relation="replace-one", **own), {"units": 5}),
    "whole-number": Example(lambda **own: table(unit="pid", **own), {"rows_per_unit": 0}),
    "unknown-column": Example(table, {"bounds": {"aeg": (0, 9)}}, says="'age'", done=lambda: table(bounds={"age": (0, 9)})),
    "protects-nobody": Example(table, {"epsilon": 1000}),
    "question-text": Example(
        lambda: table().sql(3),  # type: ignore[arg-type]
        says='db.sql("SELECT COUNT(*) AS n FROM data")',
        done=lambda: table().sql("SELECT COUNT(*) AS n FROM data"),
    ),
    "unknown-table": Example(lambda: table().schema("x"), says="one of: data", done=lambda: table().schema("data")),
    "price-missing": Example(preview),
    "price-twice": Example(lambda **own: preview(PRICED, **own), {"epsilon": "0.2"}, says="ask with epsilon=0.1", done=lambda: preview(PRICED, epsilon="0.1")),
    "epsilon-range": Example(preview, {"epsilon": 0}),
    "delta-missing": Example(lambda **own: private(epsilon=1, **own)),
    "delta-range": Example(lambda **own: private(epsilon=1, **own), {"delta": 2}),
    "confidence-range": Example(lambda **own: preview(epsilon="0.1", **own), {"confidence": 2}),
    "rho-against-epsilon": Example(preview, {"rho": "0.01"}),
    "price-below-floor": Example(preview, {"epsilon": "1e-9"}),
    "error-range": Example(preview, {"error": 0}),
    "error-relative": Example(preview, {"error": "5%"}, says="error=500", done=lambda: preview(error=500)),
    "error-unknown-n": Example(
        lambda: preview("SELECT AVG(age) AS a FROM data", error=1),
        says="ask with epsilon=0.1",
        done=lambda: preview("SELECT AVG(age) AS a FROM data", epsilon="0.1"),
    ),
    "budget-exceeded": Example(run, {"epsilon": 5}),
    "batch-empty": Example(
        lambda: table().batch([], epsilon=1).run(),
        says="db.batch([",
        done=lambda: table().batch([COUNT], epsilon=1).preview(),
    ),
    "batch-exceeded": Example(lambda **own: table(epsilon=5).batch([(COUNT, 0.5)], **own).preview(), {"epsilon": "0.01"}),
    "workload-empty": Example(lambda: table().workload([]), says="db.workload([", done=lambda: table().workload([COUNT])),
    "workload-table": Example(
        lambda: table().workload([COUNT], table="data"),  # type: ignore[call-overload]
        says="leave table and where out",
        done=lambda: table().workload([COUNT]),
    ),
    "workload-price": Example(
        lambda: table().workload([PRICED, COUNT]).preview(epsilon=1),
        says="leave epsilon and delta out of OPTIONS",
        done=lambda: table().workload([COUNT, COUNT.replace(" n ", " m ")]).preview(epsilon=1),
    ),
    "request-key": Example(lambda **own: run(epsilon="0.1", **own), {"key": ""}),
    "timeout-range": Example(lambda **own: run(epsilon="0.1", **own), {"timeout": -1}),
    "timeout-long": Example(lambda **own: run(epsilon="0.1", **own), {"timeout": 10**9}),
    "expression-text": Example(
        lambda: rows().where("age > 3; x").agg(n=lapcat.count()).preview(epsilon=1),
        says="one expression for each argument",
        done=lambda: rows().where("age > 3").agg(n=lapcat.count()).preview(epsilon=1),
    ),
    "measure-unknown": Example(
        lambda: rows().agg(n=3), says='.agg(pay=lapcat.mean("salary"))', done=lambda: rows().agg(pay=lapcat.mean("age"))
    ),
    "join-how": Example(lambda **own: table(unit="pid", rows_per_unit=3).table("data").join("data", on="pid", **own), {"how": "x"}),
    "step-empty": Example(lambda: rows().group_by(), says=".agg(…) alone", done=lambda: rows().agg(n=lapcat.count())),
    "step-number": Example(
        lambda: rows().agg(n=lapcat.count()).limit(-1), says=".limit(10)", done=lambda: rows().agg(n=lapcat.count()).limit(10)
    ),
    "step-order": Example(
        lambda: rows().agg(n=lapcat.count()).where("n > 3"),
        says=".having(…)",
        done=lambda: rows().agg(n=lapcat.count()).having("n > 3"),
    ),
    "rows-wanted": Example(lambda: rows().join(3, on="pid"), says=".join(", done=lambda: table(unit="pid", rows_per_unit=3).table("data").join("data", on="pid")),
    "unit-column": Example(
        lambda: rows().per_unit(n=lapcat.count()), says=".agg(…) without per_unit", done=lambda: rows().agg(n=lapcat.count())
    ),
    "too-long": Example(lambda: preview(COUNT + " " * 70_000, epsilon=1), says="ask for less at once", done=lambda: preview(epsilon=1)),
    "text-too-long": Example(
        lambda: preview(f"{COUNT} WHERE name = '{'x' * 5000}'", epsilon=1),
        says="compare with its first characters, by LIKE",
        done=lambda: preview(f"{COUNT} WHERE name LIKE 'xxxxx%'", epsilon=1),
    ),
    "beyond-limit": Example(
        lambda: preview(f"SELECT {', '.join(f'COUNT(*) FILTER (WHERE age > {n}) AS n{n}' for n in range(300))} FROM data", epsilon=1),
        says="ask for fewer aggregates at once",
        done=lambda: preview(epsilon=1),
    ),
}  # fmt: skip
STEWARD = "the steward's, about files and what was accepted: init, check, accept and refresh raise it"
ELSEWHERE = {
    "analyst-missing": "of lapcat.open with a catalogue that names analysts: tests/e2e/test_commands.py",
    "analyst-unknown": "of lapcat.open with a catalogue that names analysts: tests/e2e/test_bad_input.py",
    "table-not-granted": "of lapcat.open with a catalogue that names analysts: tests/e2e/test_commands.py",
    "answer-foreign": "of the local model: tests/local",
    "local-missing": "of the local model: tests/local",
    "survey-missing": "of the local model: tests/local",
    "reports-unreadable": "of the local model: tests/local",
    **dict.fromkeys(
        (
            "catalogue", "catalogue-missing", "catalogue-syntax", "engines-differ", "ledger-exists", "meaning-differs",
            "never-refreshed", "not-parallel", "nothing-to-adopt", "renamed-spent", "snapshot-needed", "snapshot-stale",
            "snapshot-there", "snapshot-unknown", "spent-otherwise", "table-gone", "table-not-gone", "version-changed",
        ),
        STEWARD,
    ),
    "today-differs": "of tables that were refreshed with different dates: tests/unit/test_today.py",
    "delta-unused": "raised where a question has no private groups and the budget no delta: tests/e2e/test_bad_input.py",
    "extra-missing": "raised where a data frame library is not installed",
    "join-on": "of a join without a column to compare: tests/unit/test_frame.py",
    "keys-list": "of keys that are none: tests/unit/test_frame.py",
    "name-empty": "of a name that no question could write: tests/unit/test_frame.py",
    "error-too-small": "needs an epsilon that protects nobody: tests/e2e/test_bad_input.py",
    "workload-mixed": "about several questions that are asked together: tests/unit/test_merged_query.py",
    "parser-differs": "about the installed SQLGlot: tests/unit/test_parser.py",
    "column-type": "of cells that do not fit a declared type: tests/engines/test_snapshots.py",
}  # fmt: skip
"""Codes without an example here, and why."""
WORKLOADS = "of lapcat.Workload, whose arguments are matrices and ways: tests/workload"


def raised_codes() -> set[str]:
    """The codes of refusals that the session and the front-end raise."""
    files = [*(SOURCE / "session").rglob("*.py"), *(SOURCE / "frontend").rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r"\b(?:BadQuery|BadArgument|Refused|BudgetExceeded)\(\s*\"([a-z-]+)\"", text))


def refusal(call: Callable[..., object], **arguments: Any) -> lapcat.Error:
    with pytest.raises(lapcat.Error) as caught:
        call(**arguments)
    return caught.value


def test_the_fix_of_every_refusal_code_is_tested() -> None:
    golden = {case.read("error.txt").partition("[")[2].partition("]")[0] for case in REFUSED}
    raised = raised_codes()
    assert len(raised) > 80, "the codes are found by how they are written"
    untested = raised - golden - set(EXAMPLES) - set(ELSEWHERE)
    assert {code for code in untested if not code.startswith("workload-")} == set(), WORKLOADS
    assert set(EXAMPLES) & set(ELSEWHERE) == set()


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_fix_in_python_works_when_pasted(code: str) -> None:
    example = EXAMPLES[code]
    error = refusal(example.call, **example.wrong)
    assert error.code == code and error.fix
    assert "--" not in error.fix, "a call has no options"
    if example.done is not None:
        assert example.says and example.says in error.fix
        example.done()
        return
    pasted = error.fix
    for asked, value in example.given.items():
        pasted = pasted.replace(asked, value)
    argument = re.match(r"\w+=(?:\{.*?\}|\"[^\"]*\"|[^,;\s]+)", pasted)
    assert argument, pasted
    arguments = eval(f"dict({argument[0]})", {})  # what somebody pastes
    replaced = {
        name: value
        for name, value in example.wrong.items()
        if name not in ("rho", "error") or name in arguments
    }
    example.call(**{**replaced, **arguments})
