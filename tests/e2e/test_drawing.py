"""What a person sees: bars, gauges, columns that fit, errors that wrap; and what programs read, quickly."""

from __future__ import annotations

import csv
import doctest
import io
import itertools
import json
import time
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest

from lapcat.cli import budgets, draft, strokes
from lapcat.cli.answers import answer_lines
from lapcat.cli.budgets import budget_lines, shown_amount
from lapcat.cli.failing import error_lines, print_error, unexpected
from lapcat.cli.screen import Line, Screen, visible, width_of
from lapcat.cli.streams import write_csv, write_json
from lapcat.cli.strokes import Scale, error_bar, gauge
from lapcat.core.loss import PureDP
from lapcat.errors import BadQuery, Place, Refused
from lapcat.plan.aggregates import COUNT, Argument, Estimates
from lapcat.plan.compile import KeyColumn, ValueColumn
from lapcat.plan.expressions import Column
from lapcat.plan.nodes import Group, GroupKey, Scan
from lapcat.plan.released import tabulate
from lapcat.plan.schema import Relation, SpendingLimit, Type, Unit
from lapcat.session.budgets import Budget, Gauge
from lapcat.session.results import Amount, Answer, Receipt

PEOPLE = Scan("people", "people", 1, Unit(), Relation.ADD_REMOVE, None)


def half_spent(cap: str = "3", left: str = "2.8") -> Gauge:
    return Gauge(SpendingLimit(Fraction(cap)), Amount(Fraction(cap) - Fraction(left)), Amount(Fraction(left)))


def an_answer(keys: tuple[object, ...] | range = ("F", "M"), columns: int = 1, free: bool = False) -> Answer:
    n = len(keys)
    kind = Type.INTEGER if isinstance(keys, range) else Type.TEXT
    value = 10_031 - np.arange(n, dtype=np.int64) * 7
    argument = Argument("*", None, None, None)
    shown = [ValueColumn(f"n{index}" if index else "n", COUNT, argument) for index in range(columns)]
    plan = Group(PEOPLE, (GroupKey("sex", Column("sex", kind), keys),), ())  # type: ignore[arg-type]
    estimates = {column.name: Estimates(value, value - 30, value + 30) for column in shown}
    return Answer(
        tabulate(plan, (KeyColumn("sex", 0), *shown), estimates),
        Fraction(95, 100),
        PureDP(Fraction(0) if free else Fraction(1, 5)),
        free,
        Receipt(142, "9f3c" + "0" * 60, {"table": "people"}),
        Budget({"people": half_spent()}, {}, {"ana": {"people": half_spent("1", "0.8")}}),
        (),
    )


def screen(width: int = 80, *, terminal: bool = True, drawn: bool = True) -> Screen:
    return Screen(io.StringIO(), width, terminal, False, drawn)


def text(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line).rstrip() for line in lines]


@pytest.mark.parametrize("module", [strokes, budgets, draft], ids=lambda module: module.__name__)
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0 and results.failed == 0


def test_the_answer_looks_as_the_contract_draws_it() -> None:
    assert text(answer_lines(an_answer(), screen(100))) == [
        " sex  n       95 % interval",
        " F    10 031  [10 001, 10 061]    ├──────●──────┤",
        " M    10 024  [9 994, 10 054]   ├──────●──────┤",
        " spent ε 0.2   people ███████████████████░░ 2.8 of 3 left   you 0.8 of 1   receipt 142:9f3c…",
    ]
    assert text(answer_lines(an_answer(), screen(80)))[-2:] == [
        " spent ε 0.2   people ███████████████████░░ 2.8 of 3 left   you 0.8 of 1",
        " receipt 142:9f3c…",
    ]


@pytest.mark.parametrize("width", range(30, 121, 10))
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_an_answer_fits_its_width(width: int, columns: int) -> None:
    lines = text(answer_lines(an_answer(columns=columns), screen(width)))
    assert max(map(width_of, lines)) <= max(width, 41), lines
    assert sum("10 031" in line for line in lines) >= 1
    for index in range(columns):
        assert any(f" n{index or ''}" in line for line in lines), "every column is somewhere"


def test_bars_are_dropped_before_columns_wrap() -> None:
    drawn = {
        width: any("●" in line for line in text(answer_lines(an_answer(columns=2), screen(width))))
        for width in (50, 80)
    }
    assert drawn == {50: False, 80: True}


def test_bars_share_one_scale() -> None:
    scale = Scale(0, 100, 11)
    assert error_bar(0, 50, 100, scale) == "├────●────┤"
    assert error_bar(0, 10, 20, scale) == "├●┤        "
    assert error_bar(98, 99, 100, scale) == "          ●"
    assert error_bar(7, 7, 7, Scale(7, 7, 5)) == "  ●  "


def test_a_gauge_is_never_fuller_than_the_budget() -> None:
    for quanta in range(1001):
        left = Fraction(quanta, 1000)
        full = gauge(left, Fraction(1), 20).count("█")
        assert full == 0 if quanta == 0 else full >= 1 and (full == 1 or Fraction(full, 20) <= left)
    assert gauge(Fraction(-1), Fraction(1), 3) == "░░░"


