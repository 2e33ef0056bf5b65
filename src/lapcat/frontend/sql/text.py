"""The text of a question: limits that are checked before parsing, parsing by SQLGlot, and quotations with carets in errors."""

from __future__ import annotations

import datetime
import itertools
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from lapcat.errors import BadQuery, Place, Refused
from lapcat.frontend.sql.commas import stray_comma
from lapcat.frontend.sql.contributions import split_contributions
from lapcat.frontend.sql.options import split
from lapcat.frontend.sql.parser import require_parser
from lapcat.frontend.sql.places import place_at
from lapcat.frontend.sql.spans import Spans
from lapcat.frontend.sql.spellings import CALLED, plain_calls, plain_quotes, rewrite, without_top
from lapcat.frontend.sql.synonyms import rewrite_aggregates
from lapcat.frontend.sql.whole_numbers import whole_number
from lapcat.frontend.words import is_name
from lapcat.plan.declaring import IN_THE_CATALOGUE, Declaring
from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits
from lapcat.plan.words import sql_name

MAX_BYTES = 64 * 1024
"""Longer texts are refused before anything reads them."""
MAX_TOKENS = 16_000
"""Words and signs: parsing time grows with them."""
MAX_DEPTH = 100
"""Nested parentheses, CASE and prefix operators; a hand-written question has a handful."""

MAX_WORK = 60_000
"""Translation steps, one per expression."""

IGNORED_ARGS = frozenset(
    {"big_int", "typed", "safe", "_type", "nested", "quoted", "is_string", "ignore_nulls"}
)
"""Node arguments that SQLGlot keeps for printing other dialects; they do not change the question."""


CLAUSES = {
    "with_": ("WITH",),
    "joins": ("JOIN",),
    "order": ("ORDER BY",),
    "group": ("GROUP BY",),
    "laterals": ("LATERAL",),
    "sample": ("TABLESAMPLE", "SAMPLE"),
    "windows": ("WINDOW",),
    "pivots": ("PIVOT", "UNPIVOT"),
    "locks": ("FOR",),
}
"""SQL keywords of clauses whose name in the parser differs."""


