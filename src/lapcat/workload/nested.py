"""Strategies of nested blocks: trees, wavelets, marginals and their products, in one algebra.

Each axis has a chain of partitions into equal blocks, from one block of all cells down to single cells. Let Π_l take the
mean over each block of level l. Since the partitions are nested, Q_l = Π_l − Π_{l−1} (Q_0 = Π_0) are orthogonal projections
that add up to the identity; products of one Q per axis are the *spaces* of a table.

A part measures sums of blocks (A'A = s_k Π_k, s_k the block's length) or contrasts of a block with its siblings
(A'A = b² s_k Q_k, b of them; halves, 2 s_k Q_k). All these are combinations of the spaces' projections, and so is the sum
over all parts, A'Σ⁻¹A = Σ_u λ_u Q_u with λ_u = Σ_parts c_{p,u} / v_p, and its inverse. Hence, for least squares with noise
of variances v_p:

Theorem: the variance of the answer to q is Σ_u ‖Q_u q‖² / λ_u, and the estimate's component in space u is the mean of the
         components of the parts' results, each weighted by c_{p,u} / v_p.
Proof:   the variance of q'x̂ is q'(A'Σ⁻¹A)⁻¹q, and x̂ = (A'Σ⁻¹A)⁻¹A'Σ⁻¹y; insert the spectral form.
Source:  the two passes of consistent trees, Haar's inverse and the residual bases of ResidualPlanner (Xiao, He, Zhang &
         Kifer 2023) are this in special cases.

So the error of each of a million ranges is a sum of a few numbers, and no matrix is formed.
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

from lapcat.workload import linear
from lapcat.workload.factors import Factor, Floats, Total
from lapcat.workload.linear import IntegerMap
from lapcat.workload.sharing import MIN_SHARE, best_shares, whole_shares
from lapcat.workload.strategy import NoiseKind
from lapcat.workload.workload import AxisWorkload, ProductQuery

Levels = tuple[int, ...]
"""One level per axis; 0 is all cells together."""
Chain = tuple[int, ...]
"""The block lengths of an axis, level by level, from all cells (or a little more) down to 1."""
LARGEST = 2**24
"""Maximum number of cells of a table that is read whole (128 MiB)."""
NOTHING = 1e-12
"""A relative norm below this is rounding."""


@dataclass(frozen=True, slots=True)
class LevelSums:
    """Sums of the blocks of these levels, or (`apart`) contrasts of each block with its siblings."""

    levels: Levels
    apart: bool = False


@dataclass(frozen=True)
class Nested:
    """A strategy that measures blocks of nested partitions."""

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
        maps = []
        for part in self.parts:
            mentioned = {i for i, level in enumerate(part.levels) if level}
            which = next(k for k, axes in enumerate(self.sets) if mentioned <= set(axes))
            maps.append(IntegerMap(starts[which], tuple(self._axis(part, i) for i in self.sets[which])))
        return tuple(maps)

    @property
    def labels(self) -> tuple[str, ...]:
        """`tree 8-16-8: sums 8*128`: eight blocks of 128 cells; contrasts also give the number of siblings: `64*1/8`."""
        return tuple(self._label(part) for part in self.parts)

    def _label(self, part: LevelSums) -> str:
        sizes = []
        for chain, level in zip(self.chains, part.levels, strict=True):
            branch = f"/{chain[level - 1] // chain[level]}" if level and part.apart else ""
            sizes.append(f"{chain[0] // chain[level]}*{chain[level]}{branch}")
        return f"{self.name}: {'contrasts' if part.apart else 'sums'} {' '.join(sizes)}"

    def words(self, columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._words(part, columns) for part in self.parts)

    def _words(self, part: LevelSums, columns: Sequence[str]) -> str:
        """`counts by age in groups of 11`."""
        groupings = []
        for column, chain, level in zip(columns, self.chains, part.levels, strict=True):
            if level:
                groupings.append(
                    f"{column} in groups of {chain[level]}" if chain[level] > 1 else f"each {column}"
                )
        if not groupings:
            return "the count of all rows"
        listed = " and ".join(groupings)
        return f"how counts by {listed} differ from their neighbours" if part.apart else f"counts by {listed}"

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

    def coefficients(self, part: LevelSums) -> Iterator[tuple[Levels, float]]:
        """The spaces that a part measures, with the coefficient c of each."""
        lengths = tuple(chain[level] for chain, level in zip(self.chains, part.levels, strict=True))
        if part.apart:
            coefficient = 1.0
            for chain, level, length in zip(self.chains, part.levels, lengths, strict=True):
                branch = chain[level - 1] // length if level else 1
                coefficient *= length * (1 if branch == 1 else 2 if branch == 2 else branch**2)
            yield part.levels, coefficient
            return
        for levels in product(*(range(level + 1) for level in part.levels)):
            yield levels, float(math.prod(lengths))

    def precisions(self, noise: Sequence[float]) -> dict[Levels, float]:
        """λ of each space."""
        precisions: dict[Levels, float] = {}
        for part, variance in zip(self.parts, noise, strict=True):
            for levels, coefficient in self.coefficients(part):
                precisions[levels] = precisions.get(levels, 0.0) + coefficient / variance
        return precisions

    def total_variance(self, questions: AxisWorkload, noise: Sequence[float]) -> float:
        precisions = self.precisions(noise)
        total = 0.0
        for levels, energy in wanted_of(questions, self.chains).items():
            if levels not in precisions:
                return math.inf
            total += energy / precisions[levels]
        return total

    def _errors(self, noise: Sequence[float], weighted: Sequence[float]) -> dict[Levels, float]:
        """The variance in each space of a mean with weights c / w under noise variances v: Σ c v / w² / (Σ c / w)², which is
        1 / λ if w = v."""
        sums = self.precisions([w * w / v for v, w in zip(noise, weighted, strict=True)])
        return {
            levels: sums[levels] / precision**2 for levels, precision in self.precisions(weighted).items()
        }

    def variances(
        self, questions: AxisWorkload, noise: Sequence[float], weighted: Sequence[float] | None = None
    ) -> Floats:
        errors = self._errors(noise, weighted or noise)
        variances = []
        by_axes = _by_axes(questions, self.chains, _energies)
        for term in questions.terms:
            energies = by_axes(term)
            total = np.zeros([energy.shape[1] for energy in energies])
            nonzero = [[level for level, row in enumerate(energy) if row.any()] for energy in energies]
            for levels in product(*nonzero):
                energy_product: Floats = np.array(errors.get(levels, math.inf))
                for energy, level in zip(energies, levels, strict=True):
                    energy_product = energy_product[..., None] * energy[level]
                total += energy_product
            variances.append(total.reshape(-1))
        return np.concatenate(variances)

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
        """The component of the estimate in each space, as sums of the blocks of its levels."""
        sums: dict[Levels, Floats] = {}
        weights: dict[Levels, float] = {}
        for part, values, variance in zip(self.parts, noisy, noise, strict=True):
            blocks = self._as_blocks(part, values)
            for levels, coefficient in self.coefficients(part):
                lengths = math.prod(chain[k] for chain, k in zip(self.chains, levels, strict=True))
                weight = coefficient / (variance * lengths)
                component = weight * self._component(blocks, part.levels, levels)
                sums[levels] = sums[levels] + component if levels in sums else component
                weights[levels] = weights.get(levels, 0.0) + weight
        return {levels: total / weights[levels] for levels, total in sums.items()}

    def _as_blocks(self, part: LevelSums, values: Floats) -> Floats:
        """The measurements as sums of the blocks of the part's levels; contrasts have mean 0."""
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
        """The component of block sums in a space that is as coarse or coarser."""
        for i, (chain, fine, level) in enumerate(zip(self.chains, measured, levels, strict=True)):
            blocks = _blocked(blocks, i, chain[level] // chain[fine]).sum(axis=i + 1)
            if level:
                families = _blocked(blocks, i, chain[level - 1] // chain[level])
                blocks = (families - families.mean(axis=i + 1, keepdims=True)).reshape(blocks.shape)
        return blocks

    def table(self, components: dict[Levels, Floats], axes: tuple[int, ...]) -> Floats:
        """The estimated counts by these axes, summed over all others."""
        padded = {i for i, (n, chain) in enumerate(zip(self.shape, self.chains, strict=True)) if chain[0] > n}
        kept = [i for i in range(len(self.shape)) if i in axes or i in padded]
        total = np.zeros([self.chains[i][0] for i in kept])
        for levels, blocks in components.items():
            if any(level and i not in kept for i, level in enumerate(levels)):
                continue
            component = blocks.reshape([blocks.shape[i] for i in kept])
            for position, i in enumerate(kept):
                length = self.chains[i][levels[i]]
                component = np.repeat(component / length, length, axis=position) if length > 1 else component
            total += component
        for position, i in enumerate(kept):
            total = np.take(total, range(self.shape[i]), axis=position) if i in padded else total
        away = tuple(position for position, i in enumerate(kept) if i not in axes)
        return np.asarray(total.sum(axis=away)) if away else total


def tables_of(questions: AxisWorkload, parts: Sequence[LevelSums]) -> tuple[tuple[int, ...], ...]:
    """The tables of counts that parts are computed from: one over all axes if it is small, else the maximal ones."""
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
    """The strategy of these parts with the best shares for the questions; parts with a negligible share are dropped."""
    even = tuple(Fraction(1, len(parts)) for _ in parts)
    nested = Nested(name, questions.shape, tuple(chains), tuple(parts), even, tables_of(questions, parts))
    wanted = wanted_of(questions, nested.chains)
    spaces = {levels: position for position, levels in enumerate(wanted)}
    precision = np.zeros((len(parts), len(spaces)))
    for position, (part, measured) in enumerate(zip(nested.parts, nested.maps, strict=True)):
        cost = float(measured.l1) ** 2 if kind == "laplace" else float(measured.l2_squared)
        for levels, coefficient in nested.coefficients(part):
            if levels in spaces:
                precision[position, spaces[levels]] = coefficient / cost
    if len(parts) == 1:
        return nested
    shares = best_shares(kind, precision, np.array(list(wanted.values())))
    kept = np.flatnonzero(shares > MIN_SHARE).tolist()
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
    """The energy of the questions in each space: Σ weight² ‖Q_u q‖²."""
    key = tuple(chains)
    if key in questions.known:
        return questions.known[key]
    energies: dict[Levels, float] = {}
    totals = _by_axes(questions, key, _total_energies)
    for term in questions.terms:
        each = totals(term)
        for levels in product(*(np.flatnonzero(energy).tolist() for energy in each)):
            energy = math.prod(float(e[level]) for e, level in zip(each, levels, strict=True))
            energies[levels] = energies.get(levels, 0.0) + term.weight**2 * energy
    questions.known[key] = energies
    return energies


def _by_axes(
    questions: AxisWorkload, chains: tuple[Chain, ...], of: Callable[[Factor, Chain], Floats]
) -> Callable[[ProductQuery], list[Floats]]:
    """A function that gives `of` for each axis of a term; each factor is evaluated once."""
    known: dict[tuple[int, int], Floats] = {}
    rest = [of(Total(size), chain) for size, chain in zip(questions.shape, chains, strict=True)]

    def evaluated(term: ProductQuery) -> list[Floats]:
        each = list(rest)
        for i, factor in term.factors:
            if (i, id(factor)) not in known:
                known[i, id(factor)] = of(factor, chains[i])
            each[i] = known[i, id(factor)]
        return each

    return evaluated


def _energies(factor: Factor, chain: Chain) -> Floats:
    """‖Q_l q‖² for each level and question, level by level in memory: there may be millions of questions."""
    norms = np.empty((len(chain), factor.rows))
    for level, block in enumerate(chain):
        norms[level] = factor.norms(block)
    return _steps(norms)


def _total_energies(factor: Factor, chain: Chain) -> Floats:
    return _steps(np.array([factor.total_norm(block) for block in chain]))


def _steps(norms: Floats) -> Floats:
    """The increments from level to level, 0 if negligible; computed in place."""
    nothing = NOTHING * norms[-1]
    for level in range(len(norms) - 1, 0, -1):
        norms[level] -= norms[level - 1]
    for level in range(len(norms)):
        norms[level] = np.where(norms[level] > nothing, norms[level], 0.0)
    return norms


def _blocked(table: Floats, axis: int, length: int) -> Floats:
    """The table with an axis split into blocks of this length, which become a new axis after it."""
    shape = table.shape
    return table.reshape(*shape[:axis], shape[axis] // length, length, *shape[axis + 1 :])
