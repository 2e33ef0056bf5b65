"""Whether an answer is an answer to its question: next to no noise, against what plain SQL says of the same rows.

The rows are within their bounds and no unit has more than one, so that nothing is clamped or left out; some have no key that is
declared, and some lack a number. At a price at which noise is far below everything else, the whole path must say what DuckDB says
of the same text: where noise moves no whole number they are the same, and else within an interval that misses once in a thousand
million times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapcat.audit.deployment.asking import in_rho, program_at
from lapcat.audit.deployment.check import COMPARED, PROVED, Check
from lapcat.audit.deployment.copies import Copy, copied
from lapcat.audit.deployment.fixtures import Family, World, types_of, with_gaps
from lapcat.audit.deployment.questions import ExampleQuestion, meanings_of, pairs_of
from lapcat.core.mechanisms.constant import Constant
from lapcat.engines.duckdb_fixtures import plain_rows
from lapcat.errors import BadQuery, Refused
from lapcat.plan.schema import SpendingLimit
from lapcat.plan.words import sql_name
from lapcat.session.results import Answer
from lapcat.workload.strategic import Strategic

DEAR = {"epsilon": Fraction(10**6), "rho": Fraction(10**5)}
"""What a question costs, by the kind of the budget."""
MANY = 80
"""Questions that a budget is enough for."""
SURE = 1 - Fraction(1, 10**9)
"""The confidence of an interval that must hold; there are some hundreds in an audit."""
QUIET = 1e-3
"""The standard deviation of noise that moves no whole number, nor a sum of a hundred of them."""
ROUNDING = 1e-6
"""Of a sum on its grid, relative."""


def meanings(family: Family, folder: Path) -> Iterator[Check]:
    """Every aggregate, alone and by keys, in sub-totals and running totals, and questions that are asked together."""
    rows = with_gaps(family)
    kind = "epsilon" if family.tables[0].limit.rho is None else "rho"
    enough = SpendingLimit(**{kind: DEAR[kind] * MANY}, delta=Fraction(9, 10), i_understand="made-up rows")
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
            wrong = "it is read as if there were one comma" if _is_read(copy, text) else ""
            yield Check("meaning", "any", "–", copy.engine, PROVED, text, wrong)
    finally:
        copy.remove()


def _is_read(copy: Copy, text: str) -> bool:
    try:
        copy.session().sql(text).sensitivity()
    except BadQuery:
        return False
    return True


def _answers(copy: Copy, questions: Sequence[ExampleQuestion]) -> list[Answer]:
    """What lapcat says; nothing where it refuses."""
    kind = "rho" if in_rho(copy) else "epsilon"
    price: dict[str, Any] = {kind: DEAR[kind], "confidence": SURE}
    session = copy.session()
    try:
        if len(questions) == 1:
            return [session.sql(questions[0].text).run(**price)]
        return session.workload([asked.text for asked in questions]).run(**price) if questions else []
    except (BadQuery, Refused):
        return []


def _is_quiet(copy: Copy, asked: ExampleQuestion) -> bool:
    """Whether noise moves no whole number of the answer."""
    program = program_at(copy, asked.text, DEAR["rho" if in_rho(copy) else "epsilon"])
    if program is None:
        return False
    if isinstance(program, Strategic):
        return float(program.of[1].candidate.sds.max()) < QUIET
    measured = zip(program.measurements, program.prepared.labels, strict=True)
    return all(
        isinstance(m.mechanism, Constant) or float(label.step) * math.sqrt(m.mechanism.law().variance) < QUIET
        for m, label in measured
    )


def _another(copy: Copy, asked: ExampleQuestion, answer: Answer, rows: World, *, quiet: bool) -> str:
    """What the answer says and plain SQL does not; empty where they agree."""
    types = {table.name: types_of(table) for table in copy.family.everything}
    plain = {_keys(row): row for row in plain_rows(asked.text, rows, types)}
    for row in answer.rows:
        expected = plain.get(_keys(row))
        for field in answer.fields:
            name = field.name
            if field.role != "value" or expected is None:
                continue  # not a number, or a group in which nobody is
            said, true = row[name], expected[name]
            if true is None or said is None:
                continue  # where SQL says NULL, lapcat says what follows from the noise
            exact = quiet and field.type == "integer"
            low, high = (said, said) if exact else (row[f"{name}_low"], row[f"{name}_high"])
            near = ROUNDING * (1 + abs(true))
            if (low is not None and true < low - near) or (high is not None and true > high + near):
                return f"{name} is {said:.6g}, and plain SQL says {true:.6g}"
    return ""


def _keys(row: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(value for name, value in row.items() if name.startswith("k"))
