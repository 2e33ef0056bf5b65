"""Strategies of version 0.1.0, which were stored in the labels of their parts.

    tree 8-16-8: sums 8*128                  eight blocks of 128 cells
    tree 8-16-8: contrasts 64*1/8            each of 64 cells against its eight siblings
    optimised: weighted 1024*2*1000=0:12,13;40:7/3:5     cells, length of blocks, what a column adds up to, then each sum
    square root: convolution 512*65536       size and grid
    direct: questions 7                      the questions themselves

Labels are now only for people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lapcat.core.event_codec import canonical_json


def specification_of_labels(labels: Sequence[str]) -> str | None:
    """The specification of the strategy whose parts have these labels; None if they are statistics of a question."""
    if not labels or any(label.endswith(")") for label in labels):
        return None
    kinds = {label.partition(": ")[2].partition(" ")[0] for label in labels}
    if kinds == {"convolution"}:
        size, grid = labels[0].rpartition(" ")[2].split("*")
        return canonical_json({"strategy": "square-root", "size": int(size), "grid": int(grid)})
    if kinds == {"weighted"}:
        axes = labels[0].partition(": weighted ")[2].split(" ")
        return canonical_json({"strategy": "weighted", "axes": [_weighted(axis) for axis in axes]})
    if kinds == {"questions"}:
        return canonical_json({"strategy": "direct"})
    return canonical_json(_nested(labels)) if kinds <= {"sums", "contrasts"} else None


def _weighted(text: str) -> dict[str, object]:
    numbers, _, rows = text.partition("=")
    size, block, column = map(int, numbers.split("*"))
    sums = [
        [[int(number) for number in re.split("[:,]", stretch)] for stretch in row.split(";")]
        for row in (rows.split("/") if rows else ())
    ]
    return {"size": size, "block": block, "column": column, "sums": sums}


def _nested(labels: Sequence[str]) -> dict[str, object]:
    """The specification of a nested strategy; levels that were not measured are irrelevant."""
    name, blocks = "", []
    for label in labels:
        name, _, description = label.partition(": ")
        kind, *axes = description.split()
        each = []
        for axis in axes:
            numbers = [int(number) for number in re.split(r"[*/]", axis)]
            each.append((numbers[0] * numbers[1], numbers[1], numbers[2] if len(numbers) > 2 else 1))
        blocks.append((kind == "contrasts", each))
    chains = []
    for of_axis in zip(*(each for _, each in blocks), strict=True):
        lengths = {1} | {
            length for whole, block, apart in of_axis for length in (whole, block, block * apart)
        }
        chains.append(sorted(lengths, reverse=True))
    parts = [
        {"levels": [chain.index(axis[1]) for chain, axis in zip(chains, each, strict=True)], "apart": apart}
        for apart, each in blocks
    ]
    return {"strategy": "nested", "name": name, "chains": chains, "parts": parts}
