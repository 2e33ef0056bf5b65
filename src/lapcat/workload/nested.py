"""Strategies of nested blocks: trees, wavelets, marginals and their products, all by one algebra.

Each axis has a chain of partitions into equal blocks, from one block of all cells down to single cells. Let Π_l take the
mean over each block of level l. Since the partitions are nested, Q_l = Π_l − Π_{l−1} (Q_0 = Π_0) are projections at right
angles that add up to the identity; products of one Q for each axis are the *spaces* of a table.

What is measured are sums of blocks (A'A = s_k Π_k, s_k the block's length) or contrasts of a block with its siblings
(A'A = b² s_k Q_k, b of them; halves, 2 s_k Q_k). All these are combinations of the spaces' projections, so is the sum over
all parts, A'Σ⁻¹A = Σ_u λ_u Q_u with λ_u = Σ_parts c_{p,u} / v_p, and so its inverse. Hence, for least squares with noise of
variances v_p:

Theorem: the variance of the answer to q is Σ_u ‖Q_u q‖² / λ_u, and the estimate's component in space u is the mean of the
         components of the parts' results, each weighted by c_{p,u} / v_p.
Proof:   the variance of q'x̂ is q'(A'Σ⁻¹A)⁻¹q, and x̂ = (A'Σ⁻¹A)⁻¹A'Σ⁻¹y; insert the spectral form.
Source:  the two passes of consistent trees, Haar's inverse and the residual bases of ResidualPlanner (Xiao, He, Zhang &
         Kifer 2023) are this in special cases.

So the error of a million ranges is a sum of a few numbers for each, and no matrix is ever written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from lapcat.core import linear
from lapcat.core.linear import IntegerMap
from lapcat.workload.factors import Factor, Floats, Total
from lapcat.workload.sharing import LEAST, best_shares, whole_shares
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload, ProductQuery

Levels = tuple[int, ...]
"""A level for each axis; 0 is all cells together."""
Chain = tuple[int, ...]
"""The length of the blocks of each level of an axis, from all cells (or a little more) down to 1."""
LARGEST = 2**24
"""A table of more cells is not looked at whole (128 MiB)."""
NOTHING = 1e-12
"""A part of a question's norm below this is rounding."""


@dataclass(frozen=True, slots=True)
class LevelSums:
    """Sums of the blocks of these levels, or (apart) the contrasts of each with its siblings."""

    levels: Levels
    apart: bool = False


