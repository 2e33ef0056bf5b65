"""Haar-like wavelets: the total, and at every level the contrasts of a block with its siblings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from lapcat.workload.nested import Chain, LevelSums, Nested, shared
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.tree import chains_of, norms_of
from lapcat.workload.workload import AxisWorkload


def wavelets(questions: AxisWorkload, kind: NoiseKind) -> Iterator[Nested]:
    """The best wavelet over one ordered column: Haar's, with halved blocks, or one with a larger branching factor.

    Theorem: among all strategies whose A'A is a combination of the projections of a chain, this is the best for Gaussian
             noise, plain trees of the same blocks included.
    Proof:   such an A'A is Σ λ_l Q_l; its sensitivity l2² is its diagonal, Σ λ_l dim_l / n, and so is that of the contrasts
             with the same λ. The shares are the λ with the least error.
    """
    if len(questions.axes) != 1 or questions.shape[0] < 4:
        return
    chains = chains_of(questions.shape[0])
    norms = norms_of(questions, chains)
    best = min(chains, key=lambda chain: _error(chain, norms, kind))
    yield wavelet(questions, kind, best)
    halves = halved(questions.shape[0])
    if halves != best:
        yield wavelet(questions, kind, halves)


def wavelet(questions: AxisWorkload, kind: NoiseKind, chain: Chain) -> Nested:
    branches = [a // b for a, b in pairwise(chain)]
    name = "haar" if set(branches) == {2} else "wavelet " + "-".join(map(str, branches))
    parts = [LevelSums((0,)), *(LevelSums((level,), apart=True) for level in range(1, len(chain)))]
    return shared(name, questions, kind, [chain], parts)


def halved(size: int) -> Chain:
    """1024, 512, 256, … 1."""
    return tuple(1 << power for power in range((size - 1).bit_length(), -1, -1))


def _error(chain: Chain, norms: dict[int, float], kind: NoiseKind) -> float:
    """The squared error with the best shares, in closed form, since each space has a part of its own."""
    costs = [1 / chain[0]]
    for above, length in pairwise(chain):
        branch = above // length
        precision = length * (2 if branch == 2 else branch**2)
        norm = 1 if branch == 2 else 2 * (branch - 1)
        square = 1 if branch == 2 else branch * (branch - 1)
        costs.append((norm**2 if kind == "laplace" else square) / precision)
    return _min_error(_steps(chain, norms), costs, kind)


def _steps(chain: Chain, norms: dict[int, float]) -> list[float]:
    return [norms[chain[0]], *(max(norms[b] - norms[a], 0.0) for a, b in pairwise(chain))]


def _min_error(wanted: Sequence[float], costs: Sequence[float], kind: NoiseKind) -> float:
    """The least Σ wanted · cost / share^k over shares that add up to 1: (Σ (wanted · cost)^(1/(k+1)))^(k+1), k = 2 or 1."""
    power = 3 if kind == "laplace" else 2
    return float(sum((w * c) ** (1 / power) for w, c in zip(wanted, costs, strict=True)) ** power)
