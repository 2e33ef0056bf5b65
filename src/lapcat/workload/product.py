"""Products over several columns: blocks of ordered columns, crossed with single values of the others."""

from __future__ import annotations

from collections.abc import Iterator

from lapcat.workload.factors import Each, Total
from lapcat.workload.haar import wavelets
from lapcat.workload.nested import Chain, LevelSums, Nested, shared, wanted_of
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.tree import trees
from lapcat.workload.workload import AxisWorkload, ProductQuery

MAX_PARTS = 4096
"""Maximum number of measured combinations of levels."""


def products(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Nested]:
    """Trees of ordered columns times values of the others: sums, or (Gaussian) contrasts, of every combination of levels.

    A column's tree is the best one for that column alone; the shares are chosen for all questions together.
    """
    if len(questions.axes) < 2:
        return
    ordered = [i for i in range(len(questions.axes)) if _is_ordered(questions, i)]
    if not ordered:
        return
    chains: list[Chain] = []
    for i, size in enumerate(questions.shape):
        values: Chain = (size, 1) if size > 1 else (1,)
        chains.append(_chain(questions, i, kind) if i in ordered else values)
    levels = list(wanted_of(questions, chains))
    if len(levels) > MAX_PARTS:
        return
    name = "product " + " × ".join("-".join(str(length) for length in chain) for chain in chains)
    if kind == "gaussian":
        yield shared(
            name,
            questions,
            kind,
            chains,
            [LevelSums(combination, apart=any(combination)) for combination in levels],
        )
    else:
        yield shared(name, questions, kind, chains, [LevelSums(combination) for combination in levels])


def _is_ordered(questions: AxisWorkload, axis: int) -> bool:
    """Whether the workload has ranges or prefix sums of a column."""
    factors = [term.factor(axis, questions.shape[axis]) for term in questions.terms]
    return questions.shape[axis] >= 4 and not all(isinstance(factor, Each | Total) for factor in factors)


def _chain(questions: AxisWorkload, axis: int, kind: NoiseKind) -> Chain:
    size = questions.shape[axis]
    terms = {id(f): ProductQuery(((0, f),)) for f in (term.factor(axis, size) for term in questions.terms)}
    alone = AxisWorkload((questions.axes[axis],), tuple(terms.values()))
    best = wavelets if kind == "gaussian" else trees
    return next(best(alone, kind)).chains[0]
