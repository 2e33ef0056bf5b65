"""UNION ALL of answers, at the top of a question: SELECT 'all', COUNT(*) FROM t UNION ALL SELECT sex, COUNT(*) FROM t GROUP BY sex.

The parts become one merged question with one price (plan/answer_union.py), so they read the same rows. ORDER BY and LIMIT
after the last part read the rows of all answers.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.text import Text
from lapcat.plan.answer_union import united
from lapcat.plan.columns import KeyColumn
from lapcat.plan.compile import Query
from lapcat.plan.released.stacked import UnionAfter, UnionOrder
from lapcat.plan.schema import Type

_CLAUSES = ("this", "expression", "distinct", "with_", "order", "limit", "offset")


def union_of_answers(text: Text, union: exp.SetOperation, asked: Callable[[exp.Select], Query]) -> Query:
    """The question of a UNION ALL; `asked` reads one SELECT."""
    selects, distinct = _parts(text, union)
    _share_names(text, union, selects)
    questions = [asked(select) for select in selects]
    names = _matched(text, selects, questions)
    order, limit, offset = (union.args.get(clause) for clause in ("order", "limit", "offset"))
    nodes = text.consume(order, "expressions")[0] if isinstance(order, exp.Expression) else []
    assert isinstance(nodes, list)
    after = UnionAfter(
        distinct,
        tuple(_ordered(text, node, names) for node in nodes),
        text.whole_number(limit, "LIMIT"),
        text.whole_number(offset, "OFFSET") or 0,
    )
    try:
        return united(questions, after)
    except BadQuery as refusal:
        if refusal.code != "workload-mixed":
            raise
        apart = _one_after_the_other(text, union, selects)
        raise BadQuery(
            "union-rows",
            refusal.message.replace("these questions", "the answers of a UNION ALL").replace(
                "question ", "part "
            ),
            why="the parts of a question are charged once, for the joint sensitivity of all answers over the same rows",
            fix=apart,
            place=text.place(selects[-1]),
        ) from None


def _parts(text: Text, union: exp.SetOperation) -> tuple[list[exp.Select], bool]:
    """The parts from left to right, and whether equal rows are shown once."""
    parts: list[exp.Select] = []
    kinds: set[bool] = set()
    stack: list[object] = [union]
    while stack:
        node = stack.pop()
        while isinstance(node, (exp.Subquery, exp.Paren)) and not node.args.get("alias"):
            (node,) = text.consume(node, "this")
        if isinstance(node, exp.Union):
            left, right, distinct, *_ = text.consume(node, *(_CLAUSES if node is union else _CLAUSES[:3]))
            kinds.add(bool(distinct))
            stack += [right, left]
        elif isinstance(node, exp.Select):
            parts.append(node)
        else:
            raise text.unsupported(
                union,
                "INTERSECT and EXCEPT of answers",
                f"{_one_after_the_other(text, union, list(union.find_all(exp.Select, bfs=False)))}; and compare the answers",
            )
    if len(kinds) > 1:
        raise text.unsupported(union, "UNION and UNION ALL of answers together", "UNION ALL throughout")
    return parts, kinds.pop()


def _one_after_the_other(text: Text, union: exp.SetOperation, selects: list[exp.Select]) -> str:
    if union.args.get("with_") or any(select.parent_select is not None for select in selects):
        return "ask the parts one after the other"
    return f"ask the parts one after the other: {'; '.join(f'SELECT {text.written(select)}' for select in selects)}"


def _share_names(text: Text, union: exp.SetOperation, selects: list[exp.Select]) -> None:
    """Gives each part the queries in WITH that it reads."""
    with_ = union.args.get("with_")
    if not isinstance(with_, exp.With):
        return
    unread = {cte.alias.casefold() for cte in with_.expressions}
    for number, select in enumerate(reversed(selects), 1):
        known = {table.name.casefold() for table in select.find_all(exp.Table)}
        mine: list[exp.Expression] = []
        for cte in reversed(with_.expressions):
            name = cte.alias.casefold()
            if name in known or (
                name in unread and number == len(selects)
            ):  # a query that nobody reads is refused there
                known |= {table.name.casefold() for table in cte.find_all(exp.Table)}
                unread.discard(name)
                mine.insert(0, cte)
        own = select.args.get("with_")
        mine += own.expressions if isinstance(own, exp.With) else []
        if mine:
            recursive = with_.args.get("recursive")
            select.set("with_", exp.With(expressions=[cte.copy() for cte in mine], recursive=recursive))


def _matched(text: Text, selects: list[exp.Select], questions: list[Query]) -> list[str]:
    """The names of the union's columns, with the ends of intervals; refuses parts whose columns do not match by position."""
    shown = [[column for column in question.columns if column.shown] for question in questions]
    types = [
        [q.keys[c.key].type if isinstance(c, KeyColumn) else c.type for c in columns]
        for q, columns in zip(questions, shown, strict=True)
    ]
    for select, columns, kinds in zip(selects, shown, types, strict=True):
        if len(columns) != len(shown[0]):
            raise BadQuery(
                "union-columns",
                f"the parts of a UNION ALL have {len(shown[0])} and {len(columns)} columns",
                fix="select the same columns in each part",
                place=text.place(select),
            )
        for first, kind, other in zip(shown[0], types[0], kinds, strict=True):
            if kind is not other and {kind, other} != {Type.INTEGER, Type.FLOAT}:
                raise BadQuery(
                    "union-columns",
                    f"the column {first.name} is {kind} and {other} in the parts of a UNION ALL",
                    fix=f"CAST one of them, or leave {first.name} out",
                    place=text.place(select),
                )
    return [column.name for column in shown[0]]


def _ordered(text: Text, node: exp.Expression, names: list[str]) -> UnionOrder:
    this, descending, nulls_first = text.consume(node, "this", "desc", "nulls_first")
    name = None
    if isinstance(this, exp.Literal) and str(this.this).isdigit() and 1 <= int(str(this.this)) <= len(names):
        name = names[int(str(this.this)) - 1]
    elif isinstance(this, exp.Column) and not this.table:
        name = next((each for each in names if each.casefold() == this.name.casefold()), None)
    if name is None:
        raise text.unsupported(
            node,
            "ORDER BY of a UNION ALL by anything other than its columns",
            f"ORDER BY a column of the first part: {', '.join(names)}",
        )
    return UnionOrder(name, bool(descending), bool(nulls_first))
