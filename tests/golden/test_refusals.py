"""Every refusal says where, and how to mend it; and the fix, pasted, works.

Beside the query of an `error_*` case stands what somebody makes of it who does as the fix says: fixed.sql is the
analyst's question, fixed.toml the steward's lines. Its first lines say what was taken from the fix:

    -- pasted: CLAMP(score, LOW, HIGH)      stands in the fix, and in what it mends
    -- given: LOW = 0, HIGH = 200           what the fix asks for
    -- left out: LIMIT ALL                  stood in the question, and stands there no more
    -- done: leave out brackets             words of the fix that nobody can paste
    -- with: fixed.toml                     both together are the fix; otherwise each is one

and what the mended question asks:

    -- asks: the same                       several questions, with ; between them, are answered one after the other
    -- asks: what was meant                 of a question that says nothing as it stands
    -- asks: something else: which counts   with the words of the fix, or of the reason, that say so
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lapcat
from lapcat.errors import BadQuery, Error, Refused
from tests.golden.corpus import REFUSED, Case, Schema

SOURCE = Path(lapcat.__file__).parent
ELSEWHERE = {
    "too-long": "a file of 64 kB would say no more than its unit test does",
    "parser-differs": "about the installed SQLGlot, not about the text: tests/unit/test_parser.py",
    **dict.fromkeys(
        ("today-missing", "today-differs"), "dates come with versions of tables: tests/unit/test_today.py"
    ),
    "text-too-long": "a file of 4 kB would say no more than its unit test does",
    "price-twice": "raised when the question is asked, by what the call says",
    "error-relative": "about the error that is asked for, not about the text",
    "error-unknown-n": "about the error that is asked for, not about the text",
    "error-too-small": "about the error that is asked for, not about the text",
    "workload-mixed": "about several questions that are asked together: tests/unit/test_merged_query.py",
    "workload-price": "about several questions that are asked together: tests/unit/test_merged_query.py",
}
"""Codes of frontend/sql and plan that no text of a question leads to, and why."""
LEAST_SHARE = 0.6
"""Of the refused questions that mean something, those whose fix asks the same."""
NOWHERE = {
    "basics/error_open_quote": "the parser does not say where the quote opens",
    "basics/error_choice_too_wide": "candidates are chosen for the plan, which has no text any more",
    "flights/error_rows_counted_twice": "bounds are chosen for the plan, which has no text any more",
    "shop/error_bounding_of_pairs": "bounds are chosen for the plan, which has no text any more",
    "shop/error_joined_bytes": "rows are counted in the plan, which has no text any more",
    "shop/error_joined_rows": "rows are counted in the plan, which has no text any more",
}
"""Refusals without a place, and why."""


def raised_codes() -> set[str]:
    files = [*(SOURCE / "frontend" / "sql").glob("*.py"), *(SOURCE / "plan").rglob("*.py")]
    codes: set[str] = set()
    for path in files:
        text = path.read_text(encoding="utf-8")
        codes |= set(re.findall(r"\b(?:BadQuery|Refused)\(\s*\"([a-z-]+)\"", text))
    return codes


def refusal(case: Case) -> Error:
    with pytest.raises((BadQuery, Refused)) as caught:
        case.schema.prepared(case.question)
    return caught.value


def test_every_code_that_a_question_can_meet_has_a_case(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {refusal(case).code for case in REFUSED}
    raised = raised_codes()
    with capsys.disabled():
        print(
            f"\n{len(shown)} codes in {len(REFUSED)} refusals; not from a question: {', '.join(sorted(ELSEWHERE))}"
        )
    assert len(raised) > 30, "the codes are found by how they are written"
    assert raised - shown == set(ELSEWHERE) & raised
    assert shown - raised == set()


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_a_refusal_says_where_and_how_to_mend_it(case: Case) -> None:
    error = refusal(case)
    assert error.fix
    if case.name in NOWHERE:
        assert error.place is None
        return
    assert error.place is not None
    line = case.question.splitlines()[error.place.line - 1]
    assert 1 <= error.place.column <= len(line) and error.place.length >= 1


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_the_fix_works_when_pasted(case: Case) -> None:
    fix = refusal(case).fix
    assert fix is not None
    fixed = [name for name in ("fixed.sql", "fixed.toml") if (case.folder / name).exists()]
    assert fixed, "beside the query stands what the fix makes of it"
    for name in fixed:
        text = case.read(name)
        notes = re.findall(r"^(?:--|#) (pasted|left out|done): (.+)$", text, re.MULTILINE)
        given = re.findall(r"(\S+) = ([^,\n]+)", "\n".join(re.findall(r"^(?:--|#) given: (.+)$", text, re.M)))
        rest = re.sub(r"^(?:--|#) (?:pasted|left out|done|given|asks): .+$", "", text, flags=re.MULTILINE)
        assert notes, f"{name} says what it took from the fix"
        for how, words in notes:
            if how == "left out":
                assert case.question.count(words) > rest.count(words)
                continue
            assert words in fix
            for asked, value in given:
                words = words.replace(asked, value)
            assert how == "done" or words in rest
        if name == "fixed.sql":
            both = "-- with: fixed.toml" in rest
            schema = pasted(case.schema, case.read("fixed.toml")) if both else case.schema
            for question in rest.strip().split(";"):
                schema.prepared(question.strip())
        elif "-- with: fixed.toml" not in (case.read("fixed.sql") if "fixed.sql" in fixed else ""):
            pasted(case.schema, rest).prepared(case.question)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_a_fix_asks_the_same_question_or_says_that_it_does_not(case: Case) -> None:
    error = refusal(case)
    if not (case.folder / "fixed.sql").exists():  # the question stays as it is
        return
    (asks,) = re.findall(r"^-- asks: (.+)$", case.read("fixed.sql"), re.MULTILINE)
    kind, _, words = asks.partition(": ")
    assert kind in ("the same", "what was meant", "something else")
    if kind == "something else":
        assert words and words in f"{error.fix}\n{error.why}"
    if kind == "what was meant":
        assert isinstance(error, BadQuery), "what a privacy rule refuses says something"


def test_most_fixes_ask_the_same_question(capsys: pytest.CaptureFixture[str]) -> None:
    """A fix by the steward's lines alone leaves the question as it is. Questions that say nothing as they stand, such as
    those with a misspelt name, cannot be asked again: they are counted apart."""
    kinds: dict[str, list[str]] = {"the same": [], "what was meant": [], "something else": []}
    for case in REFUSED:
        text = case.read("fixed.sql") if (case.folder / "fixed.sql").exists() else ""
        kind = re.findall(r"^-- asks: (the same|what was meant|something else)", text, re.MULTILINE)
        lines = (case.folder / "fixed.toml").exists() and "-- with: fixed.toml" not in text
        kinds["the same" if lines else kind[0]].append(case.name)
    meaningful = len(REFUSED) - len(kinds["what was meant"])
    share = len(kinds["the same"]) / meaningful
    with capsys.disabled():
        figures = ", ".join(f"{kind}: {len(cases)}" for kind, cases in kinds.items())
        print(
            f"\nfixes of {len(REFUSED)} refusals ask {figures}; the same for {share:.0%} of meaningful questions"
        )
    assert share >= LEAST_SHARE


def pasted(schema: Schema, lines: str) -> Schema:
    """The catalogue with the lines pasted under their headings, in place of those of the same name."""
    text = schema.text
    for heading, body in re.findall(r"^(\[.+\])\n((?:(?!\[).*\n?)*)", lines.strip() + "\n", re.MULTILINE):
        if heading not in text:
            text += f"\n{heading}\n"
        before, _, after = text.partition(heading + "\n")
        section, rest = re.match(r"((?:(?!\[).*\n)*)([\s\S]*)", after).groups()  # type: ignore[union-attr]
        for line in body.strip().splitlines():
            name = re.escape(line.split("=")[0].strip())
            section = re.sub(rf"^{name}\s*=.*\n", "", section, flags=re.MULTILINE)
            section = f"{line}\n{section}"
        text = f"{before}{heading}\n{section}{rest}"
    return Schema(text)


def test_a_fix_that_changes_nothing_would_be_noticed() -> None:
    """The test above can fail: the refused question itself, or the catalogue as it was, is no fix."""
    for case in REFUSED[:5]:
        with pytest.raises((BadQuery, Refused)):
            pasted(case.schema, "").prepared(case.question)
