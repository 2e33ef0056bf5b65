"""A mechanism given by its matrix: its exact price, over all pairs or along a graph, and what makes no matrix."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapcat.core.exact import exp_down, exp_up
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers import Discrete, Response
from lapcat.testing.coins import SeededCoins


@st.composite
def matrices(draw: st.DrawFn) -> Discrete:
    """Up to four inputs and outcomes, zeros included."""
    outcomes = draw(st.integers(1, 4))
    weights = st.lists(st.integers(0, 9), min_size=outcomes, max_size=outcomes).filter(any)
    rows = draw(st.lists(weights, min_size=1, max_size=4))
    return Discrete([[Fraction(w, sum(row)) for w in row] for row in rows])


def brute_excess(mechanism: Discrete, factor: Fraction) -> Fraction:
    """The most that Pr[S | x] - factor * Pr[S | x'] comes to over all x, x' and all sets S of outcomes."""
    outcomes = range(len(mechanism.rows[0]))
    sets = [[y for y in outcomes if s >> y & 1] for s in range(1 << len(outcomes))]
    return max(
        sum((here[y] - factor * there[y] for y in chosen), Fraction(0))
        for here in mechanism.rows
        for there in mechanism.rows
        for chosen in sets
    )


@given(matrices())
def test_epsilon_is_the_least_that_bounds_every_set_of_outcomes(mechanism: Discrete) -> None:
    worst = mechanism.worst()
    if worst.ratio is None:
        assert mechanism.rows[worst.likely][worst.outcome] > 0
        assert mechanism.rows[worst.unlikely][worst.outcome] == 0
        assert mechanism.epsilon() == math.inf
    else:
        assert brute_excess(mechanism, worst.ratio) == 0
        assert worst.ratio == 1 or brute_excess(mechanism, worst.ratio * Fraction(999, 1000)) > 0
        assert exp_up(Fraction(mechanism.epsilon())) >= worst.ratio


@given(matrices(), st.fractions(0, 3))
def test_delta_is_the_least_that_is_left_over(mechanism: Discrete, epsilon: Fraction) -> None:
    delta = mechanism.delta(epsilon)
    # between the exact values at both roundings of e^epsilon
    assert brute_excess(mechanism, exp_up(epsilon)) <= delta <= brute_excess(mechanism, exp_down(epsilon))


@given(matrices())
def test_no_delta_is_left_at_the_full_epsilon(mechanism: Discrete) -> None:
    epsilon = mechanism.epsilon()
    if isinstance(epsilon, Fraction):
        assert mechanism.delta(epsilon + Fraction(1, 2**50)) == 0
    # at epsilon 0 delta is the total variation distance: exact
    distance = max(
        sum(abs(p - q) for p, q in zip(here, there, strict=True)) / 2
        for here in mechanism.rows
        for there in mechanism.rows
    )
    assert mechanism.delta(Fraction(0)) == distance


def test_a_graph_of_neighbours_may_cost_less_than_all_pairs() -> None:
    line = Discrete([["0.6", "0.2", "0.2"], ["0.3", "0.4", "0.3"], ["0.2", "0.2", "0.6"]])
    assert line.worst().ratio == 3
    assert line.worst([(0, 1), (1, 2)]).ratio == 2
    assert line.worst([(1, 0), (2, 1)]).ratio == 2  # either order
    assert line.delta(Fraction(0), [(0, 1)]) < line.delta(Fraction(0))
    assert line.worst([]).ratio == 1
    lopsided = Discrete([["0.9", "0.1"], ["0.5", "0.5"]])
    assert lopsided.worst([(0, 1)]).ratio == lopsided.worst([(1, 0)]).ratio == 5
    assert lopsided.delta(Fraction(1), [(0, 1)]) == lopsided.delta(Fraction(1), [(1, 0)]) > 0


def test_an_epsilon_without_end_names_what_breaks_it() -> None:
    mechanism = Discrete([["0.5", "0.5", 0], ["0.5", "0.25", "0.25"], ["0.5", "0.5", 0]])
    with pytest.raises(BadArgument) as caught:
        mechanism.event("coin")
    assert caught.value.code == "epsilon-infinite"
    assert "outcome 2" in caught.value.message and "input 1" in caught.value.message
    assert "input 0" in caught.value.message and "coin" in caught.value.message
    assert mechanism.event("coin", [(0, 2)]).loss == PureDP(Fraction(0))
    loss = mechanism.event("coin", epsilon=Fraction(1)).loss
    assert isinstance(loss, ApproxDP) and loss.delta == Fraction(1, 4)


def test_publishing_one_random_row_is_what_the_theory_says() -> None:
    # V17: rows a and b, of which one is drawn from n = 4 with three others: (0, 1/n)-DP, and epsilon is infinite
    n = 4
    mechanism = Discrete([[Fraction(1, n), 0, Fraction(n - 1, n)], [0, Fraction(1, n), Fraction(n - 1, n)]])
    assert mechanism.epsilon() == math.inf
    assert mechanism.delta(Fraction(0)) == mechanism.delta(Fraction(50)) == Fraction(1, n)


@given(st.integers(2, 5))
def test_randomised_response_costs_the_same_as_its_matrix(values: int) -> None:
    response = Response(Fraction(1), values)
    matrix = Discrete([response.law(x).low for x in range(values)])
    assert matrix.event("x").loss == response.event("x").loss


@pytest.mark.parametrize("entry", [0.1, "0.1", Decimal("0.1"), "1/10", Fraction(1, 10), np.float32(0.1)])
def test_numbers_are_read_as_they_were_written(entry: object) -> None:
    assert Discrete([[entry, "0.9"]]).rows == ((Fraction(1, 10), Fraction(9, 10)),)


def test_a_numpy_matrix_is_read_too() -> None:
    assert Discrete(np.array([[0.25, 0.75], [0.5, 0.5]])).rows[0] == (Fraction(1, 4), Fraction(3, 4))


@pytest.mark.parametrize(
    ("matrix", "code", "shown"),
    [
        ([], "matrix-empty", "0 rows"),
        ([[]], "matrix-empty", "no columns"),
        ([[1], ["0.5", "0.5"]], "matrix-ragged", "row 1 has 2"),
        ([[1, 0], ["1.5", "-0.5"]], "matrix-negative", "row 1 has -0.5 for outcome 1"),
        ([[1, 0], ["0.5", "0.4"]], "matrix-sum", "row 1 adds up to 0.9"),
        ([[1 / 3, 1 / 3, 1 / 3]], "matrix-sum", "row 0 adds up to 0.9999999999999999"),
        ([[math.nan, 1]], "number-unreadable", "nan"),
        ([[math.inf, 1]], "number-unreadable", "inf"),
        ([["x", 1]], "number-unreadable", "'x'"),
    ],
)
def test_what_is_no_matrix_of_laws_is_refused(matrix: list[list[object]], code: str, shown: str) -> None:
    with pytest.raises(BadArgument) as caught:
        Discrete(matrix)
    assert caught.value.code == code and shown in caught.value.message and caught.value.fix


def test_inputs_and_neighbours_are_rows() -> None:
    mechanism = Discrete([[1, 0], [0, 1]])
    with pytest.raises(BadArgument, match=r"\(0, 2\)"):
        mechanism.worst([(0, 2)])
    with pytest.raises(BadArgument, match="input-range"):
        mechanism.draw(np.array([2]), SeededCoins(1))
    with pytest.raises(BadArgument, match="5 lies outside"):
        mechanism.law(5)
    with pytest.raises(TypeError, match="float64"):
        mechanism.draw(np.array([1.0]), SeededCoins(1))
    with pytest.raises(BadArgument, match="-1"):
        mechanism.delta(Fraction(-1))


def test_each_input_draws_from_its_own_row() -> None:
    mechanism = Discrete([[1, 0, 0], [0, 0, 1], [0, 1, 0]])
    given_inputs = np.array([[0, 1, 2], [2, 1, 0]])
    assert mechanism.draw(given_inputs, SeededCoins(1)).tolist() == [[0, 2, 1], [1, 2, 0]]
    assert mechanism.draw(np.zeros(0, np.int64), SeededCoins(1)).tolist() == []


def test_a_matrix_is_a_value() -> None:
    assert (
        Discrete([[1, 0]]) == Discrete([["1", "0.0"]])
        and len({Discrete([[1, 0]]), Discrete([["1", 0]])}) == 1
    )
