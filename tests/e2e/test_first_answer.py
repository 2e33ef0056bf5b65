"""From README to an answer on one's own CSV in six commands, on a file that nothing else here has seen."""

from __future__ import annotations

import csv
import datetime
import random
import re
from pathlib import Path

import pytest

from tests.e2e.kit import Desk

README = Path(__file__).parents[2] / "README.md"
PLANS = ("basic", "plus", "family, 2 adults")
ROWS = 2000
QUESTION = (
    'SELECT Plan, COUNT(*) AS rows, AVG("Visits / month") AS visits FROM club_members_2024 GROUP BY Plan'
)


def write_club(path: Path) -> None:
    """Quotes, commas, umlauts, spaces in names, missing values, a word among numbers; some members have two rows."""
    dice = random.Random(1907)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(
            [
                "Member No",
                "Full name",
                "Joined",
                "Plan",
                "Visits / month",
                "Fee (EUR)",
                "Newsletter",
                "Remark",
            ]
        )
        for number in range(ROWS):
            joined = datetime.date(2019, 1, 1) + datetime.timedelta(days=dice.randrange(1800))
            rows.writerow(
                [
                    f"M{number % 1700:05}",
                    f"Müller, {dice.choice(['Ada', 'Bo', 'Cläre'])}",
                    "" if dice.random() < 0.03 else joined.isoformat(),
                    dice.choice([*PLANS, ""]),
                    dice.choice(["", "n/a"]) if dice.random() < 0.05 else dice.randrange(25),
                    f"{dice.choice([19.9, 29.9, 44.5]):.2f}",
                    dice.choice(["yes", "no"]),
                    dice.choice(["", "paid, late", 'said "never again"']),
                ]
            )


def answer_the_draft(text: str) -> str:
    """What a steward types into the draft, and no more: marks taken away, values put in."""
    for line, typed in (
        ('# ? unit = "Member No"', 'unit = "Member No"'),
        ("# ? rows_per_unit = 10", "rows_per_unit = 2"),
        ("# ? budget = { epsilon = 1 }", "budget = { epsilon = 1 }"),
        (
            'Plan = { type = "text" }',
            'Plan = { type = "text", keys = ["basic", "plus", "family, 2 adults"] }',
        ),
        (
            '"Visits / month" = { type = "text" }',
            '"Visits / month" = { type = "integer", low = 0, high = 31 }',
        ),
    ):
        assert text.count(line) == 1, f"the draft does not offer {line}"
        text = text.replace(line, typed)
    return text


@pytest.fixture
def club(tmp_path: Path) -> Desk:
    write_club(tmp_path / "Club members 2024.csv")
    return Desk(tmp_path)


def test_readme_shows_the_six_commands() -> None:
    section = README.read_text(encoding="utf-8").split("## On the command line")[1].split("\n## ")[0]
    typed = list(dict.fromkeys(re.findall(r"lapcat (init|check|refresh|preview|ask|budget)\b", section)))
    assert typed == ["init", "check", "refresh", "preview", "ask", "budget"]


def test_six_commands_lead_from_a_file_to_an_answer(club: Desk) -> None:
    drafted = club.run("init", "Club members 2024.csv")
    assert (drafted.code, drafted.err) == (0, "") and "lapcat check" in drafted.out
    club.catalogue.write_text(answer_the_draft(club.catalogue.read_text("utf-8")), encoding="utf-8")

    checked = club.run("check")
    assert (checked.code, checked.err) == (0, ""), checked
    assert "the catalogue is valid: club_members_2024" in checked.out and "lapcat refresh" in checked.out
    assert club.run("refresh").code == 0

    foreseen = club.run("preview", QUESTION, "--epsilon", "0.5")
    assert (foreseen.code, foreseen.err) == (0, "") and "±" in foreseen.out

    asked = club.run("ask", QUESTION, "--epsilon", "0.5")
    assert (asked.code, asked.err) == (0, "")
    answer = club.here("ask", QUESTION, "--epsilon", "0.5", "--json").json()
    assert answer["free"] and [row["Plan"] for row in answer["rows"]] == list(PLANS)
    for row in answer["rows"]:
        assert 300 < row["rows"] < 700 and 6 < row["visits"] < 18
        assert row["Plan"] in asked.out

    left = club.run("budget")
    assert left.code == 0 and "0.5 of 1 left" in left.out
    for done in (drafted, checked, foreseen, asked, left):
        assert "Müller" not in done.out and "M00001" not in done.out


def test_the_usual_stumbles_have_a_fix_that_works_when_it_is_pasted(club: Desk) -> None:
    early = club.here("ask", QUESTION, "--epsilon", "0.1")
    assert early.code == 2 and "lapcat init" in early.err
    club.here("init", "Club members 2024.csv")
    undecided = club.here("refresh")
    assert undecided.code == 2 and "privacy unit is missing" in undecided.err
    club.catalogue.write_text(answer_the_draft(club.catalogue.read_text("utf-8")), encoding="utf-8")
    assert "lapcat refresh club_members_2024" in club.here("ask", QUESTION, "--epsilon", "0.1").err
    club.here("refresh")

    bare = club.here("preview", "SELECT AVG(Visits / month) AS v FROM club_members_2024", "--epsilon", "0.1")
    assert 'use "Visits / month"' in bare.err
    assert "--epsilon" in club.here("ask", QUESTION).err

    unbounded = club.here(
        "preview", 'SELECT SUM("Fee (EUR)") AS f FROM club_members_2024', "--epsilon", "0.1"
    )
    assert unbounded.code == 3
    (line,) = re.findall(r'"Fee \(EUR\)" = \{.*?\}', unbounded.err)
    line = line.replace("LOW", "0").replace("HIGH", "200")  # which only a person can know
    pasted = club.catalogue.read_text("utf-8").replace('"Fee (EUR)" = { type = "float" }', line)
    club.catalogue.write_text(pasted, encoding="utf-8")
    assert club.here("accept", "--reason", "the price list is public").code == 0
    assert (
        club.here("preview", 'SELECT SUM("Fee (EUR)") AS f FROM club_members_2024', "--epsilon", "0.1").code
        == 0
    )


def test_what_does_not_fit_its_type_is_said_in_the_draft_and_counted_for_the_steward(club: Desk) -> None:
    club.here("init", "Club members 2024.csv")
    draft = club.catalogue.read_text("utf-8")
    assert "does not fit its type counts as missing" in draft and "dates in another format" in draft
    club.catalogue.write_text(answer_the_draft(draft), encoding="utf-8")
    output = club.here("check", "--rows").out
    assert re.search(r"Visits / month: \d+ rows are NULL, or not integer", output)
