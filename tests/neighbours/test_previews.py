"""Cost, refusal, preview and explanation are functions of the plan, the catalogue and the ledger, never of rows."""

from __future__ import annotations

import datetime
import json
from functools import cache
from random import Random

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neighbour_kit import TYPES, contents, questions

import lapcat

REFUSED = [
    "SELECT x FROM data",
    "SELECT SUM(raw) AS s FROM data",
    "SELECT t, COUNT(*) AS n FROM data GROUP BY t",
    "SELECT COUNT(*) AS n FROM data WHERE nothing = 1",
    "SELECT COUNT(*) AS n FROM data WHERE k = 3",
    "SELECT STRING_AGG(x) AS m FROM data",
    "SELECT COUNT(*) AS n FROM data ORDER BY 2",
    "SELECT 1 / 0 AS n FROM data",
]


def typed(name: str, cell: object) -> object:
    """What a frame of the declared types holds: a cell of another type becomes NULL."""
    kinds = {"float": float, "integer": int, "text": str, "boolean": bool, "date": datetime.date}
    return cell if isinstance(cell, kinds[TYPES[name]]) else None


@cache
def held(seed: int, people: int) -> lapcat.Session:
    """Tables that agree in nothing but what is declared."""
    dice = Random(seed)
    rows = [{**contents(dice), "person": dice.randrange(people)} for _ in range(people * 2)]
    frame = pd.DataFrame(
        {name: pd.Series([typed(name, row[name]) for row in rows], dtype=object) for name in TYPES}
    )
    return lapcat.table(
        frame,
        unit="person",
        rows_per_unit=3,
        epsilon=5,
        types={name: str(kind) for name, kind in TYPES.items()},
        bounds={"x": (-3.5, 10.3), "y": (1, 9.7), "a": (0, 40), "b": (-7, 4)},
        null={"y": 2, "b": 0},
        keys={"k": ["p", "q", "r"], "o": ["p", "q"], "z": range(5)},
    )


def told(session: lapcat.Session, text: str, epsilon: str) -> str:
    """Everything that lapcat tells about a question before it is paid for."""
    try:
        question = session.sql(text)
        preview = question.preview(epsilon=epsilon)
        return "\n".join(
            [
                json.dumps(preview.as_json()),
                str(preview),
                json.dumps(question.sensitivity().as_json()),
                question.explain(epsilon=epsilon),
            ]
        )
    except lapcat.Error as error:
        return str(error)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(text=questions("data"), epsilon=st.sampled_from(["0.1", "1", "4.9", "5.1", "11", "0", "-1"]))
def test_previews_and_refusals_are_the_same_whatever_the_rows(text: str, epsilon: str) -> None:
    assert told(held(1, 3), text, epsilon) == told(held(2, 400), text, epsilon)


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_are_the_same_whatever_the_rows(text: str) -> None:
    refusal = told(held(1, 3), text, "1")
    assert refusal == told(held(2, 400), text, "1")
    assert refusal.startswith(("Refused [", "BadQuery ["))


@pytest.mark.parametrize("epsilon, refused", [("2", False), ("3.5", True)])
def test_what_is_left_and_what_is_refused_for_it_are_the_same_whatever_the_rows(
    epsilon: str, refused: bool
) -> None:
    """After the same question was paid for on both, though its answers differ."""
    outcomes = []
    for seed, people in ((3, 5), (4, 300)):
        session = held(seed, people)
        session.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=2)
        try:
            session.sql("SELECT COUNT(x) AS n FROM data").run(epsilon=epsilon)
            outcomes.append("paid")
        except lapcat.BudgetExceeded as error:
            outcomes.append(str(error))
        outcomes.append(json.dumps(session.budget().as_json()))
    assert outcomes[:2] == outcomes[2:]
    held.cache_clear()
    assert (outcomes[0] != "paid") == refused