def test_what_is_left_is_never_shown_larger_than_it_is() -> None:
    for value in (Fraction(1, 3), Fraction(2, 3), Fraction(2799999999, 10**9), Fraction(1, 10**9)):
        assert Fraction(shown_amount(value)) <= value


def test_a_terminal_shows_fifty_rows_and_says_how_to_get_all() -> None:
    lines = text(answer_lines(an_answer(range(1_000_000)), screen()))
    assert len(lines) < 60 and " … 999 950 more rows; --csv or --json writes all of them" in lines[51]
    assert len(text(answer_lines(an_answer(range(300)), screen(terminal=False)))) == 302


def test_an_answer_that_was_given_before_says_so() -> None:
    lines = text(answer_lines(an_answer(free=True), screen()))
    assert lines[-2].startswith(" free: answered before   people █")


def test_wide_letters_keep_columns_aligned_and_control_characters_do_nothing() -> None:
    lines = text(answer_lines(an_answer(("東京", "a\x1b[2Jb", "é")), screen(drawn=False)))
    starts = [width_of(line[: line.rindex("[")]) for line in lines[1:4]]
    assert len(set(starts)) == 1 and "\x1b" not in "".join(lines)
    assert visible("a\nb") == "a�b"


def test_json_and_csv_say_what_the_answer_says() -> None:
    for answer in (an_answer(('quote " and %', "ü")), an_answer(range(3), columns=2)):
        stream = io.StringIO()
        write_json([answer], stream)
        assert json.loads(stream.getvalue()) == json.loads(json.dumps(answer.as_json()))
        stream = io.StringIO()
        write_csv([answer], stream)
        rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
        assert rows == [{name: str(value) for name, value in row.items()} for row in answer.rows]


@pytest.mark.parametrize("write", [write_json, write_csv], ids=["json", "csv"])
def test_a_million_rows_are_written_in_seconds(write: object) -> None:
    """A fifth of them, in a fifth of the time."""
    answer, stream = an_answer(range(200_000)), io.StringIO()
    before = time.process_time()
    write([answer], stream)  # type: ignore[operator]
    assert time.process_time() - before < 2, "about 0.4 s on an idle machine"
    assert stream.getvalue().count("\n") >= 200_000


def test_a_budget_lists_tables_populations_and_analysts() -> None:
    budget = Budget(
        {"people": half_spent()}, {"all": half_spent("5", "5")}, {"ana": {"people": half_spent("1", "0")}}
    )
    lines = text(budget_lines(budget, screen()))
    assert [line.split("  ")[0].strip() for line in lines[:3]] == [
        "people",
        "population all █████████████████████ 5 of 5 left",
        "ana on people",
    ]
    assert "spent ε 0.2" in lines[0] and "░" * 21 in lines[2]
    assert lines[3].strip() == "spent ε 1, all analysts together ε 0.2"
    assert max(map(len, lines)) <= 80


def test_an_error_fits_the_terminal_but_its_fix_stays_whole() -> None:
    sql = "SELECT " + ", ".join(f"COUNT(c{i})" for i in range(40)) + " FROM staff"
    column = sql.index("COUNT(c30)") + 1
    error = Refused(
        "row-level", "long " * 40, why="because " * 30, fix="x" * 200, place=Place(sql, 1, column, 10)
    )
    lines = text(error_lines(error, 80))
    assert max(len(line) for line in lines if "xxx" not in line) <= 80
    assert "  fix: " + "x" * 200 in lines
    shown, caret = next((a, b) for a, b in itertools.pairwise(lines) if set(b) <= {" ", "^"} and "^" in b)
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "COUNT(c30)"


def test_a_fix_for_python_is_shown_as_it_is_typed_here(capsys: pytest.CaptureFixture[str]) -> None:
    error = BadQuery("epsilon-range", "epsilon must be above zero, not 0", fix="epsilon=0.1")
    print_error(error, True)
    assert json.loads(capsys.readouterr().err)["error"]["fix"] == "--epsilon 0.1"
    print_error(error, False)
    assert capsys.readouterr().err.endswith("  fix: --epsilon 0.1\n")


def test_an_unforeseen_exception_shows_its_kind_and_place_only() -> None:
    try:
        raise KeyError("a cell of data")
    except KeyError as problem:
        message = str(unexpected(problem))
    assert "KeyError in test_drawing.py, line" in message and "cell of data" not in message


def test_ways_to_answer_are_drawn_side_by_side() -> None:
    from lapcat.drawing.ways import ways_bars, ways_svg

    ways = [("tree <4>", 1.0, True), ("each number by itself", 4.0, False), ("asked separately", 8.0, False)]
    bars = ways_bars(ways)
    assert [len(bar) for bar in bars] == [3, 12, 24] and set(bars[0]) == {"█"} and set(bars[1]) == {"░"}
    drawn = ways_svg(ways)
    assert drawn.count("<rect") == 3 and "tree &lt;4&gt;" in drawn and "taken: tree" in drawn
    assert "<script" not in drawn
