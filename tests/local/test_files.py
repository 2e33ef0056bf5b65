"""Reports as files: what the commands write, what the engine counts, and what they refuse."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapcat.engines.duckdb_reports import reports, write_reports
from lapcat.local import Numbers, Protocol, Texts, Values, protocol_of
from lapcat.local.base import SetBits, counted
from lapcat.local.domain import domain_of
from lapcat.session.local import estimate_file
from lapcat.testing.coins import SeededCoins
from tests.e2e.kit import CANARY, Desk

PEOPLE = 3000
COLOURS = ("red", "blue", "green")

CATALOGUE = """
[tables.people]
source = "people.csv"
unit = "id"
rows_per_unit = 1
budget = { epsilon = 1 }

[tables.people.columns]
age    = { type = "integer", low = 18, high = 100 }
colour = { type = "text", keys = ["red", "blue", "green"] }
"""
QUESTIONS = """
title = "Habits"
[[questions]]
name = "smokes"
ask = "Did you smoke this week?"
values = ["yes", "no"]
epsilon = 1
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    rows = "\n".join(
        f"{CANARY}{i},{20 + i % 40},{COLOURS[i % 7 % 3]},{'' if i == 5 else i % 3}" for i in range(PEOPLE)
    )
    (tmp_path / "people.csv").write_text(f"id,age,colour,score\n{rows}\n", encoding="utf-8")
    return Desk(tmp_path)


def encode(desk: Desk, column: str, *more: str, to: str = "r.parquet") -> object:
    return desk.here("local", "encode", "people.csv", "--column", column, "--epsilon", "1", "-o", to, *more)


AGES = ("--low", "18", "--high", "100", "--person", "id")


def test_encoding_twice_writes_the_same_bytes_and_another_key_others(desk: Desk) -> None:
    first = encode(desk, "age", *AGES)
    assert first.code == 0 and "a new secret key is in lapcat-local.key" in first.out
    again = encode(desk, "age", *AGES, to="again.parquet")
    assert again.code == 0 and "new secret key" not in again.out
    other = encode(desk, "age", *AGES, "--key", "other.key", to="other.parquet")
    assert other.code == 0
    bytes_of = [(desk.folder / f"{name}.parquet").read_bytes() for name in ("r", "again", "other")]
    assert bytes_of[0] == bytes_of[1] != bytes_of[2]
    assert (desk.folder / "lapcat-local.key").stat().st_mode & 0o777 == 0o600


def test_a_file_of_reports_holds_nothing_of_the_people_but_their_reports(desk: Desk) -> None:
    assert encode(desk, "colour", "--value", "red", "--value", "blue", "--person", "id").code == 0
    assert CANARY.encode() not in (desk.folder / "r.parquet").read_bytes()
    table = pq.read_table(desk.folder / "r.parquet")
    assert table.column_names == ["said"] and table.num_rows == PEOPLE
    header = json.loads(pq.read_metadata(desk.folder / "r.parquet").metadata[b"lapcat_local"])
    assert header["protocol"] == "response" and header["parameters"]["epsilon"] == "1" and header["lapcat"]


@pytest.mark.parametrize("protocol", ["response", "unary", "hashing", "hadamard"])
def test_shares_come_back_within_their_intervals(desk: Desk, protocol: str) -> None:
    values = ("--value", "red", "--value", "blue", "--person", "id", "--protocol", protocol)
    assert encode(desk, "colour", *values).code == 0
    found = desk.here(
        "local", "estimate", "r.parquet", "--confidence", "0.9999999", "--project", "--json"
    ).json()
    assert found["protocol"] == protocol and found["n"] == PEOPLE
    true = {"red": 3 / 7, "blue": 2 / 7, "(other)": 2 / 7}
    for row in found["shares"]:
        assert row["low"] <= true[row["value"]] <= row["high"] and 0 <= row["projected"] <= 1
    assert "(other)" in desk.here("local", "estimate", "r.parquet").out


