"""Whole numbers of LIMIT and OFFSET, also as sums and products."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub

from sqlglot import exp

_OPERATIONS: dict[type, Callable[[int, int], int]] = {exp.Add: add, exp.Sub: sub, exp.Mul: mul}


def whole_number(node: object) -> int | None:
    """The value of whole numbers with + - *, as in LIMIT 2 * 5; None of anything else."""
    if isinstance(node, exp.Paren):
        return whole_number(node.this)
    if isinstance(node, exp.Literal) and not node.args.get("is_string"):
        return int(node.this) if str(node.this).isdigit() and len(str(node.this)) < 10 else None
    if type(node) not in _OPERATIONS or not isinstance(node, exp.Expression):
        return None
    left, right = whole_number(node.args["this"]), whole_number(node.args["expression"])
    return None if left is None or right is None else _OPERATIONS[type(node)](left, right)
