"""K-norm noise: exact norms, the lattice it lives on, the acceptance said beforehand, and what it gains over Laplace."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapcat.core.event import KNormRelease
from lapcat.core.loss import PureDP
from lapcat.errors import BadArgument
from lapcat.mechanisms.integers.knorm import KNorm, laplace_squared_error
from lapcat.mechanisms.integers.lattices import Lattice
from lapcat.mechanisms.integers.norms import Ball, Polytope
from lapcat.mechanisms.integers.polytopes import facets_of, vertices_among
from lapcat.mechanisms.integers.shells import Shells, shell_polynomial, shell_size
from lapcat.testing.coins import SeededCoins

vectors = st.integers(2, 4).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(-3, 3)] * d), min_size=d, max_size=8)
)


def random_questions(dimension: int, kinds: int, seed: int) -> list[tuple[int, ...]]:
    """Kinds of records, each by the questions it satisfies; the unit vectors make every question answerable alone."""
    rng = random.Random(seed)
    drawn = [tuple(rng.randint(0, 1) for _ in range(dimension)) for _ in range(kinds)]
    return [*drawn, *(tuple(int(i == j) for j in range(dimension)) for i in range(dimension))]


@pytest.mark.patient
@given(vectors)
@settings(max_examples=25)
def test_the_norm_of_a_hull_is_that_of_its_definition(rows: list[tuple[int, ...]]) -> None:
    """Every given vector has norm at most 1, the vertices exactly 1, and no facet cuts anything off."""
    lattice = Lattice.spanned(rows) if any(any(row) for row in rows) else None
    if lattice is None or not lattice.is_whole:
        return
    norm = Polytope.around(rows)
    assert all(norm.of(row) <= 1 for row in rows)
    facets = facets_of(rows)
    assert {tuple(-part for part in y) for y in facets} == set(facets)
    for vertex in vertices_among(rows, facets):
        assert norm.of(vertex) == 1
    for (
        y
    ) in facets:  # a facet is spanned by the vertices on it: as many independent ones as there are dimensions
        on = [v for v in vertices_among(rows, facets) if sum(a * b for a, b in zip(y, v, strict=True)) == 1]
        assert np.linalg.matrix_rank(np.array(on, float)) == len(y)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_polytopes_agree_with_the_balls_they_are(d: int) -> None:
    cross = Polytope.around([tuple(int(i == j) for j in range(d)) for i in range(d)])
    cube = Polytope.around(list(itertools.product((-1, 1), repeat=d)))
    rng = random.Random(d)
    for _ in range(50):
        z = tuple(rng.randint(-9, 9) for _ in range(d))
        assert cross.of(z) == sum(map(abs, z)) and cube.of(z) == max(map(abs, z))
    for polytope, kind in ((cross, "l1"), (cube, "linf")):
        same = Ball(kind, d, Fraction(1))  # type: ignore[arg-type]
        assert polytope.volume == pytest.approx(same.volume)
        assert polytope.mean_square == pytest.approx(same.mean_square)


def test_the_euclidean_norm_is_enclosed() -> None:
    ball = Ball("l2", 2, Fraction(1))
    low, high = ball.bounds((1, 1))
    assert low**2 < 2 < high**2 and high - low < Fraction(1, 2**60)
    assert ball.bounds((3, 4)) == (5, 5)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_the_shells_add_up_to_their_generating_function(d: int) -> None:
    """Σ ((2r+1)^d − (2r−1)^d) q^r = B(q) / (1 − q)^d, in exact fractions at q = 1/3 up to a tail."""
    q = Fraction(1, 3)
    total = sum(shell_size(d, r) * q**r for r in range(200))
    assert abs(total - sum(b * q**j for j, b in enumerate(shell_polynomial(d))) / (1 - q) ** d) < Fraction(
        1, 10**60
    )
    assert sum(shell_polynomial(d)) == 2**d * math.factorial(d)


def test_points_of_a_shell_are_all_alike() -> None:
    points = Shells(2, Fraction(1)).points(np.full(24_000, 1), SeededCoins(5))
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    assert len(distinct) == shell_size(2, 1) and abs(counts - 3000).max() < 6 * math.sqrt(3000)


@pytest.mark.parametrize("kind", ["l1", "l2", "linf"])
def test_the_acceptance_said_beforehand_is_the_one_that_happens(kind: str) -> None:
    for d, epsilon in ((2, Fraction(1, 2)), (3, Fraction(2)), (4, Fraction(1, 4))):
        mechanism = KNorm(Ball(kind, d, Fraction(1)), epsilon)  # type: ignore[arg-type]
        coins, shells = SeededCoins(d), Shells(d, 1 / mechanism.scale)
        radii = shells.radii(40_000, coins)
        kept = mechanism._kept(shells.points(radii, coins), radii, coins).mean()
        low, high = mechanism.acceptance_bounds
        assert low - 0.02 <= kept <= high + 0.02
        assert low <= mechanism.acceptance <= high
        if kind != "l2":
            assert kept == pytest.approx(mechanism.acceptance, abs=0.02)


def test_the_acceptance_of_l1_in_six_dimensions_is_about_one_in_720_and_nine_are_refused() -> None:
    fine = KNorm(Ball("l1", 6, Fraction(1)), Fraction(1, 1000))
    assert 1 / fine.acceptance == pytest.approx(math.factorial(6), rel=1e-2)
    with pytest.raises(BadArgument, match="one proposal in 362,8"):
        KNorm(Ball("l1", 9, Fraction(1)), Fraction(1, 100))


@given(vectors)
@settings(max_examples=60)
def test_every_integer_vector_of_the_span_is_one_combination_of_the_lattice(
    rows: list[tuple[int, ...]],
) -> None:
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    lattice = Lattice.spanned(rows)
    for row in rows:
        inside = lattice.coordinates(row)
        assert all(part.denominator == 1 for part in inside)
        back = [sum(c * b[j] for c, b in zip(inside, lattice.basis, strict=True)) for j in range(len(row))]
        assert tuple(back) == row
    # half-way points of the basis are no integer vectors: the lattice is the whole of what the span holds
    minors = [
        round(abs(np.linalg.det(np.array([[row[j] for j in columns] for row in lattice.basis], float))))
        for columns in itertools.combinations(range(len(rows[0])), lattice.rank)
    ]
    assert math.gcd(*minors) == 1


def test_a_question_asked_twice_gets_the_same_noise_twice() -> None:
    mechanism = KNorm.of_questions([(1, 1, 0), (0, 0, 1), (1, 1, 1)], Fraction(1, 2))
    assert mechanism.dimension == 3 and mechanism.norm.dimension == 2
    noise = mechanism.noise(200, SeededCoins(1))
    assert np.array_equal(noise[:, 0], noise[:, 1]) and noise[:, 2].any()
    assert mechanism.event("both") == KNormRelease("both", 3, Fraction(1, 2))
    assert mechanism.event("both").loss == PureDP(Fraction(1, 2))


def test_under_replace_one_differences_of_records_span_k() -> None:
    add = KNorm.of_questions([(1, 0), (0, 1)], Fraction(1))
    replace = KNorm.of_questions([(1, 0), (0, 1), (0, 0)], Fraction(1), "replace-one")
    assert add.norm.of((1, -1)) == 2 and replace.norm.of((1, -1)) == 1 == replace.norm.of((1, 0))
    # of three rows a unit may take away all: then the answers fall by what they added, although no record adds nothing
    three = KNorm.of_questions([(1, 0), (0, 1)], Fraction(1), "replace-one", rows_per_unit=3)
    assert three.norm.of((-2, -1)) <= 1 and three.norm.of((3, -3)) == 1


def test_in_one_dimension_and_in_l1_the_law_is_laplace() -> None:
    law = KNorm(Ball("l1", 2, Fraction(3)), Fraction(1, 2)).law()
    q = math.exp(-1 / 6)
    for z in ((0, 0), (3, -2), (0, 5)):
        each = [(1 - q) / (1 + q) * q ** abs(part) for part in z]
        assert law.pmf(z) == pytest.approx(math.prod(each), rel=1e-9)
    assert law.squared_error == pytest.approx(2 * 2 * q / (1 - q) ** 2, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6])
def test_its_squared_error_is_below_that_of_laplace_computed_and_sampled(d: int) -> None:
    """The comparison of the issue: random 0/1 questions at the same epsilon."""
    epsilon = Fraction(1, 4)
    records = random_questions(d, 3 * d, seed=d)
    mechanism = KNorm.of_questions(records, epsilon)
    n = 4000
    noise = mechanism.noise(n, SeededCoins(d)).astype(float)
    squares = (noise**2).sum(axis=1)
    sampled, computed = squares.mean(), mechanism.squared_error
    assert abs(sampled - computed) < 5 * squares.std() / math.sqrt(n) + 0.02 * computed  # the lattice's share
    assert sampled < laplace_squared_error(records, epsilon) and computed < laplace_squared_error(
        records, epsilon
    )


def test_the_sum_over_the_lattice_and_the_continuous_formula_agree_as_epsilon_falls() -> None:
    gaps = []
    for epsilon in (Fraction(2), Fraction(1), Fraction(1, 2)):
        mechanism = KNorm.of_differences([(1, 1), (1, 0), (0, 1)], epsilon)
        gaps.append(abs(mechanism.law().squared_error / mechanism.squared_error - 1))
    assert gaps[0] > gaps[1] > gaps[2] and gaps[2] < 0.03


def test_numbers_beyond_64_bits_are_drawn_one_at_a_time_from_the_same_law() -> None:
    wide = KNorm(Ball("l2", 2, Fraction(2**40)), Fraction(1, 2))
    noise = wide.noise(20, SeededCoins(3)).astype(float) / 2**40
    assert np.abs(noise).max() < 100 and np.abs(noise).max() > 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KNorm(Ball("l2", 2, Fraction(1)), Fraction(0)), "epsilon = 0"),
        (lambda: KNorm(Ball("l2", 2, Fraction(1)), Fraction(-1)), "-1"),
        (lambda: Ball("l2", 2, Fraction(-3)), "-3"),
        (lambda: Ball("l7", 2, Fraction(1)), "l7"),  # type: ignore[arg-type]
        (lambda: Ball("l2", 0, Fraction(1)), "0 dimensions"),
        (lambda: KNorm.of_differences([(0, 0)], Fraction(1)), "all differences are 0"),
        (lambda: KNorm.of_differences([(1, 0), (1,)], Fraction(1)), r"\(1,\)"),
        (
            lambda: KNorm.of_differences(
                [tuple(int(i == j) for j in range(7)) for i in range(7)], Fraction(1)
            ),
            "7",
        ),
        (lambda: KNorm(Ball("linf", 2, Fraction(2**60)), Fraction(1)), "2\\^60"),
        (lambda: KNorm.of_questions([(1, 0)], Fraction(1), "swap"), "swap"),  # type: ignore[arg-type]
        (lambda: KNorm.of_questions([(1, 0), (1,)], Fraction(1)), r"\(1,\)"),
        (lambda: KNorm.of_questions([(1, 0.5)], Fraction(1)), "0.5"),  # type: ignore[list-item]
        (lambda: KNorm.of_questions([(1, 0)], Fraction(1), rows_per_unit=0), "0"),
    ],
)
def test_bad_arguments_are_refused_with_the_value(make: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        make()  # type: ignore[operator]