def test_a_mean_and_frequent_texts_come_back(desk: Desk) -> None:
    assert encode(desk, "age", *AGES).code == 0
    mean = desk.here("local", "estimate", "r.parquet", "--confidence", "0.9999999", "--json").json()
    assert mean["low"] <= 39.5 <= mean["high"]
    texts = ("--alphabet", "abcdefghijklmnopqrstuvwxyz", "--length", "3", "--person", "id", "--epsilon", "4")
    assert encode(desk, "colour", *texts).code == 0
    found = desk.here("local", "estimate", "r.parquet", "--json").json()
    assert {row["text"] for row in found["found"]} == {"red", "blu", "gre"}


def test_a_catalogue_says_what_is_public_so_that_no_option_is_needed(desk: Desk) -> None:
    (desk.folder / "lapcat.toml").write_text(CATALOGUE, encoding="utf-8")
    assert encode(desk, "age").code == 0
    assert desk.here("local", "estimate", "r.parquet", "--json").json()["protocol"] == "hybrid"
    assert encode(desk, "colour").code == 0
    shares = desk.here("local", "estimate", "r.parquet", "--json").json()["shares"]
    assert [row["value"] for row in shares] == ["red", "blue", "green", "(other)"]


ALL = [
    protocol_of("q", domain_of(9), "response", Fraction(1)),
    protocol_of("q", domain_of(70), "unary", Fraction(1)),
    protocol_of("q", domain_of(200), "hashing", Fraction(2)),
    protocol_of("q", domain_of(200), "hadamard", Fraction(1)),
    protocol_of("q", Numbers(0, 50), "hybrid", Fraction(1)),
    protocol_of("q", Numbers(0, 50), "laplace", Fraction(1)),
]


@pytest.mark.parametrize("protocol", ALL, ids=lambda p: p.randomiser.name)
def test_the_engine_counts_what_numpy_counts(protocol: Protocol, tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, protocol.randomiser.inputs, 5000)
    made = protocol.randomiser.draw(values, SeededCoins(4))
    path = tmp_path / "r.parquet"
    write_reports(made, protocol.as_json(), path)
    with reports(path) as file:
        assert file.size() == 5000
        for tally in protocol.randomiser.tallies:
            places, numbers = counted(made, tally)
            theirs = file.by_bit(tally) if isinstance(tally, SetBits) else file.by_place(tally)
            mine = {p: n for p, n in zip(places.tolist(), numbers.tolist(), strict=True) if n}
            assert {p: n for p, n in zip(*(part.tolist() for part in theirs), strict=True) if n} == mine
    found, n, estimate = estimate_file(path)
    assert (found, n) == (protocol, 5000) and estimate == protocol.estimate(made)


def test_an_engine_hands_out_prefixes_by_length(tmp_path: Path) -> None:
    protocol = protocol_of("q", Texts("abc", 3), "prefixes", Fraction(3))
    made = protocol.randomise(["abc"] * 900 + ["ca"] * 600, SeededCoins(4))
    write_reports(made, protocol.as_json(), tmp_path / "r.parquet")
    assert estimate_file(tmp_path / "r.parquet")[2] == protocol.estimate(made)


# ------------------------------------------------------------------------------------------------ refusals


def refused(done: object, code: str) -> str:
    assert done.code == 2 and f"[{code}]" in done.err, done
    assert CANARY not in done.err
    return done.err


def test_a_domain_is_never_read_from_the_data_and_the_fix_works(desk: Desk) -> None:
    said = refused(encode(desk, "age", "--person", "id"), "local-domain-missing")
    assert "--low 0 --high 110" in said
    assert encode(desk, "age", "--person", "id", "--low", "0", "--high", "110").code == 0


def test_nobody_is_encoded_under_a_name_that_may_change(desk: Desk) -> None:
    said = refused(encode(desk, "age", "--low", "18", "--high", "100"), "local-person-missing")
    assert "--person row" in said
    assert encode(desk, "age", "--low", "18", "--high", "100", "--person", "row").code == 0
    assert "keep one row of each" in refused(
        encode(desk, "age", "--low", "18", "--high", "100", "--person", "colour"), "local-person"
    )


