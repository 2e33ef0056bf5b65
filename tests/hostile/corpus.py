"""The corpus: statements that must be refused, whatever lapcat learns to answer.

corpus/KIND.sql holds one statement a line. What cannot be written down readably (invisible characters, deep nesting,
long texts) is made here. PORT stands for a port on this machine on which somebody listens.
"""

from __future__ import annotations

from pathlib import Path

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import TokenError
from sqlglot.tokens import TokenType

COUNT = "SELECT COUNT(*) FROM visits"
WHERE = f"{COUNT} WHERE "


def _nested(opening: str, core: str, closing: str, depth: int) -> str:
    return opening * depth + core + closing * depth


CHARACTERS = {
    "a homoglyph for a letter of the table": "SELECT COUNT(*) FROM v\u0456sits",
    "a homoglyph for a letter of the column": WHERE + "c\u043est > 3",
    "fullwidth letters": "SELECT COUNT(*) FROM \uff56\uff49\uff53\uff49\uff54\uff53",
    "a fullwidth semicolon and a fullwidth statement": COUNT + "\uff1b \uff24\uff32\uff2f\uff30 x",
    "fullwidth quotes": WHERE + "note = \uff07x\uff07 OR 1 = 1",
    "typographic quotes": WHERE + "note = \u2018x\u2019",
    "a zero-width space in a name": "SELECT COUNT(*) FROM vis\u200bits",
    "a zero-width joiner in a keyword": "SEL\u200dECT COUNT(*) FROM visits",
    "a soft hyphen in a function": "SELECT COU\u00adNT(*) FROM visits",
    "a combining accent on the table": "SELECT COUNT(*) FROM visits\u0301",
    "right-to-left override": WHERE + "\u202e3 < tsoc\u202c",
    "a mark that hides the end": "SELECT note \u2066FROM visits",
    "a non-breaking space before another statement": COUNT + "\u00a0;\u00a0DROP\u00a0TABLE visits",
    "an ideographic space and a function as a table": "SELECT COUNT(*) FROM\u3000read_csv('secrets.csv')",
    "a line separator that ends no comment": "-- \u2028SELECT COUNT(*) FROM visits",
    "a next-line character": "SELECT\u0085note\u0085FROM\u0085visits",
    "NUL inside a name": "SELECT COUNT(*) FROM vis\0its",
    "NUL before the end": COUNT + "\0; DROP TABLE visits",
    "half a surrogate pair": WHERE + "note = '\ud800'",
    "two halves the wrong way round": WHERE + "note = '\udc00\ud800'",
    "a character beyond the first plane as a table": "SELECT COUNT(*) FROM \U0001f408",
    "a tag character": "SELECT COUNT(*) FROM visits\U000e0041",
    "an upper-case letter that folds to two": "SELECT COUNT(*) FROM vi\u1e9eits",
    "a dotless i": "SELECT COUNT(*) FROM v\u0131sits",
    "a digit of another script": WHERE + "age > \u0663",
    "a superscript digit": WHERE + "age > \u00b2",
    "dollar quotes for a file": "SELECT COUNT(*) FROM $$secrets.csv$$",
    "tagged dollar quotes": "SELECT COUNT(*) FROM $a$secrets.csv$a$",
    "escapes in a string that is a file": "SELECT COUNT(*) FROM E'secrets\\x2ecsv'",
    "unicode escapes in a name": 'SELECT COUNT(*) FROM U&"\\0076ault"',
    "backticks": "SELECT COUNT(*) FROM `vault`",
    "square brackets": "SELECT COUNT(*) FROM [vault]",
    "a bit string": WHERE + "note = B'0101'",
    "a hexadecimal string": WHERE + "note = x'DEADBEEF'",
    "an open string": WHERE + "note = 'x",
    "an open name": 'SELECT COUNT(*) FROM "visits',
    "an open comment": COUNT + " /* ",
    "a comment that closes twice": COUNT + " /* */ */",
    "a comment inside a comment": "/* /* */ SELECT COUNT(*) FROM visits */ SELECT note FROM visits",
    "a comment inside a word": "SELECT COUNT(*) FR/**/OM visits",
    "MySQL's comment that is run": COUNT + " /*! UNION ALL SELECT note FROM visits */ INTO x",
    "a hash comment": "# SELECT\nSELECT note FROM visits",
    "a comment alone": "/* SELECT COUNT(*) FROM visits */",
    "a carriage return that ends no comment": COUNT + " -- x\r\n, vault",
    "form feed, tab and a file": "SELECT\fCOUNT(*)\vFROM\t'secrets.csv'",
    "an escape sequence for the terminal": "SELECT \x1b[2J\x1b[31mnote FROM visits",
    "a backspace": "SELECT COUNT(*) FROM vault\b\b\b\b\bvisits",
    "nothing": "",
    "spaces": " \t\n ",
    "a semicolon": ";",
    "percent-encoded": "SELECT%20note%20FROM%20visits",
    "HTML": "SELECT &lt;note&gt; FROM visits",
    "base64": "U0VMRUNUIG5vdGUgRlJPTSB2aXNpdHM=",
    "bytes that are no text": "\x80\x81\xfe\xff",
}
NESTING = {
    "parentheses": WHERE + _nested("(", "age > 1", ")", 10_000),
    "parentheses that never close": WHERE + "(" * 30_000,
    "parentheses that only close": WHERE + "age > 1" + ")" * 30_000,
    "brackets": WHERE + _nested("[", "1", "]", 10_000) + " IS NULL",
    "braces": WHERE + _nested("{'a': ", "1", "}", 5_000) + " IS NULL",
    "NOT": WHERE + "NOT " * 10_000 + "smoker",
    "minus": WHERE + "age > " + "- " * 10_000 + "1",
    "minus, each in parentheses": WHERE + "age > " + _nested("-(", "1", ")", 10_000),
    "tilde": WHERE + "age > " + "~" * 10_000 + "1",
    "exclamation marks": WHERE + "!" * 10_000 + "smoker",
    "CASE in THEN": WHERE + _nested("CASE WHEN smoker THEN ", "age", " END", 2_000) + " > 1",
    "CASE in ELSE": WHERE + _nested("CASE WHEN smoker THEN 1 ELSE ", "age", " END", 1_800) + " > 1",
    "CASE in WHEN": WHERE + _nested("CASE WHEN ", "smoker", " THEN smoker END", 1_500),
    "CAST": WHERE + _nested("CAST(", "age", " AS BIGINT)", 3_000) + " > 1",
    "CAST with colons": WHERE + "age" + "::TEXT::JSON" * 4_000 + " IS NULL",
    "functions": WHERE + _nested("FLOOR(", "age", ")", 7_000) + " > 1",
    "sums": WHERE + "age > 1" + " + 1" * 9_000,
    "concatenation": WHERE + "note = 'x'" + " || 'x'" * 8_000,
    "IS NULL": WHERE + "age" + " IS NULL" * 7_000,
    "comparisons": WHERE + "age" + " < 1" * 12_000,
    "COLLATE": WHERE + "note" + " COLLATE c" * 6_000 + " = 'x'",
    "arrows": WHERE + "note" + " -> 'a'" * 8_000 + " IS NULL",
    "subscripts": WHERE + "note" + "[1]" * 15_000 + " IS NULL",
    "dots": WHERE + "a" + ".a" * 20_000 + " > 1",
    "sub-queries in FROM": "SELECT COUNT(*) FROM " + _nested("(SELECT * FROM ", "visits", ")", 2_000),
    "sub-queries in WHERE": _nested(WHERE + "cost > (", "1", ")", 1_000),
    "sub-queries in EXISTS": COUNT + _nested(" WHERE EXISTS (SELECT 1 FROM visits", "", ")", 1_000),
    "WITH inside WITH": _nested("WITH a AS (", COUNT, ") " + COUNT, 900),
    "UNION": COUNT + " UNION SELECT 1" * 4_000,
    "UNION ALL of rows": "SELECT note FROM visits" + " UNION ALL SELECT note FROM visits" * 1_500,
    "joins": COUNT + " JOIN visits ON true" * 3_000,
    "commas": COUNT + ", visits" * 7_000,
    "lambdas": WHERE + _nested("list_transform([1], x -> ", "x", ")", 2_000) + " IS NULL",
    "types": WHERE + "CAST(note AS " + _nested("STRUCT(a ", "INT", ")", 5_000) + ") IS NULL",
    "lists of types": WHERE + "CAST(note AS INT" + "[]" * 20_000 + ") IS NULL",
    "intervals": WHERE + "day > day" + " + INTERVAL 1 DAY" * 3_500,
    "LIKE with ESCAPE": WHERE + "note LIKE 'x'" + " ESCAPE '!'" * 5_000,
    "EXPLAIN": "EXPLAIN " * 8_000 + COUNT,
    "window frames": "SELECT SUM(cost) OVER (PARTITION BY " + "note, " * 9_000 + "note) FROM visits",
    "comments that nest": COUNT + _nested("/* ", "", " */", 10_000) + " x y",
    "statements": "SELECT 1;" * 7_000,
    "semicolons and a statement": ";" * 60_000 + "DROP TABLE visits",
    "quotes": WHERE + "note = " + "'" * 60_001,
    "stars": "SELECT " + "*" * 60_000 + " FROM visits",
    "ANDs of a column that nobody declared": WHERE + " AND ".join(["email"] * 6_000),
    "ORs of conditions that fit no type": WHERE + " OR ".join(["age"] * 7_000),
    "a long list of different types": WHERE + "age IN (" + ", ".join(["'x'", "1"] * 6_000) + ")",
}
LENGTHS = {
    "a long comment": COUNT + " -- " + "x" * 70_000,
    "a long string": WHERE + "note = '" + "x" * 70_000 + "'",
    "a long name": f"SELECT COUNT(*) AS {'x' * 70_000} FROM visits",
    "a long number": WHERE + "age > " + "9" * 70_000,
    "many spaces": "SELECT" + " " * 70_000 + "COUNT(*) FROM visits",
    "few characters of many bytes": WHERE + "note = '" + "\U0001f408" * 20_000 + "'",
    "many ANDs": WHERE + " AND ".join(["smoker"] * 10_000),
    "many ORs": WHERE + " OR ".join(["age = 1"] * 10_000),
    "a long IN list": WHERE + f"age IN ({', '.join(map(str, range(20_000)))})",
    "many columns": "SELECT " + ", ".join(f"COUNT(*) AS n{i}" for i in range(6_000)) + " FROM visits",
    "a megabyte of parentheses": "(" * 2**20,
    "a number that fills the limit": WHERE + "age > 1e" + "9" * 60_000,
    "a whole number that fills the limit": "SELECT SUM(age * 1" + "0" * 60_000 + ") FROM visits",
    "a position that fills the limit": COUNT + " GROUP BY " + "9" * 60_000,
    "a table that fills the limit": "SELECT COUNT(*) FROM " + "x" * 60_000,
    "a column that fills the limit": WHERE + "x" * 60_000 + " > 1",
    "a type that fills the limit": WHERE + f"CAST(age AS {'x' * 60_000}) > 1",
}
DEFUSED = [
    # Elsewhere these fail, or not, depending on a row; here every expression has a value for every row.
    WHERE + "1 / (age - 77) > 0",
    WHERE + "age * 9223372036854775807 > 0 AND - age < 9223372036854775807",
    WHERE + "CAST(note AS BIGINT) = 7 AND CAST(note AS DOUBLE) < 1 AND CAST(note AS DATE) < day",
    WHERE + "cost / 0 > 1 AND ROUND(cost * 1e308) = 2 AND ABS(age) > 1",
    WHERE + "CASE WHEN note = 'x' THEN CAST(note AS BIGINT) ELSE 1 END = 1",
    WHERE
    + "make_date(age, 13, 32) = day OR make_date(age * age, age, age) > day OR LPAD(note, 64, 'x') = note",
    WHERE + "YEAR(seen) > 9998 AND EXTRACT(doy FROM day) = 366",
    WHERE + "note LIKE '%a%a%a%a%a%a%a%b'",
    "SELECT SUM(CLAMP(cost, -1e308, 1e308) / 1e50) AS s, AVG(CLAMP(age, -5, 5)) AS a FROM visits",
    # What one reader takes for a space, a comment or a quote and another does not: DuckDB never sees it.
    "SELECT COUNT(*)\ufeff FROM visits",
    WHERE + "smo\u212aer",
    WHERE + "note = 'x\\' OR note = ' OR 1 = 1 --'",
    COUNT + " -- \u2028 JOIN vault ON true",
    COUNT + " /* ; DROP TABLE visits */",
    WHERE + "note = '''; DROP TABLE visits; --'",
    WHERE + "note IN ('\u202e', '$list0', '\\', '%', '/*', '*/', '--', '?', '\x1b[2J')",
    'SELECT COUNT(*) AS "n""; DROP TABLE visits; --" FROM visits',
    'SELECT ward AS "cell", COUNT(*) AS "s0" FROM visits AS base GROUP BY 1',
    'SELECT ward AS "_lapcat_rank", COUNT(*) AS "c_cost" FROM visits AS "read_csv(\'x\')" GROUP BY ward',
]
"""Look hostile, and are answered: nothing of them but values reaches the engine."""


def corpus() -> dict[str, dict[str, str]]:
    """Kind → what it is → the statement."""
    kinds = {
        path.stem: {line: line for line in path.read_text(encoding="utf-8").splitlines() if line}
        for path in sorted((Path(__file__).parent / "corpus").glob("*.sql"))
    }
    return kinds | {"characters": CHARACTERS, "nesting": NESTING, "lengths": LENGTHS}


def shape(statement: str) -> tuple[str, ...]:
    """The words of a statement with its literals left out: two statements of one shape are one case."""
    try:
        tokens = DuckDB.Tokenizer(dialect=DuckDB()).tokenize(statement[:2_000])
    except TokenError:
        return (statement,)
    constants = {TokenType.STRING, TokenType.NUMBER}
    return tuple("literal" if token.token_type in constants else token.text.casefold() for token in tokens)
