"""How much likelier an answer is on one side, as if its numbers were independent: sums of log ratios of histograms.

What several numbers tell together, each too little to be noticed by itself. The histograms are fitted on warm-up answers;
that they are rough costs power, and nothing else: any function of an answer is a fair thing to bet on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lapcat.audit.outputs import Outputs
from lapcat.audit.partitions import Reading

CELLS = 16
MOST = 64


def readings(here: Outputs, there: Outputs) -> list[Reading]:
    width = max(here.width, there.width)
    if not 1 < width <= MOST:
        return []
    tables = [_table(here.column(j), there.column(j)) for j in range(width)]

    def score(outputs: Outputs) -> NDArray[np.float64]:
        total = np.zeros(len(outputs))
        for j, (edges, ratios) in enumerate(tables):
            total += ratios[_cells(edges, outputs.column(j))]
        return total

    return [Reading("how much likelier the answer's numbers are on d than on d′, in logarithms,", score)]


def _cells(edges: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.where(np.isnan(x), len(edges) + 1, np.searchsorted(edges, x))


def _table(
    here: NDArray[np.float64], there: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges of cells of about equal weight, and the log ratio in each; half a count is added, against nothing seen."""
    seen = np.concatenate([here, there])
    seen = np.sort(seen[~np.isnan(seen)])
    edges = np.unique(seen[np.arange(1, CELLS) * len(seen) // CELLS]) if len(seen) else np.empty(0)
    counts = [np.bincount(_cells(edges, x), minlength=len(edges) + 2) + 0.5 for x in (here, there)]
    return edges, np.log(counts[0] / counts[0].sum()) - np.log(counts[1] / counts[1].sum())
