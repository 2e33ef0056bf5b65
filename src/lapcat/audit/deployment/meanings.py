"""Answers with almost no noise against plain SQL over the same rows.

The rows are within their bounds and no unit has more than one, so nothing is clamped or dropped; some have undeclared keys, and
some lack a number. At a price where noise is negligible, the whole path must agree with DuckDB on the same text: exactly if noise
cannot change an integer, else within an interval that misses with probability 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapcat.audit.deployment.asking import in_rho, program_at
from lapcat.audit.deployment.check import COMPARED, PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, World, types_of, with_gaps
from lapcat.audit.deployment.questions import ExampleQuestion, meanings_of, pairs_of
from lapcat.engines.duckdb.fixtures import plain_rows
from lapcat.errors import BadQuery, Refused
from lapcat.plan.schema import SpendingLimit
from lapcat.plan.words import sql_name
from lapcat.session.results import Answer
from lapcat.workload.strategic import strategy_in

PRICES = {"epsilon": Fraction(10**6), "rho": Fraction(10**5)}
"""The price of a question, by the kind of the budget."""
MANY = 80
"""The number of questions that the budget covers."""
SURE = 1 - Fraction(1, 10**9)
"""The confidence of an interval that must hold; an audit checks some hundreds."""
QUIET = 1e-3
"""A standard deviation at which noise changes no integer, nor a sum of a hundred of them."""
ROUNDING = 1e-6
"""The relative rounding error of a sum on its grid."""


def meanings(family: Family, folder: Path) -> Iterator[Check]:
    """Every aggregate, ungrouped and by keys, in sub-totals and running totals, and workloads of several questions."""
    rows = with_gaps(family)
    kind = "epsilon" if family.tables[0].limit.rho is None else "rho"
    enough = SpendingLimit(**{kind: PRICES[kind] * MANY}, delta=Fraction(9, 10), i_understand="fixture rows")
    copy = copied(family, rows, folder, enough)
    try:
        for table in family.tables:
            if table.unit.through is not None:
                continue
            for together in (*([asked] for asked in meanings_of(table)), pairs_of(table)):
                quiet = len(together) == 1 and _is_quiet(copy, together[0])
                for asked, answer in zip(together, _answers(copy, together), strict=False):
                    yield Check(
                        "meaning",
                        asked.aggregate,
                        "–",
                        copy.engine,
                        COMPARED,
                        asked.text,
                        _another(copy, asked, answer, rows, quiet=quiet),
                    )
            text = f"SELECT COUNT(*) AS a,, COUNT(*) AS b FROM {sql_name(table.name)}"
            wrong = "it is parsed as if there were one comma" if _is_parsed(copy, text) else ""
            yield Check("meaning", "any", "–", copy.engine, PROVED, text, wrong)
    finally:
        copy.remove()


def _is_parsed(copy: Copy, text: str) -> bool:
    try:
        copy.session().sql(text).sensitivity()
    except BadQuery:
        return False
    return True


def _answers(copy: Copy, questions: Sequence[ExampleQuestion]) -> list[Answer]:
    """The answers; empty if lapcat refuses."""
    kind = "rho" if in_rho(copy) else "epsilon"
    price: dict[str, Any] = {kind: PRICES[kind], "confidence": SURE}
    session = copy.session()
    try:
        if len(questions) == 1:
            return [session.sql(questions[0].text).run(**price)]
        return session.workload([asked.text for asked in questions]).run(**price) if questions else []
    except (BadQuery, Refused):
        return []


def _is_quiet(copy: Copy, asked: ExampleQuestion) -> bool:
    """Whether the noise cannot change an integer of the answer."""
    program = program_at(copy, asked.text, PRICES["rho" if in_rho(copy) else "epsilon"])
    if program is None:
        return False
    strategy = strategy_in(program)
    if strategy is not None:
        return float(strategy.inner.candidate.sds.max()) < QUIET
    measured = zip(program.measurements, program.prepared.labels, strict=True)
    return all(
        (law := m.mechanism.law()) is None or float(label.step) * law.sd < QUIET for m, label in measured
    )


def _another(copy: Copy, asked: ExampleQuestion, answer: Answer, rows: World, *, quiet: bool) -> str:
    """The problem if the answer disagrees with plain SQL; empty if they agree."""
    types = {table.name: types_of(table) for table in copy.family.everything}
    plain = {_keys(row): row for row in plain_rows(asked.text, rows, types)}
    for row in answer.rows:
        expected = plain.get(_keys(row))
        for field in answer.fields:
            name = field.name
            if field.role != "value" or expected is None:
                continue  # not a number, or an empty group
            value, true = row[name], expected[name]
            if true is None or value is None:
                continue  # if SQL returns NULL, the answer is noise
            exact = quiet and field.type == "integer"
            low, high = (value, value) if exact else (row[f"{name}_low"], row[f"{name}_high"])
            near = ROUNDING * (1 + abs(true))
            if (low is not None and true < low - near) or (high is not None and true > high + near):
                return f"{name} is {value:.6g}; plain SQL returns {true:.6g}"
    return ""


def _keys(row: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(value for name, value in row.items() if name.startswith("k"))
