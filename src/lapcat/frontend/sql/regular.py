"""Regular expressions: refused, with LIKE where it says the same."""

from __future__ import annotations

import re

from sqlglot import exp

from lapcat.errors import BadQuery
from lapcat.frontend.sql.text import Text
from lapcat.plan.words import sql_text

_MATCHES = (exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.SimilarTo)


def regular_expression(text: Text, node: exp.Expression) -> BadQuery | None:
    """The refusal of a regular expression; None for anything else."""
    name = str(node.this) if isinstance(node, exp.Anonymous) else type(node).__name__
    if not name.upper().startswith("REGEXP") and not isinstance(node, exp.SimilarTo):
        return None
    return BadQuery(
        "unsupported",
        "regular expressions: not supported here",
        why="engines match them by backtracking: one row could decide how long a question takes",
        fix=_instead(text, node),
        place=text.place(node),
    )


def _instead(text: Text, node: exp.Expression) -> str:
    arguments = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.expression]
    if isinstance(node, (*_MATCHES, exp.Anonymous)) and len(arguments) == 2:
        operand, pattern = arguments
        if isinstance(pattern, exp.Literal) and pattern.args.get("is_string"):
            listed = _patterns(node, str(pattern.this))
            word = "ILIKE" if isinstance(node, exp.RegexpILike) else "LIKE"
            if listed is not None:
                return " OR ".join(f"{text.quoted(operand)} {word} {sql_text(each)}" for each in listed)
    return (
        "compare with a pattern, x LIKE 'A%'; SPLIT_PART(x, '-', 2), SUBSTRING and REPLACE take texts apart"
    )


def _patterns(node: exp.Expression, pattern: str) -> list[str] | None:
    """The same texts as patterns of LIKE; None where it has no such form."""
    if isinstance(node, exp.SimilarTo):
        group = re.fullmatch(r"\(([^()]*)\)|([^()]*)", pattern)
        alternatives = (group[1] or group[2] or "").split("|") if group else [pattern]
        plain = all(re.fullmatch(r"[\w\s%,;:@&/'\"-]*", each) for each in alternatives)
        return alternatives if plain else None
    whole = isinstance(node, exp.RegexpFullMatch)
    group = re.fullmatch(r"(\^?)\(([^()]*)\)(\$?)", pattern)
    parts = [f"{group[1]}{part}{group[3]}" for part in group[2].split("|")] if group else pattern.split("|")
    listed = [_like(part, whole) for part in parts]
    return [each for each in listed if each is not None] if None not in listed else None


def _like(pattern: str, whole: bool) -> str | None:
    """One alternative of a regular expression.

    >>> _like("^ab.*c", False), _like("a.c$", False), _like("ab", True), _like("a[bc]", False)
    ('ab%c%', '%a_c', 'ab', None)
    """
    form = re.fullmatch(r"(\^?)((?:[a-zA-Z0-9 ,;:@&/'\"-]|[^\W\d_]|\.\*|\.(?![*+?{]))*)(\$?)", pattern)
    if form is None:
        return None
    before, after = ("" if form[1] or whole else "%"), ("" if form[3] or whole else "%")
    return re.sub("%+", "%", before + form[2].replace(".*", "%").replace(".", "_") + after)
