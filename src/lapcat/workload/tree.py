"""Trees of blocks over one ordered column: sums at every level, each with its own share, made consistent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from lapcat.workload.nested import Chain, LevelSums, Nested, shared
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload

MANY = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64)
FEW = (4, 8, 16, 32)
"""Branching factors: many candidates for up to FINE cells, few for more. The last level takes the remainder."""
FINE = 4096
SPARE = 1.1
"""Maximum ratio of leaves to cells, if such a tree exists."""
KEPT = 6
"""The number of trees, best with even shares, whose shares are optimised."""


def trees(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Nested]:
    """The best tree over one ordered column, by the computed error of every branching that fits.

    With and without the root, since the level below adds up to it.
    """
    if len(questions.axes) != 1 or questions.shape[0] < 4:
        return
    chains = chains_of(questions.shape[0])
    norms = norms_of(questions, chains)
    ranked = sorted(chains, key=lambda chain: _even_error(chain, norms, kind))
    tried = [_tree(questions, kind, chain, root) for chain in ranked[:KEPT] for root in (0, 1)]
    yield min(tried, key=lambda nested: _error(nested, questions, kind))


def _tree(questions: AxisWorkload, kind: NoiseKind, chain: Chain, first: int) -> Nested:
    name = "tree " + "-".join(str(a // b) for a, b in pairwise(chain))
    return shared(name, questions, kind, [chain], [LevelSums((level,)) for level in range(first, len(chain))])


def norms_of(questions: AxisWorkload, chains: Sequence[Chain]) -> dict[int, float]:
    """For each block length, Σ weight² ‖Πq‖² over all questions."""
    size = questions.shape[0]
    return {
        length: sum(term.weight**2 * term.factor(0, size).total_norm(length) for term in questions.terms)
        for length in {block for chain in chains for block in chain}
    }


def _even_error(chain: Chain, norms: dict[int, float], kind: NoiseKind) -> float:
    """The squared error with even shares for all levels except the root."""
    measured, error, precision = len(chain) - 1, 0.0, 0.0
    for level in range(measured, -1, -1):
        precision += chain[level] if level else 0.0
        coarser = norms[chain[level - 1]] if level else 0.0
        error += (norms[chain[level]] - coarser) / precision
    return error * (measured**2 if kind == "laplace" else measured)


def _error(nested: Nested, questions: AxisWorkload, kind: NoiseKind) -> float:
    shares = [float(share) for share in nested.shares]
    return nested.total_variance(questions, [1 / s**2 if kind == "laplace" else 1 / s for s in shares])


@lru_cache(maxsize=64)
def chains_of(size: int) -> tuple[Chain, ...]:
    """The block lengths of all branchings with two or more levels whose leaves are the cells, or a few more.

    >>> chains_of(4)
    ((4, 2, 1),)
    """
    branchings = _branchings(size, (), 1, MANY if size <= FINE else FEW)
    leaves = {branching: math.prod(branching) for branching in branchings}
    limit = max(size * SPARE, min(leaves.values()))
    chains = []
    for branching, count in leaves.items():
        if count <= limit:
            chain = [count]
            for branch in branching:
                chain.append(chain[-1] // branch)
            chains.append(tuple(chain))
    return tuple(dict.fromkeys(chains))


def _branchings(
    size: int, above: tuple[int, ...], leaves: int, choices: tuple[int, ...]
) -> list[tuple[int, ...]]:
    last = -(-size // leaves)
    branchings = [(*above, last)] if above and 2 <= last <= choices[-1] else []
    for branch in choices:
        if leaves * branch * 2 <= size * SPARE:
            branchings += _branchings(size, (*above, branch), leaves * branch, choices)
    return branchings
