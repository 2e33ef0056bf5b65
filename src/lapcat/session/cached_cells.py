"""The source of a statistic's cells in a cached answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from lapcat.core.answers import NoisyResult
from lapcat.core.mechanisms.base import NoiseLaw
from lapcat.ledger.base import CachedAnswer


@dataclass(frozen=True, slots=True)
class CellSource:
    """The source of one statistic's cells in one grouping set."""

    cached_answer: CachedAnswer
    row: int | None
    """None: the noisy unit counts of private groups."""
    grouping: tuple[int, ...]
    """The stored grouping set: positions in the cached answer's keys."""
    kept: tuple[int, ...]
    """The declared keys that are kept, as positions in the cached answer's keys, in the order of the question."""
    law: NoiseLaw | None
    trimmed: tuple[int, ...] = ()
    """The kept keys whose last stored group, for all other rows, is dropped."""

    def cells(self, released: NoisyResult) -> npt.NDArray[np.int64]:
        """The stored cells, summed over the dropped keys."""
        content = self.cached_answer.content
        row = released.units if self.row is None else released.cells[self.row]
        assert row is not None
        before = content.sets[: content.sets.index(self.grouping)]
        first = sum(prod(content.sizes(grouping)) for grouping in before)
        declared = [key for key in self.grouping if content.keys[key].size is not None]
        sizes = content.sizes(self.grouping)
        many = 1 if released.keys is None else len(released.keys)
        cube = row[first : first + many * prod(sizes)].reshape(many, *sizes)
        out = tuple(1 + axis for axis, key in enumerate(declared) if key not in self.kept)
        left = [key for key in declared if key in self.kept]
        order = [0, *(1 + left.index(key) for key in self.kept)]
        ends = [slice(None), *(slice(-1) if key in self.trimmed else slice(None) for key in self.kept)]
        return np.ascontiguousarray(cube.sum(axis=out).transpose(order)[tuple(ends)]).reshape(-1)
