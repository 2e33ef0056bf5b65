"""Time to prove the joint sensitivity of k range predicates over five columns, under both neighbouring relations.

    python benchmarks/predicates.py

Each predicate is `a <= x < a + 20 and y < b + 20` on two of the columns at random, with a fixed seed. The time of
importing z3 is shown separately. On a busy machine compare the CPU time.
"""

from __future__ import annotations

import random
import time

from lapcat.plan.expressions import Column, Compare, Expression, Literal, Logic
from lapcat.plan.predicates import StatisticTerm, joint
from lapcat.plan.schema import Relation, Type


def range_predicates(count: int, seed: int) -> list[Expression]:
    coins = random.Random(seed)
    columns = [Column(f"x{n}", Type.FLOAT) for n in range(5)]

    def number(value: int) -> Literal:
        return Literal(float(value), Type.FLOAT)

    predicates: list[Expression] = []
    for _ in range(count):
        x, y = coins.sample(columns, 2)
        a, b = coins.randint(0, 80), coins.randint(0, 80)
        bounds = Compare(">=", x, number(a)), Compare("<", x, number(a + 20)), Compare("<", y, number(b + 20))
        predicates.append(Logic("and", bounds))
    return predicates


def main() -> None:
    start = time.perf_counter()
    import z3

    print(f"import z3 {z3.get_version_string()}: {time.perf_counter() - start:.3f} s")
    print(f"{'k':>4} {'seed':>5} {'relation':<12} {'max':>5} {'proved':>7} {'seconds':>8} {'of CPU':>7}")
    for count in (10, 50, 100, 200):
        for seed in (1, 2, 3):
            parts = [StatisticTerm(predicate, counts=True) for predicate in range_predicates(count, seed)]
            for relation in Relation:
                start, cpu = time.perf_counter(), time.process_time()
                bound = joint(parts, relation, may_be_absent=False)
                seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
                question = f"{count:>4} {seed:>5} {relation:<12}"
                print(f"{question} {bound.max_affected:>5} {bound.proved!s:>7} {seconds:>8.3f} {cpu:>7.3f}")


if __name__ == "__main__":
    main()