class Text:
    """One SELECT statement: its text, its tokens and the places of its parts."""

    def __init__(
        self,
        text: str,
        table: str = "table",
        work_limits: WorkLimits = DEFAULT_LIMITS,
        declaring: Declaring = IN_THE_CATALOGUE,
    ) -> None:
        self.text, self.work, self.work_limits, self.declaring = text, 0, work_limits, declaring
        self.objection: Refused | None = None
        """Why this question should not be charged, although it can be read: see `Query.objection`."""
        self.today: Callable[[exp.Expression], datetime.date] | None = None
        """The current date of the question, for the node that asks for it: see `today.py`."""
        self.example = self.count_of(table)
        """A valid question, for error messages."""
        _guard(text)
        require_parser()
        read, self.options = split(text)
        read, self.contributions = split_contributions(plain_quotes(read))
        self.read, self.top = without_top(plain_calls(read))
        """The text that is parsed, with OPTIONS, contribution bounds and TOP blanked out; and what they say."""
        self.dialect = Dialect.get_or_raise("duckdb")

    @staticmethod
    def count_of(table: str) -> str:
        """The simplest question about a table."""
        return f"SELECT COUNT(*) AS n FROM {table if is_name(table) else sql_name(table)}"

    def spend(self, steps: int) -> None:
        """Counts translation steps: a short text may expand to a very long one, through names that are used again."""
        self.work += steps
        if self.work > MAX_WORK:
            raise BadQuery(
                "too-deep",
                "the question is too long once its sub-queries are expanded",
                fix="ask for less at once",
            )

    def parse(self) -> exp.Select | exp.SetOperation:
        """The statement: one SELECT, or a UNION ALL of several."""
        try:
            with _quiet():
                statements = [s for s in self.dialect.parser().parse(self.tokens, self.read) if s is not None]
        except ParseError as problem:
            raise self.unreadable(problem.errors[0] if problem.errors else {}) from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as stumble:
            # a bug of the parser: SHOW ALL ends where it expects one more word
            raise BadQuery(
                "syntax",
                "syntax error: the text ends too early, or is not a query",
                fix=f"for example {self.example}",
            ) from stumble
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
                "syntax error: a comma with nothing on one side",
                why="either the comma is extra or an item is missing; lapcat does not guess which",
                fix="take the comma out, or write the missing item",
                place=place_at(self.text, comma.start, comma.end + 1),
            )
        if not statements:
            raise BadQuery("syntax", "the text contains no query", fix=f"for example {self.example}")
        if len(statements) > 1:
            raise BadQuery(
                "two-statements",
                f"a question is one statement; this text has {len(statements)}",
                fix=f"ask them one after the other: {'; then '.join(self.statements())}",
                place=self.place(statements[1]),
            )
        select = statements[0]
        if not isinstance(select, exp.Select | exp.SetOperation):
            raise BadQuery(
                "not-a-select",
                "lapcat answers only SELECT statements",
                fix=f"ask with a SELECT, for example {self.example}",
                place=self.place(select),
            )
        limit = select.args.get("limit")
        if self.top is not None and limit is not None:
            raise self.unsupported(limit, "TOP together with LIMIT", "leave one of them out")
        if self.top is not None and isinstance(select, exp.SetOperation):
            raise self.unsupported(select, "TOP in a UNION ALL", "LIMIT after the last part, for all rows")
        rewrite(select, self.top)
        rewrite_aggregates(select)
        return select

    def statements(self) -> list[str]:
        """The statements of the text, as written."""
        ends = [token.start for token in self.tokens if token.token_type is TokenType.SEMICOLON]
        edges = itertools.pairwise([-1, *ends, len(self.text)])
        return [part for start, end in edges if (part := self.text[start + 1 : end].strip())]

    def unreadable(self, problem: Mapping[str, object]) -> BadQuery:
        """The refusal of a text that does not parse, with a rewrite for TOP n of other dialects."""
        line, column = int(str(problem.get("line") or 1)), int(str(problem.get("col") or 1))
        word = str(problem.get("highlight") or "")
        width = max(1, len(word))
        missing = re.fullmatch(r"Expecting (\S{1,10})", str(problem.get("description")))
        what = f"{missing[1]} is expected here" if missing else f"{word or 'the end'} is not expected here"
        if missing:
            fix = f"write {missing[1]} before it"
        else:
            fix = (
                "correct the text at the caret; clauses come in the order SELECT … FROM … WHERE … GROUP BY …"
            )
        return BadQuery(
            "syntax",
            f"syntax error: {what}",
            fix=fix,
            place=Place(self.text, line, max(1, column - width + 1), width),
        )

    def consume(self, node: exp.Expression, *known: str) -> list[object]:
        """The named parts of a node (None where absent); refuses the node if it has any other part."""
        for key, value in node.args.items():
            if key not in known and key not in IGNORED_ARGS and value not in (None, False, [], ""):
                raise self.left_over(key, value, node)
        return [node.args.get(key) for key in known]

    def required(
        self, node: exp.Expression, *known: str, optional: tuple[str, ...] = ()
    ) -> list[exp.Expression]:
        """The named parts of a node; refuses the node if one is missing. The optional parts may be present."""
        parts = self.consume(node, *known, *optional)[: len(known)]
        present = [part for part in parts if isinstance(part, exp.Expression)]
        if len(present) != len(parts):
            raise self.missing(node)
        return present

    def whole_number(self, node: object, clause: str) -> int | None:
        """The number of LIMIT or OFFSET; None without the clause."""
        if not isinstance(node, exp.Expression):
            return None
        if isinstance(node, exp.Fetch):  # FETCH FIRST 5 ROWS ONLY
            _, number, how = self.consume(node, "direction", "count", "limit_options")
            if isinstance(how, exp.LimitOptions) and (how.args.get("percent") or how.args.get("with_ties")):
                raise self.unsupported(
                    node, "FETCH with PERCENT or TIES", "FETCH FIRST 10 ROWS ONLY, with a number of your own"
                )
        else:
            (number,) = self.consume(node, "expression")
        if isinstance(number, exp.Var) and number.name.upper() == "ALL":
            return None
        whole = whole_number(number)
        if whole is not None and whole >= 0:
            return whole
        raise self.unsupported(
            node,
            f"{clause} with anything other than a whole number",
            f"write a whole number, such as {clause} 10",
        )

    def missing(self, node: exp.Expression) -> BadQuery:
        """The refusal of a malformed node that the parser lets pass: an empty list, a missing argument."""
        return BadQuery(
            "syntax",
            "syntax error: something is missing or misplaced",
            fix="give every function its arguments, and every clause its items",
            place=self.place(node),
        )

    def left_over(self, key: str, value: object, node: exp.Expression) -> BadQuery:
        """The refusal of a part that has no rule, in the words of the question rather than the parser's."""
        part = value[0] if isinstance(value, list) else value
        inside = part if isinstance(part, exp.Expression) and self.spans.of(part) else node
        named = CLAUSES.get(key) or ((part if isinstance(part, str) else key).rstrip("_").upper(),)
        clause = next((name for name in named if set(name.split()) <= set(self.spans.words)), "")
        if isinstance(node, exp.Distinct):
            clause = "DISTINCT ON"
        elif not clause:
            clause = self.quoted(inside)
            if inside is not node and not isinstance(node, (exp.Select, exp.Subquery, exp.SetOperation)):
                clause = f"{clause} in {self.quoted(node)}"
        return self.unsupported(inside, clause, f"ask without {clause}, which is a different question")

    def unsupported(self, node: exp.Expression, what: str, fix: str) -> BadQuery:
        return BadQuery(
            "unsupported",
            f"{what}: not supported here",
            why="SQL without a privacy rule is refused, never passed on to the engine",
            fix=fix,
            place=self.place(node),
        )

    def called(self, node: exp.Expression) -> str:
        """A function's name as the analyst wrote it; the whole call if the parser gives no position."""
        start = node.meta.get("start")
        if start in self.spans.at:
            word = self.spans.words[self.spans.at[start]]
            return CALLED.get(word, word)
        quoted = self.quoted(node)
        call = re.match(r"(\w+) ?\(", quoted)
        return call[1].upper() if call else quoted

    def quoted(self, node: exp.Expression, room: int = 60) -> str:
        """The node as the analyst wrote it, shortened to `room` characters; a placeholder if the parser gives no position."""
        if self.spans.of(node) is None:
            word = node.sql("duckdb").upper()
            return word if word in self.spans.words else "this part"
        written = self.written(node)
        return written if len(written) <= room else written[: room - 1] + "…"

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens, for the parser and for places; tokenising takes as long as parsing."""
        return self.dialect.tokenize(self.read)

    @cached_property
    def spans(self) -> Spans:
        return Spans(self.read, self.tokens)

    def written(self, node: exp.Expression) -> str:
        """The node as the analyst wrote it, on one line."""
        span = self.spans.of(node)
        source = self.read if self.contributions else self.text  # an aggregate is named without its bounds
        shown = source[slice(*span)] if span else node.sql("duckdb")
        return re.sub(r"\s+", " ", re.sub(r"\s+\)", ")", shown) if self.contributions else shown).strip()

    def brackets(self, node: exp.Expr) -> tuple[int, int] | None:
        """The tokens of the brackets around a sub-query; None if it has none."""
        span = self.spans.of(node)
        opening = -1 if span is None else self.spans.outer[self.spans.at[span[0]]]
        return None if opening < 0 else (opening, self.spans.balanced(opening, opening)[1])

    def bracketed(self, node: exp.Expr) -> str:
        """A sub-query as the analyst wrote it, on one line; empty if it has no brackets."""
        around = self.brackets(node)
        if around is None:
            return ""
        (_, start), (end, _) = (self.spans.edges[index] for index in around)
        return re.sub(r"\s+", " ", self.text[start:end]).strip()

    def parts_of_union(self, node: exp.Expr) -> list[str]:
        """The whole question with each part of a UNION ALL in place of the union."""
        around = self.brackets(node)
        if around is None:
            return []
        first, last = around
        depth, spans = self.spans.depths[first] + 1, self.spans
        cuts = [i for i in range(first, last) if spans.words[i] == "UNION" and spans.depths[i] == depth]
        edges = itertools.pairwise([first, *cuts, last])
        parts = [self.text[spans.edges[start][1] : spans.edges[end][0]] for start, end in edges]
        before, after = self.text[: spans.edges[first][1]], self.text[spans.edges[last][0] :]
        whole = (before + re.sub(r"^\s*ALL\b", "", part, flags=re.IGNORECASE) + after for part in parts)
        return [
            re.sub(r"\s+", " ", question).replace("( ", "(").replace(" )", ")").strip() for question in whole
        ]

    def place(self, node: exp.Expr) -> Place | None:
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
    """Keeps the analyst's text out of logs: the parser logs what it cannot parse."""
    log = logging.getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        yield
    finally:
        log.removeFilter(_nothing)


