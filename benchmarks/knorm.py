"""Error of K-norm noise relative to Laplace noise at the same epsilon, and time per draw.

    python benchmarks/knorm.py        exits with 1 if a target is missed

Workloads are d random 0/1 counting queries under add-remove. The expected total squared error is computed (from the volume and
second moment of the polytope) and sampled (from the exact sampler), and compared with that of Laplace noise.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass
from fractions import Fraction

from lapcat.core.coins import system_coins
from lapcat.mechanisms.integers.knorm import KNorm, laplace_squared_error

EPSILON = Fraction(1, 4)
DRAWS = 4000
SLOWEST = 5.0  # milliseconds per draw


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one workload."""

    dimension: int
    facets: int
    acceptance: float
    laplace: float
    computed: float
    sampled: float
    milliseconds: float

    @property
    def met(self) -> bool:
        """Not worse than Laplace, computed and sampled errors agree, and fast enough."""
        alike = abs(self.sampled / self.computed - 1) < 0.1
        return self.computed <= self.laplace and alike and self.milliseconds <= SLOWEST


def workload(dimension: int) -> list[tuple[int, ...]]:
    """Kinds of records by the queries they satisfy: random ones, and for each query one that satisfies only it."""
    rng = random.Random(dimension)
    drawn = [tuple(rng.randint(0, 1) for _ in range(dimension)) for _ in range(3 * dimension)]
    return [*drawn, *(tuple(int(i == j) for j in range(dimension)) for i in range(dimension))]


def run() -> list[Row]:
    rows = []
    for dimension in range(2, 7):
        records = workload(dimension)
        mechanism = KNorm.of_questions(records, EPSILON)
        start = time.perf_counter()
        noise = mechanism.noise(DRAWS, system_coins()).astype(float)
        took = time.perf_counter() - start
        rows.append(
            Row(
                dimension,
                len(getattr(mechanism.norm, "normals", ())),
                mechanism.acceptance,
                laplace_squared_error(records, EPSILON),
                mechanism.squared_error,
                float((noise**2).sum(axis=1).mean()),
                took / DRAWS * 1e3,
            )
        )
    return rows


def main() -> int:
    rows = run()
    print(f"expected squared error of d questions at epsilon {EPSILON}, add-remove")
    print(" d  facets  1 in …     Laplace    K-norm   sampled   ratio   ms/draw")
    for row in rows:
        print(
            f"{row.dimension:2} {row.facets:7} {1 / row.acceptance:7.1f} {row.laplace:11.1f} {row.computed:9.1f} "
            f"{row.sampled:9.1f} {row.computed / row.laplace:7.3f} {row.milliseconds:9.3f} {'' if row.met else ' MISSED'}"
        )
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