def test_everybody_reports_also_who_has_no_number(desk: Desk) -> None:
    score = ("--low", "0", "--high", "2", "--person", "id")
    assert "--missing 0" in refused(encode(desk, "score", *score), "local-missing")
    assert encode(desk, "score", *score, "--missing", "0").code == 0


@pytest.mark.parametrize(
    "code, more",
    [
        ("local-column", ("--low", "0", "--high", "1", "--person", "nobody")),
        ("local-numbers", ("--low", "5", "--high", "5", "--person", "id")),
        ("local-values", ("--value", "a", "--value", "a", "--person", "id")),
        ("local-values", ("--value", "a", "--missing", "b", "--person", "id")),
        ("local-protocol", ("--low", "0", "--high", "9", "--person", "id", "--protocol", "unary")),
        ("local-protocol", ("--low", "0", "--high", "9", "--person", "id", "--protocol", "rappor")),
        ("local-alphabet", ("--alphabet", "aa", "--length", "3", "--person", "id")),
        ("local-length", ("--alphabet", "ab", "--length", "90", "--person", "id")),
        ("local-values-file", ("--values-from", "nowhere.txt", "--person", "id")),
        ("epsilon-zero", ("--low", "0", "--high", "9", "--person", "id", "--epsilon", "0")),
    ],
)
def test_what_cannot_be_is_refused_with_a_fix(desk: Desk, code: str, more: tuple[str, ...]) -> None:
    assert "fix:" in refused(encode(desk, "age", *more), code)


def test_an_epsilon_that_protects_nobody_is_refused(desk: Desk) -> None:
    done = encode(desk, "age", *AGES, "--epsilon", "27.3")
    assert done.code == 3 and "[protects-nobody]" in done.err and not (desk.folder / "r.parquet").exists()
    (desk.folder / "questions.toml").write_text(QUESTIONS.replace("epsilon = 1", "epsilon = 11"))
    done = desk.here("local", "survey", "questions.toml", "-o", "survey.html")
    assert done.code == 3 and "[protects-nobody]" in done.err and not (desk.folder / "survey.html").exists()


def test_a_key_that_is_none_is_not_overwritten(desk: Desk) -> None:
    (desk.folder / "lapcat-local.key").write_text("not a key\n")
    refused(encode(desk, "age", *AGES), "local-key")
    assert (desk.folder / "lapcat-local.key").read_text() == "not a key\n"


def test_a_file_that_holds_no_reports_is_refused(desk: Desk) -> None:
    refused(desk.here("local", "estimate", "people.csv"), "reports-unreadable")
    refused(desk.here("local", "estimate", "nowhere.parquet"), "reports-unreadable")
    pq.write_table(pa.table({"said": [1, 2]}), desk.folder / "plain.parquet")
    refused(desk.here("local", "estimate", "plain.parquet"), "reports-unreadable")


def test_reports_that_were_changed_to_what_no_protocol_makes_are_refused(desk: Desk) -> None:
    protocol = protocol_of("q", Values(("a", "b"), missing="a"), "response", Fraction(1))
    write_reports({"said": np.array([0, 1, 7])}, protocol.as_json(), desk.folder / "r.parquet")
    refused(desk.here("local", "estimate", "r.parquet"), "reports-foreign")


# ------------------------------------------------------------------------------------------------ surveys, comparison


