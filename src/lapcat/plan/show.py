"""A plan as text: one node per line, children indented."""

from __future__ import annotations

from dataclasses import fields
from typing import assert_never

from lapcat.core.exact import exact_text
from lapcat.plan.expressions import (
    Arithmetic,
    AsciiCase,
    Cast,
    Clamp,
    Coalesce,
    Column,
    Compare,
    Concat,
    Expression,
    InList,
    IsNull,
    LeastOrGreatest,
    Like,
    Literal,
    Logic,
    Not,
    NullOutsideBounds,
    Position,
    Replace,
    SplitPart,
    Substring,
    Trim,
)
from lapcat.plan.nodes import (
    Filter,
    Group,
    Join,
    Kind,
    LimitGroups,
    LimitRows,
    PerUnit,
    Public,
    Rows,
    Scan,
    Statistic,
    Union,
    UnitColumn,
    WeightRows,
)
from lapcat.plan.schema import Value
from lapcat.stored.forms import form_of


def show_plan(plan: Group | Rows) -> str:
    """The tree, root first."""
    return "\n".join(_lines(plan, 0))


def _lines(node: Group | Rows | Public, depth: int) -> list[str]:
    pad = "  " * depth
    match node:
        case Group(source, keys, statistics):
            each = " for each private combination" if node.private_keys else ""
            lines = [f"{pad}group into {node.cells} cell{'s' if node.cells != 1 else ''}{each}"]
            for key in keys:
                values = "those that enough units have" if key.values is None else _values(key.values)
                lines.append(
                    f"{pad}  key {show_expression(key.expression)} in {values}{' or other' if key.other else ''}"
                )
            for grouping in node.sets:
                by = ", ".join(show_expression(keys[position].expression) for position in grouping)
                lines.append(f"{pad}  set by {by or 'nothing'}")
            lines += [f"{pad}  {_statistic(statistic)}" for statistic in statistics]
            return [*lines, *_lines(source, depth + 1)]
        case Filter(source, predicate):
            return [f"{pad}filter {show_expression(predicate)}", *_lines(source, depth + 1)]
        case LimitRows(source, rows):
            return [f"{pad}bound to {rows} rows per {source.unit}", *_lines(source, depth + 1)]
        case WeightRows(source, rows):
            return [f"{pad}weigh to {rows} rows per {source.unit}", *_lines(source, depth + 1)]
        case LimitGroups(source, grouped, groups, max_rows):
            by = ", ".join(map(show_expression, grouped)) or "nothing"
            each = f", {max_rows} rows in each" if max_rows is not None else ""
            return [f"{pad}bound to {groups} groups by {by}{each}", *_lines(source, depth + 1)]
        case Join(left, right, on, match, outer, mark):
            pairs = " and ".join(_pair(mine, theirs, mark) for mine, theirs in on)
            how = "left join" if outer else "join"
            head = f"{pad}{how} ({match}) on {pairs or 'the unit'}"
            return [head, *_lines(left, depth + 1), *_lines(right, depth + 1)]
        case Union(names, branches):
            lines = [f"{pad}union"]
            for branch in branches:
                columns = (f"{n} = {show_expression(x)}" for n, x in zip(names, branch.columns, strict=True))
                lines += [f"{pad}  part {', '.join(columns)}", *_lines(branch.rows, depth + 2)]
            return lines
        case PerUnit(source, unit_keys, unit_columns):
            lines = [f"{pad}one row per unit{' and group' if unit_keys else ''}"]
            lines += [f"{pad}  key {name} = {show_expression(key)}" for name, key in unit_keys]
            lines += [f"{pad}  {_unit_column(column)}" for column in unit_columns]
            return [*lines, *_lines(source, depth + 1)]
        case Public(table, _, version):
            return [f"{pad}scan public {table} version {version}"]
        case Scan(table, _, version, unit, relation, units):
            size = f", {units} units" if units is not None else ""
            return [f"{pad}scan {table} version {version} (unit {unit}, {relation}{size})"]
        case _:
            assert_never(node)


def _values(values: tuple[Value, ...] | range) -> str:
    """The public values of a key; of a long list the first, the last and the number."""
    if isinstance(values, range):
        return f"{values.start}..{values.stop - 1}"
    shown = [repr(value) if isinstance(value, str) else str(value) for value in values]
    if len(shown) > 20:
        shown = [*shown[:3], "…", shown[-1]]
        return f"[{', '.join(shown)}] ({len(values)} values)"
    return f"[{', '.join(shown)}]"


def _pair(mine: Expression, theirs: Expression, mark: int) -> str:
    """A pair of a join; a condition on one side alone is compared with TRUE."""
    if isinstance(theirs, Literal):
        return show_expression(mine)
    right = f"{show_expression(theirs)}@{mark}"
    return right if isinstance(mine, Literal) else f"{show_expression(mine)} = {right}"


def _unit_column(column: UnitColumn) -> str:
    of = "rows" if column.value is None else show_expression(column.value)
    where = f" where {show_expression(column.filter)}" if column.filter is not None else ""
    steps = "" if column.grid is None else f" in steps of 2^{column.grid.exponent}"
    return f"{column.name} = {column.aggregate} of {of}{steps}{where}"


def _statistic(statistic: Statistic) -> str:
    where = f" where {show_expression(statistic.filter)}" if statistic.filter is not None else ""
    if statistic.kind in (Kind.ROWS, Kind.UNITS):
        return f"{statistic.kind}{where}"
    assert statistic.value is not None
    shown = show_expression(statistic.value)
    if statistic.grid is None:
        return f"{statistic.kind} {shown}{where}"
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
        case Like(operand, pattern, _, escape):
            return f"{show(operand)} like {pattern!r}" + (f" escape {escape!r}" if escape else "")
        case Clamp(operand, low, high, _):
            return f"clamp({show(operand)}, {show(low)}, {show(high)})"
        case NullOutsideBounds(operand, low, high, _):
            return f"within({show(operand)}, {show(low)}, {show(high)})"
        case Coalesce(operand, replacement, _):
            return f"coalesce({show(operand)}, {show(replacement)})"
        case LeastOrGreatest(how, operands, _):
            return f"{how}({', '.join(map(show, operands))})"
        case AsciiCase(casing, operand, _):
            return f"{casing}({show(operand)})"
        case Trim(sides, operand, characters, _):
            return f"trim({sides} {characters!r} from {show(operand)})"
        case Substring(operand, start, count, _):
            return f"substring({show(operand)}, {start}{'' if count is None else f', {count}'})"
        case SplitPart(operand, separator, number, _):
            return f"split_part({show(operand)}, {separator!r}, {number})"
        case Position(operand, search, _):
            return f"position({search!r} in {show(operand)})"
        case Concat(operands, _, _):
            return "(" + " || ".join(map(show, operands)) + ")"
        case Replace(operand, search, replacement, _, _):
            return f"replace({show(operand)}, {search!r}, {replacement!r})"
    parts = [_part(getattr(expression, field.name)) for field in fields(expression) if field.name != "type"]
    suffix = f" as {expression.type}" if isinstance(expression, Cast) else ""
    return f"{(form_of(expression).tag or '').lower()}({', '.join(parts)}{suffix})"


def _part(value: object) -> str:
    if isinstance(value, Expression):
        return show_expression(value)
    if isinstance(value, tuple):
        return " ".join(_part(item) for item in value)
    return str(value)
