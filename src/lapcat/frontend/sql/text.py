"""The analyst's text: guarded before it is parsed, parsed by SQLGlot, and quoted with carets in errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokens import Token

from lapcat.errors import BadQuery, Place
from lapcat.frontend.sql.commas import stray_comma
from lapcat.frontend.sql.foreign import foreign_aggregate
from lapcat.frontend.sql.options import split
from lapcat.frontend.sql.parser import require_parser
from lapcat.frontend.sql.places import place_at
from lapcat.frontend.sql.spans import Spans
from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits

LONGEST = 64 * 1024
"""Bytes; longer texts are refused before anything reads them."""
MOST_WORDS = 16_000
"""Words and signs; the parser takes its time for each."""
DEEPEST = 100
"""Nested parentheses, CASE and prefix operators; a person's question has a handful."""

MOST_WORK = 100_000
"""Steps of reading; each expression is one."""

NO_MATTER = frozenset({"big_int", "typed", "safe", "_type", "nested", "quoted", "is_string", "ignore_nulls"})
"""What SQLGlot notes on nodes for printing them in other dialects; it changes nothing about the question."""


class Text:
    """One SELECT statement with the means to point into it."""

    def __init__(self, text: str, table: str = "table", work_limits: WorkLimits = DEFAULT_LIMITS) -> None:
        self.text, self.work, self.work_limits = text, 0, work_limits
        self.example = f"SELECT COUNT(*) AS n FROM {table}"
        """A question that is understood, for whoever has not written one."""
        _guard(text)
        require_parser()
        self.read, self.options = split(text)
        """What is parsed: the text with its OPTIONS blanked out, and what they say."""
        self.dialect = Dialect.get_or_raise("duckdb")

    def spend(self, steps: int) -> None:
        """Counts the work of reading: a short text may stand for a very long one, by names that are used again."""
        self.work += steps
        if self.work > MOST_WORK:
            raise BadQuery(
                "too-deep",
                "the question is too long once its sub-queries are written out",
                fix="ask for less at once",
            )

    def parse(self) -> exp.Select:
        try:
            with _quiet():
                statements = [s for s in self.dialect.parser().parse(self.tokens, self.read) if s is not None]
        except ParseError as problem:
            foreign = foreign_aggregate(self.text)
            if foreign is not None:
                raise foreign from None
            first = problem.errors[0] if problem.errors else {}
            line, column = first.get("line") or 1, first.get("col") or 1
            width = max(1, len(first.get("highlight") or " "))
            place = Place(self.text, line, max(1, column - width + 1), width)
            raise BadQuery(
                "syntax",
                f"this is not SQL that lapcat can read: {first.get('description') or 'unexpected text'}",
                fix=self.example,
                place=place,
            ) from None
        except TokenError:
            raise BadQuery(
                "syntax",
                "a quote or comment is not closed",
                fix="close it: 'text', \"column\", /* comment */",
            ) from None
        comma = stray_comma(self.tokens)
        if comma is not None:
            raise BadQuery(
                "syntax",
                "this is not SQL that lapcat can read: a comma with nothing on one side of it",
                why="it may be left over, or something may be missing beside it; lapcat does not guess which",
                fix=self.example,
                place=place_at(self.text, comma.start, comma.end + 1),
            )
        if not statements:
            raise BadQuery("syntax", "there is no question in this text", fix=self.example)
        if len(statements) > 1:
            raise BadQuery(
                "two-statements",
                f"a question is one statement; this text has {len(statements)}",
                fix="ask them one after the other",
                place=self.place(statements[1]),
            )
        select = statements[0]
        if isinstance(select, exp.SetOperation):
            raise self.unsupported(
                select,
                "UNION, INTERSECT and EXCEPT of answers",
                "ask the parts one after the other; or FROM (SELECT … UNION ALL SELECT …)",
            )
        if not isinstance(select, exp.Select):
            raise BadQuery(
                "not-a-select",
                "lapcat answers SELECT statements and nothing else",
                fix=self.example,
                place=self.place(select),
            )
        return select

    def consume(self, node: exp.Expression, *known: str) -> list[object]:
        """The named parts of a node (None where absent); refuses the node if it has any other part."""
        for key, value in node.args.items():
            if key not in known and key not in NO_MATTER and value not in (None, False, [], ""):
                foreign = foreign_aggregate(self.text)
                raise foreign or self.unsupported(
                    value if isinstance(value, exp.Expression) else node, _called(key, node), ""
                )
        return [node.args.get(key) for key in known]

    def unsupported(self, node: exp.Expression | list[exp.Expression], what: str, fix: str) -> BadQuery:
        place = self.place(node[0] if isinstance(node, list) else node)
        return BadQuery(
            "unsupported",
            f"{what}: not supported here",
            why="a clause that lapcat has no privacy rule for is refused, never passed on",
            fix=fix or f"leave it out: {_called('', node[0] if isinstance(node, list) else node)}",
            place=place,
        )

    @cached_property
    def tokens(self) -> list[Token]:
        """Taken apart once, which takes as long as parsing does: for the parser, and for places."""
        return self.dialect.tokenize(self.read)

    @cached_property
    def spans(self) -> Spans:
        return Spans(self.read, self.tokens)

    def written(self, node: exp.Expression) -> str:
        """The node as the analyst wrote it, on one line."""
        span = self.spans.of(node)
        shown = self.text[slice(*span)] if span else node.sql("duckdb")
        return re.sub(r"\s+", " ", shown).strip()

    def place(self, node: exp.Expression) -> Place | None:
        span = self.spans.of(node)
        if span is None:
            return None
        before = self.text[: span[0]]
        line = before.count("\n") + 1
        column = span[0] - (before.rfind("\n") + 1) + 1
        stop = self.text.find("\n", span[0])
        end = span[1] if stop < 0 else min(span[1], stop)
        return Place(self.text, line, column, max(1, end - span[0]))


