"""Reports as files: what the commands write, what the engine counts, and what they refuse."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapcat.engines.duckdb.reports import reports, write_reports
from lapcat.local import Numbers, Protocol, Texts, Values, protocol_of
from lapcat.local.base import SetBits, counted
from lapcat.local.domain import domain_of
from lapcat.session.local import estimate_file, spans
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
    assert first.code == 0 and "created the secret key lapcat-local.key" in first.out
    again = encode(desk, "age", *AGES, to="again.parquet")
    assert again.code == 0 and "secret key" not in again.out
    other = encode(desk, "age", *AGES, "--key", "other.key", to="other.parquet")
    assert other.code == 0
    assert "epsilon 1, once" in first.out
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
    answer = desk.here(
        "local", "estimate", "r.parquet", "--confidence", "0.9999999", "--project", "--json"
    ).json()
    assert answer["protocol"] == protocol and answer["n"] == PEOPLE
    true = {"red": 3 / 7, "blue": 2 / 7, "(other)": 2 / 7}
    for row in answer["shares"]:
        assert row["low"] <= true[row["value"]] <= row["high"] and 0 <= row["projected"] <= 1
    assert "(other)" in desk.here("local", "estimate", "r.parquet").out


def test_a_mean_and_frequent_texts_come_back(desk: Desk) -> None:
    assert encode(desk, "age", *AGES).code == 0
    mean = desk.here("local", "estimate", "r.parquet", "--confidence", "0.9999999", "--json").json()
    assert mean["low"] <= 39.5 <= mean["high"]
    texts = ("--alphabet", "abcdefghijklmnopqrstuvwxyz", "--length", "3", "--person", "id", "--epsilon", "4")
    assert encode(desk, "colour", *texts).code == 0
    answer = desk.here("local", "estimate", "r.parquet", "--json").json()
    assert {row["text"] for row in answer["found"]} == {"red", "blu", "gre"}


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
        assert file.checked(spans(protocol.randomiser)) == 5000
        for tally in protocol.randomiser.tallies:
            places, numbers = counted(made, tally)
            theirs = file.by_bit(tally) if isinstance(tally, SetBits) else file.by_place(tally)
            mine = {p: n for p, n in zip(places.tolist(), numbers.tolist(), strict=True) if n}
            assert {p: n for p, n in zip(*(part.tolist() for part in theirs), strict=True) if n} == mine
    protocol_read, n, estimate = estimate_file(path)
    assert (protocol_read, n) == (protocol, 5000) and estimate == protocol.estimate(made)


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
    error = refused(encode(desk, "age", "--person", "id"), "local-domain-missing")
    assert "--low 0 --high 110" in error
    assert encode(desk, "age", "--person", "id", "--low", "0", "--high", "110").code == 0


def test_nobody_is_encoded_under_a_name_that_may_change(desk: Desk) -> None:
    error = refused(encode(desk, "age", "--low", "18", "--high", "100"), "local-person-missing")
    assert "--person row" in error
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


def forged(
    desk: Desk, columns: dict[str, object], header: dict[str, object] | None = None, like: str = "r.parquet"
) -> object:
    """What `local estimate` says of a file that somebody changed."""
    metadata = header or json.loads(pq.read_metadata(desk.folder / like).metadata[b"lapcat_local"])
    table = pa.table({name: pa.array(part) for name, part in columns.items()})
    pq.write_table(
        table.replace_schema_metadata({b"lapcat_local": json.dumps(metadata).encode()}),
        desk.folder / "forged.parquet",
    )
    return desk.here("local", "estimate", "forged.parquet")


def written(desk: Desk, name: str, domain: object = 2) -> None:
    protocol = protocol_of("q", domain_of(domain), name, Fraction(1))
    places = np.arange(60) % protocol.randomiser.inputs
    write_reports(
        protocol.randomiser.draw(places, SeededCoins(1)), protocol.as_json(), desk.folder / "r.parquet"
    )


@pytest.mark.parametrize(
    "name, domain, columns",
    [
        ("response", 2, {"said": [0, 1, None] * 20}),
        ("response", 2, {"said": [0.4, 1.0, 0.5] * 20}),
        ("response", 2, {"said": ["0", "1"] * 20}),
        ("response", 2, {"said": [True, False] * 20}),
        ("response", 2, {"said": [0, 1, -1] * 20}),
        ("response", 2, {"said": [2**63 - 1, 0] * 20}),
        ("response", 2, {"said": [0, 1] * 20, "name": ["ann", "bob"] * 20}),
        ("response", 2, {"x": [0, 1]}),
        ("unary", 2, {"bits_0": [-1] * 50}),
        ("unary", 2, {"bits_0": [4] * 50}),
        ("unary", 2, {"bits_0": [None, 1] * 50}),
        ("hashing", 5, {"row_0": [8, 1], "row_1": [0, 0], "said": [0, 1]}),
        ("hadamard", 5, {"row_0": [7, 1], "said": [0, 2]}),
        ("duchi", Numbers(0, 9), {"said": [0, 2]}),
        ("laplace", Numbers(0, 9), {"said": [2**63 - 1] + [0] * 50}),
        ("laplace", Numbers(0, 9), {"said": [None] * 3 + [5] * 50}),
        ("prefixes", Texts("abc", 2), {"told": [0, 1], "row_0": [0, 1], "row_1": [0, 1], "said": [0, 1]}),
        ("prefixes", Texts("abc", 2), {"told": [1, 1], "row_0": [9, 1], "row_1": [0, 1], "said": [0, 1]}),
        ("prefixes", Texts("abc", 2), {"told": [1, 2], "row_0": [1, 1], "row_1": [0, 1], "said": [0, None]}),
    ],
)
def test_a_row_that_no_protocol_writes_is_never_counted(
    desk: Desk, name: str, domain: object, columns: dict[str, object]
) -> None:
    written(desk, name, domain)
    assert desk.here("local", "estimate", "r.parquet").code == 0
    refused(forged(desk, columns), "reports-foreign")


@pytest.mark.parametrize(
    "change",
    [
        {"format": True},
        {"format": 2},
        {"wave": 7},
        {"domain": 7},
        {"domain": {"kind": "values", "values": [1, 2], "missing": None}},
        {"domain": {"kind": "texts", "alphabet": "abc", "length": True}},
        {"parameters": {"epsilon": "2", "values": 2, "lie": "1"}},
    ],
)
def test_a_header_that_lapcat_does_not_write_is_refused(desk: Desk, change: dict[str, object]) -> None:
    written(desk, "response")
    header = json.loads(pq.read_metadata(desk.folder / "r.parquet").metadata[b"lapcat_local"])
    assert forged(desk, {"said": [0, 1] * 20}, header).code == 0
    refused(forged(desk, {"said": [0, 1] * 20}, {**header, **change}), "local-header")


@pytest.mark.parametrize("key, value", [("question", '"other"'), ("epsilon", '"9"'), ("values", "3")])
def test_a_header_that_says_something_twice_is_refused(desk: Desk, key: str, value: str) -> None:
    written(desk, "response")
    text = pq.read_metadata(desk.folder / "r.parquet").metadata[b"lapcat_local"].decode()
    twice = text.replace(f'"{key}":', f'"{key}": {value}, "{key}":')
    for header in ([(b"lapcat_local", twice.encode())], [(b"lapcat_local", b"{"), (b"x", b"")]):
        table = pa.table({"said": pa.array([0, 1] * 20)}).replace_schema_metadata(dict(header))
        pq.write_table(table, desk.folder / "forged.parquet")
        error = refused(desk.here("local", "estimate", "forged.parquet"), "reports-foreign")
        assert "repeats a key" in error and value not in error


def test_a_tiny_epsilon_in_a_header_fills_no_screen(desk: Desk) -> None:
    written(desk, "response")
    header = json.loads(pq.read_metadata(desk.folder / "r.parquet").metadata[b"lapcat_local"])
    header["parameters"]["epsilon"] = "1e-400"
    error = refused(forged(desk, {"said": [0, 1] * 20}, header), "epsilon-too-small")
    assert "1.00000e-400" in error and len(error) < 500


def test_a_header_cannot_write_to_the_terminal(desk: Desk) -> None:
    written(desk, "response")
    header = json.loads(pq.read_metadata(desk.folder / "r.parquet").metadata[b"lapcat_local"])
    evil = {
        "question": "\x1b[31mred\x07",
        "domain": {"kind": "values", "values": ["\x1b[2J", "no"], "missing": "no"},
    }
    done = forged(desk, {"said": [0, 1] * 20}, {**header, **evil})
    assert (
        done.code == 0 and "\x1b[31m" not in done.out and "\x1b[2J" not in done.out and "\x07" not in done.out
    )


# ------------------------------------------------------------------------------------------------ asked again


def people(desk: Desk, *, older: int) -> None:
    rows = "\n".join(f"{CANARY}{i},{20 + (i + older * (i < 7)) % 40}" for i in range(PEOPLE))
    (desk.folder / "people.csv").write_text(f"id,age\n{rows}\n", encoding="utf-8")


def test_a_second_file_that_would_tell_who_changed_is_refused_and_a_wave_is_offered(desk: Desk) -> None:
    people(desk, older=0)
    assert encode(desk, "age", *AGES).code == 0
    first = (desk.folder / "r.parquet").read_bytes()
    people(desk, older=1)
    error = refused(encode(desk, "age", *AGES, to="second.parquet"), "local-told")
    assert (
        "--wave" in error and "another epsilon 1" in error and not (desk.folder / "second.parquet").exists()
    )
    done = encode(desk, "age", *AGES, "--wave", "2", to="second.parquet")
    assert done.code == 0 and "epsilon 1 for each wave" in done.out
    assert encode(desk, "age", *AGES, "--wave", "2", to="again.parquet").code == 0
    assert (desk.folder / "again.parquet").read_bytes() == (desk.folder / "second.parquet").read_bytes()
    people(desk, older=2)
    refused(encode(desk, "age", *AGES, "--wave", "2", to="third.parquet"), "local-told")
    people(desk, older=0)
    assert encode(desk, "age", *AGES, to="first.parquet").code == 0
    assert (desk.folder / "first.parquet").read_bytes() == first
    shown = desk.here("local", "estimate", "second.parquet", "--json").json()
    assert shown["wave"] == "2" and "age, 2:" in desk.here("local", "estimate", "second.parquet").out


def test_a_second_draw_by_another_epsilon_or_order_of_values_is_refused(desk: Desk) -> None:
    colours = ("--value", "red", "--value", "blue", "--person", "id")
    assert encode(desk, "colour", *colours).code == 0
    refused(encode(desk, "colour", *colours, "--epsilon", "2"), "local-told")
    refused(encode(desk, "colour", "--value", "blue", "--value", "red", "--person", "id"), "local-told")
    refused(encode(desk, "colour", *colours, "--protocol", "unary"), "local-told")
    assert encode(desk, "colour", *colours, "--epsilon", "2", "--question", "another").code == 0


def test_a_permanent_report_is_told_anew_in_each_wave_and_estimated_through_both_draws(desk: Desk) -> None:
    asked = ("--value", "red", "--value", "blue", "--person", "id", "--permanent", "3")
    for wave in ("1", "2"):
        done = encode(desk, "colour", *asked, "--wave", wave, to=f"{wave}.parquet")
        assert done.code == 0 and "epsilon 1 for each wave" in done.out and "at most epsilon 3" in done.out
        answer = desk.here(
            "local", "estimate", f"{wave}.parquet", "--confidence", "0.9999999", "--json"
        ).json()
        true = {"red": 3 / 7, "blue": 2 / 7, "(other)": 2 / 7}
        assert answer["protocol"] == "permanent-response"
        assert all(row["low"] <= true[row["value"]] <= row["high"] for row in answer["shares"])
    refused(encode(desk, "colour", *asked), "local-wave")
    refused(encode(desk, "colour", *asked, "--wave", "3", "--protocol", "unary"), "local-permanent")
    done = encode(desk, "colour", *asked, "--wave", "3", "--permanent", "30")
    assert done.code == 3 and "[protects-nobody]" in done.err


def test_reports_are_written_in_an_order_that_says_nothing(desk: Desk) -> None:
    rows = "\n".join(f"{i},{100 if i < PEOPLE // 2 else 0}" for i in range(PEOPLE))
    (desk.folder / "people.csv").write_text(f"id,age\n{rows}\n", encoding="utf-8")
    ages = ("--low", "0", "--high", "100", "--person", "id", "--protocol", "duchi", "--epsilon", "9")
    assert encode(desk, "age", *ages).code == 0
    symbols = pq.read_table(desk.folder / "r.parquet")["said"].to_numpy()
    assert abs(symbols[: PEOPLE // 2].mean() - symbols[PEOPLE // 2 :].mean()) < 0.1  # in order: 1 and 0


def test_a_key_that_does_not_say_what_was_told_takes_named_waves_only(desk: Desk) -> None:
    (desk.folder / "lapcat-local.key").write_text("ab" * 32 + "\n")
    for _ in range(2):
        assert "0.1.0" in refused(encode(desk, "age", *AGES), "local-told")
        assert encode(desk, "age", *AGES, "--wave", "1").code == 0


# ------------------------------------------------------------------------------------------------ surveys, comparison


def test_a_survey_is_written_and_its_answers_are_estimated(desk: Desk) -> None:
    (desk.folder / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    made = desk.here("local", "survey", "questions.toml", "-o", "survey.html", "--json").json()
    page = (desk.folder / "survey.html").read_text(encoding="utf-8")
    assert "73.1 times in 100" in page and "default-src &#x27;none&#x27;" in page
    assert "https://" not in page and "http://" not in page
    answers = [{"survey": made["id"], "reports": {"smokes": {"said": i % 2}}} for i in range(100)]
    (desk.folder / "a.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    answer = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml", "--json").json()
    assert answer["n"] == 100 and [row["share"] for row in answer["shares"]] == pytest.approx([0.5, 0.5])
    (desk.folder / "questions.toml").write_text(QUESTIONS.replace("epsilon = 1", "epsilon = 2"))
    refused(desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml"), "answer-foreign")


def test_a_survey_says_whether_it_costs_once_or_for_each_wave(desk: Desk) -> None:
    for wave, cost in (("", "epsilon 1, once"), ('wave = "2026"\n', "epsilon 1 for each wave")):
        (desk.folder / "questions.toml").write_text(wave + QUESTIONS, encoding="utf-8")
        assert cost in desk.here("local", "survey", "questions.toml", "-o", "survey.html").out
    page = (desk.folder / "survey.html").read_text(encoding="utf-8")
    assert "this is wave 2026" in page and "has the same privacy cost again" in page


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
    once = json.dumps(good)
    twice = [
        once.replace('"said": 1', '"said": 1, "said": 0'),
        once[:-1] + f', "survey": "{made["id"]}"}}',
    ]
    broken = [
        "{",
        "[" * 100_000,
        '{"a":' * 100_000,
        "\ufeff" + once,
        once + once,
        '"said": 1.0',
        "\0" * 9,
        *twice,
    ]
    lines = [once] * 18 + [f"  {once}\r", once.replace("survey", "s\\u0075rvey")]
    lines += [json.dumps(answer) for answer in bad] + broken
    (desk.folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    estimate = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml", "--json").json()
    assert (estimate["n"], estimate["left_out"]) == (20, len(bad) + len(broken))
    shown = desk.here("local", "estimate", "a.jsonl", "--questions", "questions.toml")
    assert f"{len(bad) + len(broken)} answers were skipped" in shown.out


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
        ("local-numbers", 'values = ["yes", "no"]', "low = 9007199254740992\nhigh = 9007199254740999"),
        ("local-numbers", 'values = ["yes", "no"]', 'low = 0\nhigh = "1e400"'),
        ("survey", 'values = ["yes", "no"]', 'low = "1/3"\nhigh = 1'),
        ("survey", 'values = ["yes", "no"]', 'low = 0\nhigh = 1\nsteps = "many"'),
        ("survey", 'values = ["yes", "no"]', 'values = ["yes\\r\\n", "no"]'),
        ("survey", 'values = ["yes", "no"]', 'values = ["", "no"]'),
        ("local-wave", "epsilon = 1", "epsilon = 1\npermanent = 3"),
        ("local-permanent", "epsilon = 1", 'epsilon = 1\npermanent = 3\nprotocol = "unary"'),
        ("local-wave", 'title = "Habits"', 'title = "Habits"\nwave = ""'),
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
