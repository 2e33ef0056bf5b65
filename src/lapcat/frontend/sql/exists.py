"""EXISTS of a sub-query that is compared with the rows outside, as IN.

EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id AND o.amount > 100)
c.customer_id IN (SELECT o.customer_id FROM orders AS o WHERE o.amount > 100)
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from lapcat.frontend.sql.text import flattened

_AGGREGATING = ("group", "having", "qualify", "limit", "offset")


def as_membership(node: exp.Exists) -> exp.In | None:
    """The same condition as IN; None where no equality of two qualified columns connects the sub-query with the rows outside, and
    where the sub-query aggregates: SELECT COUNT(*) has a row also where nothing matches."""
    select = node.this
    if not isinstance(select, exp.Select) or select.args.get("from_") is None:
        return None
    if any(select.args.get(clause) for clause in _AGGREGATING) or any(
        item.find(exp.AggFunc) for item in select.expressions
    ):
        return None
    where = select.args.get("where")
    sources = [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]
    inside = {source.alias_or_name.casefold() for source in sources}
    conditions = [] if where is None else list(flattened(where.this, exp.And))
    for condition in conditions:
        sides = [condition.args.get("this"), condition.args.get("expression")]
        if not isinstance(condition, exp.EQ) or not all(isinstance(s, exp.Column) and s.table for s in sides):
            continue
        inner = [side for side in sides if side is not None and side.table.casefold() in inside]
        outer = [side for side in sides if side is not None and side.table.casefold() not in inside]
        if len(inner) != 1 or len(outer) != 1:
            continue
        rest = [other.copy() for other in conditions if other is not condition]
        query = select.copy()
        query.set("expressions", [inner[0].copy()])
        whole = reduce(lambda left, right: exp.And(this=left, expression=right), rest) if rest else None
        query.set("where", None if whole is None else exp.Where(this=whole))
        return exp.In(this=outer[0].copy(), query=exp.Subquery(this=query))
    return None
