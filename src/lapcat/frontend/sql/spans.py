"""Source spans of nodes. SQLGlot records positions of names and constants only.

`NOT smoker` has a position on smoker alone, `CASE … END` only on its inner parts. So a node's span is that of its parts,
widened by the tokens of its own syntax; then it can be quoted as the analyst wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lapcat.frontend.words import is_name

Span = tuple[int, int]
"""The first and the last token, inclusive."""


class Spans:
    """Spans of nodes in one tokenised text."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.edges = [(token.start, token.end + 1) for token in tokens]
        self.words = [text[start:end].upper() for start, end in self.edges]
        turns = ({"(": 1, ")": -1}.get(word, 0) for word in self.words)
        self.depths = [0, *accumulate(turns)]
        """The number of open parentheses before each token."""
        self.outer = _outer(self.words)
        """The innermost open parenthesis at each token; -1 if none is open."""
        self.at = {start: index for index, (start, _) in enumerate(self.edges)}

    def of(self, node: exp.Expr) -> tuple[int, int] | None:
        """The character range of a node; None if none of its parts has a position."""
        spans: dict[int, Span] = {}
        for part in reversed(list(node.dfs())):  # parts before what they are part of
            inner = [spans[id(child)] for child in part.iter_expressions() if id(child) in spans]
            if part.meta.get("start") in self.at:
                own = self.at[part.meta["start"]]
                inner.append((own, own))
            if inner:
                span = min(first for first, _ in inner), max(last for _, last in inner)
                spans[id(part)] = self.balanced(*self.widened(part, *span))
        if id(node) not in spans:
            return None
        first, last = spans[id(node)]
        return self.edges[first][0], self.edges[last][1]

    def widened(self, node: exp.Expr, first: int, last: int) -> Span:
        """The span widened by the keywords of this kind of node, if they are there."""
        before, after = self.word(first - 1), self.word(last + 1)
        match node:
            case exp.Not() if before == "NOT":
                return first - 1, last
            case exp.Neg() if before == "-":
                return first - 1, last
            case exp.Paren() if before == "(":
                return first - 1, last
            case exp.Is() if after == "IS":
                return first, last + (3 if self.word(last + 2) == "NOT" else 2)
            case exp.Cast() if after == "::":
                return first, last + 2
            case exp.Cast() if before in ("DATE", "TIMESTAMP"):
                return first - 1, last
            case exp.Window():  # ROW_NUMBER () OVER (), whose brackets are empty
                for words in (("(", ")"), ("OVER", "(", ")")):
                    if all(self.word(last + 1 + place) == word for place, word in enumerate(words)):
                        last += len(words)
                return first, last
            case exp.Case():  # the nearest enclosing pair: inner ones have their own
                first, last = max(0, first - 1), min(len(self.words) - 1, last + 1)
                while first > 0 and self.words[first] != "CASE":
                    first -= 1
                while last + 1 < len(self.words) and self.words[last] != "END":
                    last += 1
                return first, last
            case exp.Func() if first == last and after == "(":  # no argument has a position: f(CURRENT_DATE)
                return first, last + 1
            case exp.Func() if "start" not in node.meta:
                return self.opening(first, node), last
        return first, last

    def opening(self, first: int, node: exp.Func) -> int:
        """The first token of the function call that encloses a token; else the token itself. The name of an aggregate may
        differ from the parser's."""
        outer = self.outer[first]
        if outer <= 0:
            return first
        word = self.words[outer - 1]
        named = word in node.sql_names() or (word == "POSITION" and isinstance(node, exp.StrPosition))
        return outer - 1 if named or (isinstance(node, exp.AggFunc) and is_name(word)) else first

    def balanced(self, first: int, last: int) -> Span:
        """The span extended until its parentheses are closed."""
        open_ = self.depths[last + 1] - self.depths[first]
        while open_ > 0 and last + 1 < len(self.words):
            last += 1
            open_ += self.depths[last + 1] - self.depths[last]
        return first, last

    def word(self, index: int) -> str:
        return self.words[index] if 0 <= index < len(self.words) else ""


def _outer(words: Sequence[str]) -> list[int]:
    outer, open_ = [], [-1]
    for index, word in enumerate(words):
        if word == ")" and len(open_) > 1:
            open_.pop()
        outer.append(open_[-1])
        if word == "(":
            open_.append(index)
    return outer