def _nothing(record: logging.LogRecord) -> bool:
    return False


def _guard(text: str) -> None:
    """Refuses texts that are too long or nest too deeply, before they are parsed."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadQuery(
            "too-long", f"the question is longer than {MAX_BYTES} bytes", fix="ask for less at once"
        )
    plain = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "x", text)
    depth, deepest = 0, None
    for bracket in re.finditer(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[()\[\]{}]", text):
        depth += 1 if bracket[0] in "([{" else -1 if bracket[0] in ")]}" else 0
        if depth > MAX_DEPTH:
            deepest = place_at(text, *bracket.span())
            break
    words = re.findall(r"\bNOT\b|\bCASE\b|\bCAST\b", plain, re.IGNORECASE)
    prefixes = re.search(rf"(?:[-+~!]\s*){{{MAX_DEPTH},}}", plain)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise BadQuery("syntax", "the text contains half a character", fix="write it as UTF-8")
    if "\0" in text:
        at = text.index("\0")
        raise BadQuery(
            "syntax", "the text contains a NUL character", fix="remove it", place=place_at(text, at, at + 1)
        )
    if deepest or prefixes or len(words) > 20 * MAX_DEPTH:
        raise BadQuery(
            "too-deep",
            f"the question nests deeper than {MAX_DEPTH} levels",
            fix="leave out brackets and sub-queries that nest, or ask for less at once",
            place=deepest,
        )
    if len(re.findall(r"\w+|[^\w\s]", plain)) > MAX_TOKENS or re.search(r"\d{4000}", plain):
        raise BadQuery(
            "too-long", f"the question has more than {MAX_TOKENS} words", fix="ask for less at once"
        )
