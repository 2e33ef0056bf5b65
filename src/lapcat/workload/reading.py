"""A strategy found again by the labels of its parts, as the ledger stores them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapcat.errors import Bug
from lapcat.workload.direct import direct_of
from lapcat.workload.nested import nested_of
from lapcat.workload.optimised import optimised_of
from lapcat.workload.strategy import Strategy
from lapcat.workload.toeplitz import Toeplitz
from lapcat.workload.workload import Questions


def strategy_of(questions: Questions, labels: Sequence[str]) -> Strategy:
    """The strategy whose parts are called so. Labels are stored, so their meaning never changes."""
    kinds = {label.partition(": ")[2].partition(" ")[0] for label in labels}
    if kinds == {"convolution"}:
        size, grid = labels[0].rpartition(" ")[2].split("*")
        return Toeplitz(int(size), int(grid))
    if kinds == {"weighted"}:
        return optimised_of(labels[0])
    if kinds == {"questions"}:
        return direct_of(questions)
    if kinds <= {"sums", "contrasts"} and labels:
        return nested_of(questions, labels, [Fraction(1, len(labels)) for _ in labels])
    raise Bug("cost-differs", "a stored payment is not of a workload")
