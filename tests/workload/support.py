"""Small workloads, and what they are when they are written out as matrices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lapcat.core.loss import ZCDP, PureDP
from lapcat.core.sensitivity import Sensitivity
from lapcat.workload.axes import Axis
from lapcat.workload.linear import IntegerMap
from lapcat.workload.planner import Moved, PricedStrategy
from lapcat.workload.workload import AxisWorkload, Workload

Floats = npt.NDArray[np.float64]
ONE = Sensitivity(1, Fraction(1), Fraction(1), Fraction(1))
FINE_EPSILON, FINE_RHO = PureDP(Fraction(1, 100)), ZCDP(Fraction(1, 20000))
"""Small enough for discrete noise to have the variance of continuous noise: 100 times the error at epsilon = 1, rho = 1/2."""

# the sizes that Xiao, He, Zhang & Kifer 2023 take
ADULT = {
    "age": 85,
    "workclass": 9,
    "fnlwgt": 100,
    "education": 16,
    "marital_status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "capital_gain": 100,
    "capital_loss": 100,
    "hours": 99,
    "country": 42,
    "income": 2,
}


def one_row(_: tuple[int, ...]) -> Moved:
    """One row is one unit, added or removed."""
    return Moved(ONE)


def over(workload: Workload, *sizes: int) -> AxisWorkload:
    names = workload.columns
    return workload.over([Axis(name, range(size)) for name, size in zip(names, sizes, strict=True)])


def written(maps: Sequence[IntegerMap], cells: int) -> list[npt.NDArray[np.int64]]:
    """What each map measures as a matrix, found by what it makes of single rows."""
    single = np.eye(cells, dtype=np.int64)
    return [np.stack([integer_map.applied(row) for row in single], axis=1) for integer_map in maps]


def whitened(candidate: PricedStrategy) -> Floats:
    """The strategy written out, each row divided by the deviation of its noise."""
    parts = written(candidate.strategy.maps, candidate.questions.cells)
    return np.concatenate([part / np.sqrt(v) for part, v in zip(parts, candidate.noise, strict=True)])


CASES = {
    "all ranges": (Workload.ranges("x"), (32,)),
    "some ranges": (Workload.ranges("x", [(0, 3), (2, 9), (5, 5), (0, 15)]), (16,)),
    "prefixes": (Workload.prefixes("x"), (27,)),
    "ranges and prefixes": (Workload.ranges("x") + Workload.prefixes("x").weighted("0.5"), (16,)),
    "written": (Workload.queries("x", [[1, 1, 0, 0, 2], [0, 1, 1, 0, 0], [1, 0, 0, -1, 0]]), (5,)),
    "two-way": (Workload.marginals(["x", "y", "z"], ways=2), (3, 2, 5)),
    "mixed ways": (Workload.marginals(["x", "y", "z"], ways=[0, 1, ["x", "z"]]), (3, 4, 2)),
    "ranges by value": (Workload.ranges("x") * Workload.marginals(["y"]), (9, 3)),
    "products": (
        Workload.prefixes("x") * Workload.ranges("y") + Workload.marginals(["x", "y"], ways=[1, 2]),
        (8, 4),
    ),
    "a column of one value": (Workload.marginals(["x", "y"], ways=[1, 2]), (1, 4)),
}
