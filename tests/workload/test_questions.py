"""What a workload asks: numbered questions that are never written out, and what they would be if they were."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import lapcat
from lapcat.workload.axes import Axis
from lapcat.workload.workload import Workload
from tests.workload.support import CASES, over


@pytest.mark.parametrize("case", CASES)
def test_answers_are_those_of_the_written_out_matrix(case: str) -> None:
    workload, sizes = CASES[case]
    questions = over(workload, *sizes)
    cells = np.random.default_rng(1).integers(0, 50, questions.cells)
    matrix = questions.matrix()
    assert matrix.shape == (questions.rows, questions.cells)
    assert questions.answers(cells).tolist() == (matrix @ cells).tolist()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", [1, 2, 3, 8])
def test_norms_are_those_of_means_over_blocks(case: str, block: int) -> None:
    workload, sizes = CASES[case]
    for term in over(workload, *sizes).terms:
        for _, factor in term.factors:
            rows = factor.matrix()
            padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % block)))
            means = padded.reshape(len(rows), -1, block).mean(axis=2)
            norms = block * (means**2).sum(axis=1)
            assert np.allclose(factor.norms(block), norms)
            assert np.isclose(factor.total_norm(block), norms.sum())


def test_the_public_name_is_lapcats() -> None:
    assert lapcat.Workload is Workload


def test_labels_say_what_each_question_asks() -> None:
    questions = (Workload.ranges("age") * Workload.marginals(["sex"]) + Workload.prefixes("age")).over(
        [Axis("age", range(18, 22)), Axis("sex", ("f", "m"), other=True)]
    )
    assert questions.rows == 10 * 3 + 4
    assert questions.label(0) == "age from 18 to 18, sex = 'f'"
    assert questions.label(29) == "age from 21 to 21, sex is other"
    assert questions.label(5) == "age from 18 to 19, sex is other"
    assert questions.label(31) == "age up to 19"
    everything = Workload.marginals(["sex"], ways=[0, 1]).over([Axis("sex", ("f", "m"))])
    assert [everything.label(i) for i in range(3)] == ["all rows", "sex = 'f'", "sex = 'm'"]


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_every_range_has_the_label_of_its_ends(size: int) -> None:
    questions = over(Workload.ranges("x"), size)
    rows = questions.matrix()
    for i, row in enumerate(rows):
        inside = np.flatnonzero(row)
        assert questions.label(i) == f"x from {inside[0]} to {inside[-1]}"


def test_ranges_are_by_value_and_hold_both_ends() -> None:
    days = tuple(datetime.date(2024, 1, d) for d in (1, 2, 3))
    asked = Workload.ranges("day", [(days[0], days[1]), (days[2], days[2])]).over([Axis("day", days)])
    assert asked.answers(np.array([1, 10, 100])).tolist() == [11, 100]


def test_what_is_other_is_in_no_range_but_in_the_total() -> None:
    axis = Axis("x", range(3), other=True)
    both = (Workload.ranges("x", [(0, 2)]) + Workload.marginals(["x"], ways=0)).over([axis])
    assert both.answers(np.array([1, 1, 1, 50])).tolist() == [3, 53]
    assert Workload.prefixes("x").over([axis]).answers(np.array([1, 1, 1, 50])).tolist() == [1, 2, 3]


def test_a_product_asks_every_pair_and_a_sum_both_lists() -> None:
    a, b = Workload.ranges("x", [(0, 1)]), Workload.marginals(["y"])
    assert (a * b).columns == ("x", "y") and over(a * b, 4, 3).rows == 3
    assert over(a + a, 4).rows == 2
    assert (
        Workload.marginals(["x", "y", "z"], ways=2).terms
        == (
            Workload.marginals(["x", "y"]) + Workload.marginals(["x", "z"]) + Workload.marginals(["y", "z"])
        ).terms
    )


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Workload.ranges("x", []), "workload-empty"),
        (lambda: Workload.queries("x", []), "workload-empty"),
        (lambda: Workload.marginals(["x"], ways=[]), "workload-empty"),
        (lambda: Workload.marginals(["x", "x"]), "workload-columns"),
        (lambda: Workload.marginals(["x"], ways=[["y"]]), "workload-columns"),
        (lambda: Workload.ranges("x") * Workload.prefixes("x"), "workload-columns"),
        (lambda: over(Workload.ranges("x"), 3) and Workload.ranges("x").over([]), "workload-columns"),
        (lambda: Workload.marginals(["x"], ways=2), "workload-ways"),
        (lambda: Workload.ranges("x").weighted(0), "workload-weight"),
        (lambda: over(Workload.ranges("x", [(0, 9)]), 9), "workload-value"),
        (lambda: Workload.ranges("x", [("a", "z")]).over([Axis("x", ("a", "b"))]), "workload-value"),
        (lambda: over(Workload.ranges("x", [(3, 2)]), 9), "workload-range"),
        (lambda: over(Workload.queries("x", [[1, 0]]), 3), "workload-shape"),
        (lambda: over(Workload.queries("x", [[1, 0.5, 0]]), 3), "workload-shape"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_code(make: object, code: str) -> None:
    with pytest.raises(lapcat.BadQuery) as refusal:
        make()  # type: ignore[operator]
    assert refusal.value.code == code
