"""LIKE: the same texts match whichever way they are found, in a bounded time, and patterns are limited."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.engines.evaluation import evaluate
from lapcat.errors import Refused
from lapcat.frontend.sql import understand
from lapcat.plan.expressions import Like, Literal
from lapcat.plan.like import regular, wildcards
from lapcat.plan.schema import Type
from tests.unit.test_sql_frontend import CATALOGUE, scan

HOSTILE = ("%a" * 7 + "%b", "%_a" * 7 + "%b", "a%" * 8 + "_bb", "%a_" * 7 + "%bb%")
"""Patterns that almost match a long run of a, in many ways."""


@given(st.text("ab%_.\\\n(é", max_size=8), st.text("ab.\\\n(é", max_size=10))
def test_the_first_fit_of_each_part_is_as_good_as_any_other(pattern: str, text: str) -> None:
    every_way = "".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in pattern)
    expected = re.fullmatch(every_way, text, re.DOTALL) is not None
    assert (re.fullmatch(regular(pattern), text) is not None) is expected
    assert evaluate(Like(Literal(text, Type.TEXT), pattern), {}) is expected


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_is_matched_without_going_back(pattern: str) -> None:
    before = time.process_time()
    assert re.fullmatch(regular(pattern), "a" * 4096) is None
    assert time.process_time() - before < 1


def test_neighbouring_wildcards_are_one() -> None:
    assert [wildcards(pattern) for pattern in ("", "a_", "%", "%%", "%_%", "a%%b%%%")] == [0, 0, 1, 1, 2, 2]


def test_patterns_and_texts_beyond_the_limits_are_refused_by_their_names() -> None:
    def asked(condition: str, **limits: int) -> None:
        catalogue = replace(CATALOGUE, limits=replace(CATALOGUE.limits, **limits))
        understand(f"SELECT COUNT(*) FROM staff WHERE {condition}", catalogue, scan, lambda table: None)  # type: ignore[arg-type,return-value]

    asked(f"name LIKE '{'%%a' * 8}'")
    asked(f"name = '{'é' * 4096}'")
    for condition, code, limit in (
        (f"name LIKE '{'%a' * 9}'", "like-wildcards", "like_wildcards"),
        (f"name NOT LIKE '{'_%' * 9}'", "like-wildcards", "like_wildcards"),
        (f"name = '{'a' * 4097}'", "text-too-long", "max_length"),
        (f"name IN ('a', '{'a' * 4097}')", "text-too-long", "max_length"),
        (f"name LIKE '{'a' * 4097}'", "text-too-long", "max_length"),
        (f"name LIKE '{'_' * 257}'", "like-length", "like_length"),
        (f"COALESCE(name, '{'a' * 4097}') = 'a'", "text-too-long", "max_length"),
    ):
        with pytest.raises(Refused) as refusal:
            asked(condition)
        assert refusal.value.code == code and limit in str(refusal.value)
        asked(condition, like_wildcards=9, max_length=4097, like_length=4097)
