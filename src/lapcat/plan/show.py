"""A plan as text that people read and diff: one node a line, children indented."""

from __future__ import annotations

from dataclasses import fields
from typing import assert_never

from lapcat.core.exact import exact_text
from lapcat.plan.expressions import (
    Arithmetic,
    Clamp,
    Coalesce,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Like,
    Literal,
    Logic,
    Not,
    Within,
)
from lapcat.plan.nodes import Bound, Filter, Group, Kind, Rows, Scan, Statistic
from lapcat.plan.schema import Value


def show_plan(plan: Group | Rows) -> str:
    """The tree, root first."""
    return "\n".join(_lines(plan, 0))


def _lines(node: Group | Rows, depth: int) -> list[str]:
    pad = "  " * depth
    match node:
        case Group(source, keys, statistics):
            lines = [f"{pad}group into {node.cells} cell{'s' if node.cells != 1 else ''}"]
            for key in keys:
                values = _values(key.values)
                lines.append(
                    f"{pad}  key {show_expression(key.expression)} in {values}{' or other' if key.other else ''}"
                )
            lines += [f"{pad}  {_statistic(statistic)}" for statistic in statistics]
            return [*lines, *_lines(source, depth + 1)]
        case Filter(source, predicate):
            return [f"{pad}filter {show_expression(predicate)}", *_lines(source, depth + 1)]
        case Bound(source, rows):
            return [f"{pad}bound to {rows} rows per {source.unit}", *_lines(source, depth + 1)]
        case Scan(table, _, version, unit, relation, units):
            size = f", {units} units" if units is not None else ""
            return [f"{pad}scan {table} version {version} (unit {unit}, {relation}{size})"]
        case _:
            assert_never(node)


def _values(values: tuple[Value, ...] | range) -> str:
    """The public values of a key; of many, the ends and how many there are."""
    if isinstance(values, range):
        return f"{values.start}..{values.stop - 1}"
    shown = [repr(value) if isinstance(value, str) else str(value) for value in values]
    if len(shown) > 20:
        shown = [*shown[:3], "…", shown[-1]]
        return f"[{', '.join(shown)}] ({len(values)} values)"
    return f"[{', '.join(shown)}]"


def _statistic(statistic: Statistic) -> str:
    where = f" where {show_expression(statistic.filter)}" if statistic.filter is not None else ""
    if statistic.kind is Kind.ROWS:
        return f"rows{where}"
    assert statistic.value is not None
    shown = show_expression(statistic.value)
    if statistic.grid is None:
        return f"present {shown}{where}"
    grid = statistic.grid
    return (
        f"sum of {shown} clamped to {grid.clamp_low}..{grid.clamp_high} around {exact_text(grid.centre)}"
        f" in steps of 2^{grid.exponent}: {grid.low}..{grid.high}{where}"
    )


def show_expression(expression: Expression) -> str:
    """Infix where people expect it, a function call elsewhere."""
    show = show_expression
    match expression:
        case Column(name, _):
            return name
        case Literal(value, _):
            return repr(value) if isinstance(value, str) else str(value)
        case Compare(op, left, right, _) | Arithmetic(op, left, right, _):
            return f"({show(left)} {op} {show(right)})"
        case Logic(op, operands, _):
            return "(" + f" {op} ".join(show(operand) for operand in operands) + ")"
        case Not(operand, _):
            return f"not {show(operand)}"
        case IsNull(operand, _):
            return f"{show(operand)} is null"
        case InList(operand, values, _):
            return f"{show(operand)} in ({', '.join(show(value) for value in values)})"
        case Like(operand, pattern, _):
            return f"{show(operand)} like {pattern!r}"
        case Clamp(operand, low, high, _):
            return f"clamp({show(operand)}, {show(low)}, {show(high)})"
        case Within(operand, low, high, _):
            return f"within({show(operand)}, {show(low)}, {show(high)})"
        case Coalesce(operand, replacement, _):
            return f"coalesce({show(operand)}, {show(replacement)})"
    parts = [_part(getattr(expression, field.name)) for field in fields(expression) if field.name != "type"]
    suffix = f" as {expression.type}" if type(expression).__name__ == "Cast" else ""
    return f"{type(expression).__name__.lower()}({', '.join(parts)}{suffix})"


def _part(value: object) -> str:
    if isinstance(value, Expression):
        return show_expression(value)
    if isinstance(value, tuple):
        return " ".join(_part(item) for item in value)
    return str(value)