def flattened(node: exp.Expression, kind: type[exp.Expression]) -> Iterable[exp.Expression]:
    """The operands of a chain such as a AND b AND c, from left to right, without recursion."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, exp.Paren):
            stack.append(top.this)
        elif isinstance(top, kind):
            stack += [top.args["expression"], top.args["this"]]
        else:
            yield top


@contextmanager
def _quiet() -> Iterator[None]:
    """The parser logs what it cannot read, and that is the analyst's text: it stays out of logs."""
    log = logging.getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        yield
    finally:
        log.removeFilter(_nothing)


def _nothing(record: logging.LogRecord) -> bool:
    return False


def _called(key: str, node: exp.Expression) -> str:
    names = {
        "with_": "WITH",
        "joins": "JOIN",
        "order": "ORDER BY",
        "group": "GROUP BY",
        "laterals": "LATERAL",
    }
    return names.get(key, (key or node.key).rstrip("_").upper().replace("_", " "))


def _guard(text: str) -> None:
    """Refuses what is too long or too deep, before any parser sees it."""
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise BadQuery("too-long", f"the question is longer than {LONGEST} bytes", fix="ask for less at once")
    plain = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "x", text)
    depth, deepest = 0, None
    for bracket in re.finditer(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[()\[\]{}]", text):
        depth += 1 if bracket[0] in "([{" else -1 if bracket[0] in ")]}" else 0
        if depth > DEEPEST:
            deepest = place_at(text, *bracket.span())
            break
    words = re.findall(r"\bNOT\b|\bCASE\b|\bCAST\b", plain, re.IGNORECASE)
    prefixes = re.search(rf"(?:[-+~!]\s*){{{DEEPEST},}}", plain)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise BadQuery("syntax", "the text holds half a character", fix="write it as UTF-8")
    if deepest or prefixes or len(words) > 20 * DEEPEST or "\0" in text:
        raise BadQuery(
            "too-deep", f"the question is nested deeper than {DEEPEST}", fix="write it flatter", place=deepest
        )
    if len(re.findall(r"\w+|[^\w\s]", plain)) > MOST_WORDS or re.search(r"\d{4000}", plain):
        raise BadQuery(
            "too-long", f"the question has more than {MOST_WORDS} words", fix="ask for less at once"
        )