@dataclass(frozen=True)
class Nested:
    """Measured blocks of nested partitions."""

    name: str
    shape: tuple[int, ...]
    chains: tuple[Chain, ...]
    parts: tuple[LevelSums, ...]
    shares: tuple[Fraction, ...]
    sets: tuple[tuple[int, ...], ...]

    @cached_property
    def maps(self) -> tuple[IntegerMap, ...]:
        starts = [0]
        for axes in self.sets:
            starts.append(starts[-1] + math.prod(self.shape[i] for i in axes))
        found = []
        for part in self.parts:
            mentioned = {i for i, level in enumerate(part.levels) if level}
            which = next(k for k, axes in enumerate(self.sets) if mentioned <= set(axes))
            found.append(IntegerMap(starts[which], tuple(self._axis(part, i) for i in self.sets[which])))
        return tuple(found)

    @property
    def labels(self) -> tuple[str, ...]:
        """`tree 8-16-8: sums 8*128`: eight blocks of 128 cells; contrasts also say of how many siblings: `64*1/8`."""
        return tuple(self._label(part) for part in self.parts)

    def _label(self, part: LevelSums) -> str:
        found = []
        for chain, level in zip(self.chains, part.levels, strict=True):
            branch = f"/{chain[level - 1] // chain[level]}" if level and part.apart else ""
            found.append(f"{chain[0] // chain[level]}*{chain[level]}{branch}")
        return f"{self.name}: {'contrasts' if part.apart else 'sums'} {' '.join(found)}"

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._words(part, columns) for part in self.parts)

    def _words(self, part: LevelSums, columns: Sequence[str]) -> str:
        """`counts by age in groups of 11`."""
        found = []
        for column, chain, level in zip(columns, self.chains, part.levels, strict=True):
            if level:
                found.append(
                    f"{column} in groups of {chain[level]}" if chain[level] > 1 else f"each {column}"
                )
        if not found:
            return "the count of all rows"
        said = " and ".join(found)
        return f"how counts by {said} differ from their neighbours" if part.apart else f"counts by {said}"

    def _axis(self, part: LevelSums, i: int) -> linear.Axis:
        size, chain, level = self.shape[i], self.chains[i], part.levels[i]
        block = chain[level]
        rows = chain[0] // block
        if not part.apart or not level:
            return linear.BlockSums(size, block, rows)
        branch = chain[level - 1] // block
        if branch == 2:
            return linear.Differences(size, 2 * block, rows // 2)
        return linear.Contrasts(size, block, rows, branch)

    # -------------------------------------------------------------------------------------------- errors

    def told(self, part: LevelSums) -> Iterator[tuple[Levels, float]]:
        """The spaces that a part tells about, and c for each."""
        lengths = tuple(chain[level] for chain, level in zip(self.chains, part.levels, strict=True))
        if part.apart:
            found = 1.0
            for chain, level, length in zip(self.chains, part.levels, lengths, strict=True):
                branch = chain[level - 1] // length if level else 1
                found *= length * (1 if branch == 1 else 2 if branch == 2 else branch**2)
            yield part.levels, found
            return
        for levels in product(*(range(level + 1) for level in part.levels)):
            yield levels, float(math.prod(lengths))

    def precisions(self, noise: Sequence[float]) -> dict[Levels, float]:
        """λ of each space."""
        found: dict[Levels, float] = {}
        for part, variance in zip(self.parts, noise, strict=True):
            for levels, told in self.told(part):
                found[levels] = found.get(levels, 0.0) + told / variance
        return found

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        precisions = self.precisions(noise)
        total = 0.0
        for levels, energy in wanted_of(questions, self.chains).items():
            if levels not in precisions:
                return math.inf
            total += energy / precisions[levels]
        return total

    def _errors(self, noise: Sequence[float], weighted: Sequence[float]) -> dict[Levels, float]:
        """The variance in each space of a mean with weights c / w, where the noise has variances v: Σ c v / w² / (Σ c / w)²,
        which is 1 / λ where w = v."""
        sums = self.precisions([w * w / v for v, w in zip(noise, weighted, strict=True)])
        return {levels: sums[levels] / told**2 for levels, told in self.precisions(weighted).items()}

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        errors = self._errors(noise, weighted or noise)
        found = []
        by_axes = _by_axes(questions, self.chains, _energies)
        for term in questions.terms:
            energies = by_axes(term)
            total = np.zeros([energy.shape[1] for energy in energies])
            nonzero = [[level for level, row in enumerate(energy) if row.any()] for energy in energies]
            for levels in product(*nonzero):
                one: Floats = np.array(errors.get(levels, math.inf))
                for energy, level in zip(energies, levels, strict=True):
                    one = one[..., None] * energy[level]
                total += one
            found.append(total.reshape(-1))
        return np.concatenate(found)

    # -------------------------------------------------------------------------------------------- answers

    def answers(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        components = self.components(noisy, noise)
        return np.concatenate([term.answers(self.table(components, term.axes)) for term in questions.terms])

    def cells(
        self, questions: AxisWorkload, noisy: Sequence[npt.NDArray[np.float64]], noise: Sequence[float]
    ) -> Floats:
        return self.table(self.components(noisy, noise), tuple(range(len(self.shape)))).reshape(-1)

    def components(self, noisy: Sequence[Floats], noise: Sequence[float]) -> dict[Levels, Floats]:
        """The estimate's part in each space, as sums of the blocks of its levels."""
        sums: dict[Levels, Floats] = {}
        weights: dict[Levels, float] = {}
        for part, values, variance in zip(self.parts, noisy, noise, strict=True):
            blocks = self._as_blocks(part, values)
            for levels, told in self.told(part):
                lengths = math.prod(chain[k] for chain, k in zip(self.chains, levels, strict=True))
                weight = told / (variance * lengths)
                one = weight * self._component(blocks, part.levels, levels)
                sums[levels] = sums[levels] + one if levels in sums else one
                weights[levels] = weights.get(levels, 0.0) + weight
        return {levels: found / weights[levels] for levels, found in sums.items()}

    def _as_blocks(self, part: LevelSums, values: Floats) -> Floats:
        """What was measured as if it were sums of the blocks of the part's levels; contrasts are of mean 0 by themselves."""
        shape = [chain[0] // chain[k] for chain, k in zip(self.chains, part.levels, strict=True)]
        if not part.apart:
            return values.reshape(shape)
        branches = [c[k - 1] // c[k] if k else 1 for c, k in zip(self.chains, part.levels, strict=True)]
        table = values.reshape([n // 2 if b == 2 else n for n, b in zip(shape, branches, strict=True)])
        for i, branch in enumerate(branches):
            if branch == 2:
                table = np.stack([table, -table], axis=i + 1).reshape(
                    [*shape[: i + 1], *table.shape[i + 1 :]]
                )
            if branch > 1:
                table = table / branch
        return table

    def _component(self, blocks: Floats, measured: Levels, levels: Levels) -> Floats:
        """Of sums of blocks, the part in a space that is as coarse or coarser."""
        for i, (chain, fine, level) in enumerate(zip(self.chains, measured, levels, strict=True)):
            blocks = _folded(blocks, i, chain[level] // chain[fine]).sum(axis=i + 1)
            if level:
                families = _folded(blocks, i, chain[level - 1] // chain[level])
                blocks = (families - families.mean(axis=i + 1, keepdims=True)).reshape(blocks.shape)
        return blocks

    def table(self, components: dict[Levels, Floats], axes: tuple[int, ...]) -> Floats:
        """The estimated counts by these axes, all others added up."""
        padded = {i for i, (n, chain) in enumerate(zip(self.shape, self.chains, strict=True)) if chain[0] > n}
        kept = [i for i in range(len(self.shape)) if i in axes or i in padded]
        total = np.zeros([self.chains[i][0] for i in kept])
        for levels, blocks in components.items():
            if any(level and i not in kept for i, level in enumerate(levels)):
                continue
            one = blocks.reshape([blocks.shape[i] for i in kept])
            for position, i in enumerate(kept):
                length = self.chains[i][levels[i]]
                one = np.repeat(one / length, length, axis=position) if length > 1 else one
            total += one
        for position, i in enumerate(kept):
            total = np.take(total, range(self.shape[i]), axis=position) if i in padded else total
        away = tuple(position for position, i in enumerate(kept) if i not in axes)
        return np.asarray(total.sum(axis=away)) if away else total


def tables_of(questions: AxisWorkload, parts: Sequence[LevelSums]) -> tuple[tuple[int, ...], ...]:
    """The tables of counts that parts are read from: one of all axes where it is small, else those that no other holds."""
    every = tuple(range(len(questions.axes)))
    if questions.cells <= LARGEST:
        return (every,)
    mentioned = {tuple(i for i in every if part.levels[i]) for part in parts}
    return tuple(sorted(axes for axes in mentioned if not any(set(axes) < set(other) for other in mentioned)))


def shared(
    name: str,
    questions: AxisWorkload,
    kind: NoiseKind,
    chains: Sequence[Chain],
    parts: Sequence[LevelSums],
) -> Nested:
    """The strategy of these parts with the shares that serve the questions best; parts that are not worth it are left out."""
    even = tuple(Fraction(1, len(parts)) for _ in parts)
    nested = Nested(name, questions.shape, tuple(chains), tuple(parts), even, tables_of(questions, parts))
    wanted = wanted_of(questions, nested.chains)
    spaces = {levels: position for position, levels in enumerate(wanted)}
    precision = np.zeros((len(parts), len(spaces)))
    for position, (part, one) in enumerate(zip(nested.parts, nested.maps, strict=True)):
        cost = float(one.l1) ** 2 if kind == "laplace" else float(one.l2_squared)
        for levels, told in nested.told(part):
            if levels in spaces:
                precision[position, spaces[levels]] = told / cost
    if len(parts) == 1:
        return nested
    shares = best_shares(kind, precision, np.array(list(wanted.values())))
    kept = np.flatnonzero(shares > LEAST).tolist()
    if not (precision[kept].sum(axis=0) > 0).all():
        kept = list(range(len(parts)))
    return Nested(
        name,
        questions.shape,
        nested.chains,
        tuple(parts[i] for i in kept),
        whole_shares(shares[kept]),
        tables_of(questions, [parts[i] for i in kept]),
    )


def wanted_of(questions: AxisWorkload, chains: Sequence[Chain]) -> dict[Levels, float]:
    """For each space, how much of the questions lies in it: Σ weight² ‖Q_u q‖²."""
    key = tuple(chains)
    if key in questions.known:
        return questions.known[key]
    found: dict[Levels, float] = {}
    totals = _by_axes(questions, key, _total_energies)
    for term in questions.terms:
        each = totals(term)
        for levels in product(*(np.flatnonzero(energy).tolist() for energy in each)):
            energy = math.prod(float(e[level]) for e, level in zip(each, levels, strict=True))
            found[levels] = found.get(levels, 0.0) + term.weight**2 * energy
    questions.known[key] = found
    return found


def _by_axes(
    questions: AxisWorkload, chains: tuple[Chain, ...], of: Callable[[Factor, Chain], Floats]
) -> Callable[[ProductQuery], list[Floats]]:
    """Of each axis what a term asks, each factor looked at once."""
    known: dict[tuple[int, int], Floats] = {}
    rest = [of(Total(size), chain) for size, chain in zip(questions.shape, chains, strict=True)]

    def found(term: ProductQuery) -> list[Floats]:
        each = list(rest)
        for i, factor in term.factors:
            if (i, id(factor)) not in known:
                known[i, id(factor)] = of(factor, chains[i])
            each[i] = known[i, id(factor)]
        return each

    return found


def _energies(factor: Factor, chain: Chain) -> Floats:
    """‖Q_l q‖² for each level and question. A level's numbers lie side by side: there may be millions of questions."""
    norms = np.empty((len(chain), factor.rows))
    for level, block in enumerate(chain):
        norms[level] = factor.norms(block)
    return _steps(norms)


def _total_energies(factor: Factor, chain: Chain) -> Floats:
    return _steps(np.array([factor.total_norm(block) for block in chain]))


def _steps(norms: Floats) -> Floats:
    """By how much each level has more than the one before, 0 where that is next to nothing; written over the norms."""
    nothing = NOTHING * norms[-1]
    for level in range(len(norms) - 1, 0, -1):
        norms[level] -= norms[level - 1]
    for level in range(len(norms)):
        norms[level] = np.where(norms[level] > nothing, norms[level], 0.0)
    return norms


def _folded(table: Floats, axis: int, length: int) -> Floats:
    """The axis in stretches of this length, which become an axis of their own behind it."""
    shape = table.shape
    return table.reshape(*shape[:axis], shape[axis] // length, length, *shape[axis + 1 :])
