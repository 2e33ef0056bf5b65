"""The log likelihood ratio of an answer as if its numbers were independent: sums of log ratios of histograms.

It combines several numbers that are each too weak to show a difference. The histograms are fitted on earlier answers; their
coarseness costs power but not validity: any function of an answer may be bet on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

CELLS = 16
MAX_WIDTH = 64


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    width = max(here.width, there.width)
    if not 1 < width <= MAX_WIDTH:
        return []
    tables = [_table(here.column(j), there.column(j)) for j in range(width)]

    def score(outputs: Outputs) -> NDArray[np.float64]:
        total = np.zeros(len(outputs))
        for j, (edges, ratios) in enumerate(tables):
            total += ratios[_cells(edges, outputs.column(j))]
        return total

    return [Reading("the log likelihood ratio of the answer's numbers (d against d′)", score)]


def _cells(edges: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.where(np.isnan(x), len(edges) + 1, np.searchsorted(edges, x))


def _table(
    here: NDArray[np.float64], there: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges of cells of about equal weight, and the log ratio in each; half a count is added, so that no count is 0."""
    seen = np.concatenate([here, there])
    seen = np.sort(seen[~np.isnan(seen)])
    edges = np.unique(seen[np.arange(1, CELLS) * len(seen) // CELLS]) if len(seen) else np.empty(0)
    counts = [np.bincount(_cells(edges, x), minlength=len(edges) + 2) + 0.5 for x in (here, there)]
    return edges, np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