def test_a_survey_is_written_and_its_answers_are_estimated(desk: Desk) -> None:
    (desk.folder / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    made = desk.here("local", "survey", "questions.toml", "-o", "survey.html", "--json").json()
    page = (desk.folder / "survey.html").read_text(encoding="utf-8")
    assert "73.1 times in 100" in page and "default-src &#x27;none&#x27;" in page
    assert "https://" not in page and "http://" not in page
    answers = [{"survey": made["id"], "reports": {"smokes": {"said": i % 2}}} for i in range(100)]
    (desk.folder / "a.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    found = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml", "--json").json()
    assert found["n"] == 100 and [row["share"] for row in found["shares"]] == pytest.approx([0.5, 0.5])
    (desk.folder / "questions.toml").write_text(QUESTIONS.replace("epsilon = 1", "epsilon = 2"))
    refused(desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml"), "answer-foreign")


def test_whoever_sends_nonsense_stops_nobody_from_being_heard(desk: Desk) -> None:
    (desk.folder / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    made = desk.here("local", "survey", "questions.toml", "-o", "survey.html", "--json").json()
    good = {"survey": made["id"], "reports": {"smokes": {"said": 1}}}
    bad: list[object] = [
        {**good, "survey": "0" * 16},
        {**good, "more": 1},
        {**good, "reports": {"smokes": {"said": 2}}},
        {**good, "reports": {"smokes": {"said": -1}}},
        {**good, "reports": {"smokes": {"said": 0.5}}},
        {**good, "reports": {"smokes": {"said": True}}},
        {**good, "reports": {"smokes": {"said": 10**30}}},
        {**good, "reports": {"smokes": {}}},
        {**good, "reports": {}},
        [1],
        None,
    ]
    lines = [json.dumps(good)] * 20 + [json.dumps(answer) for answer in bad] + ["{", "[" * 100_000]
    (desk.folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml", "--json").json()
    assert (found["n"], found["left_out"]) == (20, len(bad) + 2)
    shown = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml")
    assert f"{len(bad) + 2} answers were left out" in shown.out


@pytest.mark.parametrize(
    "code, old, new",
    [
        ("survey", "epsilon = 1", ""),
        ("survey", "values =", "vlaues ="),
        ("survey", 'name = "smokes"', 'name = "two words"'),
        (
            "survey",
            "epsilon = 1",
            'epsilon = 1\n[[questions]]\nname = "smokes"\nlow = 0\nhigh = 2\nepsilon = 1',
        ),
        ("survey", 'values = ["yes", "no"]', 'low = 0\nhigh = 9\nprotocol = "laplace"'),
        ("survey", 'title = "Habits"', 'title = "Habits"\nsend_to = "http://example.org/"'),
        ("survey", 'title = "Habits"', 'title = "Habits"\nsend_to = "http://localhost.example.org/"'),
        ("survey", 'title = "Habits"', 'title = "Habits"\nsend_to = "https://ana:secret@example.org/"'),
        ("survey-syntax", "title =", "title"),
    ],
)
def test_a_survey_that_cannot_be_asked_is_refused(desk: Desk, code: str, old: str, new: str) -> None:
    assert old in QUESTIONS
    (desk.folder / "questions.toml").write_text(QUESTIONS.replace(old, new, 1), encoding="utf-8")
    refused(desk.here("local", "survey", "questions.toml", "-o", "survey.html"), code)
    assert not (desk.folder / "survey.html").exists()


def test_words_of_an_author_are_text_and_never_markup(desk: Desk) -> None:
    evil = QUESTIONS.replace("Habits", "</script><b>").replace("yes", "<img src=x onerror=alert(1)>")
    (desk.folder / "questions.toml").write_text(evil, encoding="utf-8")
    assert desk.here("local", "survey", "questions.toml", "-o", "survey.html").code == 0
    page = (desk.folder / "survey.html").read_text(encoding="utf-8")
    assert "<b>" not in page and "<img" not in page and page.count("</script>") == 2


def test_both_models_are_shown_side_by_side(desk: Desk) -> None:
    done = desk.here("local", "compare", "--n", "10000", "--epsilon", "1", "--svg", "both.svg")
    assert done.code == 0 and "●" in done.out and "10 000" in done.out
    assert (desk.folder / "both.svg").read_text(encoding="utf-8").startswith("<svg")
    plain = desk.here("local", "compare", "--n", "10000", "--epsilon", "1", "--plain")
    assert "●" not in plain.out
    both = desk.here("local", "compare", "--n", "10000", "--epsilon", "1", "--values", "100", "--json").json()
    assert both["protocol"] == "unary" and both["local"] > 50 * both["central"]
