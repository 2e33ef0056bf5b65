"""Marginals: counts by combinations of a few columns, with the closed-form optimal strategy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from lapcat.workload.nested import Chain, Levels, LevelSums, Nested, shared
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload

MAX_PARTS = 4096
"""Maximum number of measured marginals."""


def marginals(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Nested]:
    """Marginals of each queried list of columns, and of all its subsets.

    `residuals`: for each subset only the part orthogonal to smaller ones, as contrasts n_i·x − Σx along each column.

    Theorem: with the best shares this has the least expected squared error of all strategies with Gaussian noise whose
             A'A stays the same when the values of a column are renamed; for marginals no strategy does better.
    Source:  Xiao, He, Zhang & Kifer 2023 (ResidualPlanner), whose noise on residuals is correlated. Here the contrasts are
             whole numbers and their noise is independent: C = nI − J has C'C = n(nI − J), n² times the projection onto what
             the total does not tell, and a column of squared length n(n − 1), so that λ = n² costs n(n − 1): the
             same (n − 1)/n for each unit of λ as there.

    `marginals`: the counts of each subset themselves; for Laplace noise, whose price is the l1 norm.
    """
    if len(questions.axes) < 2:
        return
    chains: list[Chain] = [(size, 1) if size > 1 else (1,) for size in questions.shape]
    lists = _lists(questions, chains)
    if len(lists) > MAX_PARTS:
        return
    yield shared(
        "residuals", questions, kind, chains, [LevelSums(levels, apart=any(levels)) for levels in lists]
    )
    if kind == "laplace":
        yield shared("marginals", questions, kind, chains, [LevelSums(levels) for levels in lists])


def _lists(questions: AxisWorkload, chains: list[Chain]) -> list[Levels]:
    """All subsets of the columns of each term, the smallest first."""
    subsets: set[tuple[int, ...]] = set()
    for term in questions.terms:
        axes = [i for i in term.axes if len(chains[i]) > 1]
        for length in range(len(axes) + 1):
            subsets.update(combinations(axes, length))
    ordered = sorted(subsets, key=lambda axes: (len(axes), axes))
    return [tuple(int(i in axes) for i in range(len(chains))) for axes in ordered]
