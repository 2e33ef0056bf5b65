"""The analyst's text: guarded before it is parsed, parsed by SQLGlot, and quoted with carets in errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token

from lapcat.errors import BadQuery, Place, Refused
from lapcat.frontend.sql.commas import stray_comma
from lapcat.frontend.sql.foreign import foreign_aggregate
from lapcat.frontend.sql.options import split
from lapcat.frontend.sql.parser import require_parser
from lapcat.frontend.sql.places import place_at
from lapcat.frontend.sql.spans import Spans
from lapcat.frontend.sql.spellings import plain_quotes, rewrite, without_top
from lapcat.frontend.words import is_name
from lapcat.plan.declaring import IN_THE_CATALOGUE, Declaring
from lapcat.plan.limits import DEFAULT_LIMITS, WorkLimits
from lapcat.plan.words import sql_name

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
"""Clauses by the parser's names, where these are not the words of SQL."""


class Text:
    """One SELECT statement with the means to point into it."""

    def __init__(
        self,
        text: str,
        table: str = "table",
        work_limits: WorkLimits = DEFAULT_LIMITS,
        declaring: Declaring = IN_THE_CATALOGUE,
    ) -> None:
        self.text, self.work, self.work_limits, self.declaring = text, 0, work_limits, declaring
        self.objection: Refused | None = None
        """Why nobody should pay for this question, though it can be read: see `Asked.objection`."""
        self.example = self.count_of(table)
        """A question that is understood, for whoever has not written one."""
        _guard(text)
        require_parser()
        read, self.options = split(text)
        self.read, self.top = without_top(plain_quotes(read))
        """What is parsed: the text with its OPTIONS and TOP blanked out, and what they say."""
        self.dialect = Dialect.get_or_raise("duckdb")

    @staticmethod
    def count_of(table: str) -> str:
        """The simplest question about a table."""
        return f"SELECT COUNT(*) AS n FROM {table if is_name(table) else sql_name(table)}"

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
            raise self.unreadable(problem.errors[0] if problem.errors else {}) from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as stumble:
            # the parser's own mistake: SHOW ALL ends where it looks for one more word
            raise BadQuery(
                "syntax",
                "this is not SQL that lapcat can read: it ends too early, or is no question",
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
                "this is not SQL that lapcat can read: a comma with nothing on one side of it",
                why="it may be left over, or something may be missing beside it; lapcat does not guess which",
                fix="take the comma out, or write what is missing beside it",
                place=place_at(self.text, comma.start, comma.end + 1),
            )
        if not statements:
            raise BadQuery("syntax", "there is no question in this text", fix=f"for example {self.example}")
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
                fix=f"ask with a SELECT, for example {self.example}",
                place=self.place(select),
            )
        rewrite(select, self.top)
        return select

    def unreadable(self, problem: Mapping[str, object]) -> BadQuery:
        """What the parser stumbled over, and how it is written here where another dialect's words are known."""
        line, column = int(str(problem.get("line") or 1)), int(str(problem.get("col") or 1))
        word = str(problem.get("highlight") or "")
        width = max(1, len(word))
        missing = re.fullmatch(r"Expecting (\S{1,10})", str(problem.get("description")))
        what = f"{missing[1]} is expected here" if missing else f"{word or 'the end'} cannot stand here"
        if missing:
            fix = f"write {missing[1]} before it"
        else:
            fix = "correct the text at the caret: SELECT … FROM … WHERE … GROUP BY … is the order of the clauses"
        return BadQuery(
            "syntax",
            f"this is not SQL that lapcat can read: {what}",
            fix=fix,
            place=Place(self.text, line, max(1, column - width + 1), width),
        )

    def consume(self, node: exp.Expression, *known: str) -> list[object]:
        """The named parts of a node (None where absent); refuses the node if it has any other part."""
        for key, value in node.args.items():
            if key not in known and key not in NO_MATTER and value not in (None, False, [], ""):
                raise foreign_aggregate(self.text) or self.left_over(key, value, node)
        return [node.args.get(key) for key in known]

    def required(
        self, node: exp.Expression, *known: str, optional: tuple[str, ...] = ()
    ) -> list[exp.Expression]:
        """The named parts of a node; refused if one is missing. It may have the optional ones too."""
        parts = self.consume(node, *known, *optional)[: len(known)]
        found = [part for part in parts if isinstance(part, exp.Expression)]
        if len(found) != len(parts):
            raise self.missing(node)
        return found

    def missing(self, node: exp.Expression) -> BadQuery:
        """The refusal of what the parser lets pass in a form that nobody writes: an empty list, a missing argument."""
        return BadQuery(
            "syntax",
            "this is not SQL that lapcat can read: something is missing, or stands where it cannot",
            fix="give every function its arguments, and every clause what it lists",
            place=self.place(node),
        )

    def left_over(self, key: str, value: object, node: exp.Expression) -> BadQuery:
        """The refusal of a part that has no rule, in the analyst's words: the parser's name of it means nothing to them."""
        part = value[0] if isinstance(value, list) else value
        inside = part if isinstance(part, exp.Expression) and self.spans.of(part) else node
        named = CLAUSES.get(key) or ((part if isinstance(part, str) else key).rstrip("_").upper(),)
        said = next((name for name in named if set(name.split()) <= set(self.spans.words)), "")
        if isinstance(node, exp.Distinct):
            said = "DISTINCT ON"
        elif not said:
            said = self.quoted(inside)
            if inside is not node and not isinstance(node, (exp.Select, exp.Subquery, exp.SetOperation)):
                said = f"{said} in {self.quoted(node)}"
        return self.unsupported(inside, said, f"ask without {said}, which is another question")

    def unsupported(self, node: exp.Expression, what: str, fix: str) -> BadQuery:
        return BadQuery(
            "unsupported",
            f"{what}: not supported here",
            why="a clause that lapcat has no privacy rule for is refused, never passed on",
            fix=fix,
            place=self.place(node),
        )

    def called(self, node: exp.Expression) -> str:
        """A function's name as the analyst wrote it; the call itself where the parser does not say where that is."""
        start = node.meta.get("start")
        if start in self.spans.at:
            return self.spans.words[self.spans.at[start]]
        quoted = self.quoted(node)
        call = re.match(r"(\w+) ?\(", quoted)
        return call[1].upper() if call else quoted

    def quoted(self, node: exp.Expression, room: int = 60) -> str:
        """The node as the analyst wrote it, cut where it is long; what stands there where the parser does not say."""
        if self.spans.of(node) is None:
            word = node.sql("duckdb").upper()
            return word if word in self.spans.words else "what stands there"
        written = self.written(node)
        return written if len(written) <= room else written[: room - 1] + "…"

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
    """The parser logs what it cannot read, and that is the analyst's text: it stays out of logs."""
    log = logging.getLogger("sqlglot")
    log.addFilter(_nothing)
    try:
        yield
    finally:
        log.removeFilter(_nothing)


def _nothing(record: logging.LogRecord) -> bool:
    return False


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
    if "\0" in text:
        at = text.index("\0")
        raise BadQuery(
            "syntax", "the text holds a NUL character", fix="remove it", place=place_at(text, at, at + 1)
        )
    if deepest or prefixes or len(words) > 20 * DEEPEST:
        raise BadQuery(
            "too-deep",
            f"the question is nested deeper than {DEEPEST}",
            fix="leave out brackets and sub-queries that nest, or ask for less at once",
            place=deepest,
        )
    if len(re.findall(r"\w+|[^\w\s]", plain)) > MOST_WORDS or re.search(r"\d{4000}", plain):
        raise BadQuery(
            "too-long", f"the question has more than {MOST_WORDS} words", fix="ask for less at once"
        )
