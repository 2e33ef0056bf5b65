"""What this version writes, written out: later versions read each of these as it is, and write it the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lapcat.core.event_codec import event_from_json
from lapcat.stored.digest import canonical
from lapcat.stored.scopes import Scope
from lapcat.workload.specification import specification_in, specification_of, strategy_of
from lapcat.workload.workload import Workload
from tests.workload.test_optimised import over

STRATEGIES = {
    "direct": '{"strategy":"direct"}',
    "square root": '{"grid":65536,"size":6,"strategy":"square-root"}',
    "optimised": '{"axes":[{"block":2,"column":7,"size":6,"sums":[[[0,3,1]],[[1,2,4]]]}],"strategy":"weighted"}',
    "tree 2-3": '{"chains":[[6,3,1]],"name":"tree 2-3","parts":[{"apart":false,"levels":[1]},{"apart":true,"levels":[2]}],"strategy":"nested"}',
}
LAPLACE = {"event": "laplace", "label": "a part", "l1": "2", "scale": "4"}
GAUSSIAN = {"event": "gaussian", "label": "a part", "l2_squared": "2", "sigma_squared": "4"}
EVENTS: list[dict[str, Any]] = [
    {"event": "joint", "most": 1, "parts": [LAPLACE]},
    {"event": "joint", "most": 1, "parts": [LAPLACE], "strategy": json.loads(STRATEGIES["tree 2-3"])},
    {
        "event": "concentrated",
        "most": 1,
        "parts": [GAUSSIAN],
        "quoted": {"order": "3", "delta": "0.000001"},
        "strategy": json.loads(STRATEGIES["optimised"]),
    },
]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_is_built_from_its_specification_and_written_the_same(name: str) -> None:
    strategy = strategy_of(over(Workload.prefixes("x"), 6), STRATEGIES[name])
    assert strategy.name == name and specification_of(strategy) == STRATEGIES[name]


@pytest.mark.parametrize("written", EVENTS, ids=lambda event: f"{event['event']} {len(event)}")
def test_an_event_is_read_and_written_the_same(written: dict[str, Any]) -> None:
    event = event_from_json(written)
    assert event.as_json() == written
    specification = specification_in(event)
    assert (None if specification is None else json.loads(specification)) == written.get("strategy")


@pytest.mark.parametrize(
    "written",
    ["table:a.csv", "block:a.csv#7", "population:people", "analyst:ana@a.csv", "analyst:ana@a.csv#7"],
)
def test_a_scope_is_read_and_written_the_same(written: str) -> None:
    assert str(Scope.read(written, ["a.csv"])) == written


def test_plain_values_have_one_form() -> None:
    """Numbers are exact, floats by their bits, moments by ISO 8601."""
    from datetime import date, datetime
    from fractions import Fraction

    values = (
        True,
        3,
        0.1,
        Fraction(1, 3),
        "a",
        None,
        date(2024, 2, 29),
        datetime(2024, 2, 29, 12),
        range(2, 5),
    )
    assert canonical(values) == [
        True, 3, ["float", "0x1.999999999999ap-4"], ["exact", "1/3"], "a", None, ["date", "2024-02-29"],
        ["datetime", "2024-02-29T12:00:00"], ["range", 2, 5],
    ]  # fmt: skip
