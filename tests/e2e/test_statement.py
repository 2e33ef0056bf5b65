"""`lapcat statement`: every figure in it is one of the ledger's, and what protects nobody is called so."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lapcat.ledger.base import Entry
from lapcat.mechanisms.odds import worst_posterior
from lapcat.session.files import open_deployment
from lapcat.session.releases import releases_in
from tests.e2e.kit import CANARY, Desk

COUNT = "SELECT COUNT(*) AS n FROM staff WHERE region <> 'a<b>&c'"
VISITS = "SELECT COUNT(DISTINCT person_id) AS n FROM visits"


class Tags(HTMLParser):
    """The tags of a page, and whether each that opens closes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("meta", "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def about(text: str, table: str) -> str:
    """The paragraph of a table, in one line."""
    return next(
        " ".join(paragraph.split()) for paragraph in text.split("\n\n") if f"the table {table} " in paragraph
    )


def test_the_paragraph_has_the_sum_the_cap_and_their_odds(desk: Desk) -> None:
    for question, epsilon in ((COUNT, "0.5"), ("SELECT AVG(age) AS age FROM staff", "0.7")):
        assert desk.here("ask", question, "--epsilon", epsilon).code == 0
    desk.here("ask", COUNT, "--epsilon", "0.5")  # again: free, and no further release
    done = desk.here("statement")
    assert (done.code, done.err) == (0, "") and max(map(len, done.out.splitlines())) <= 80
    paragraph = about(done.out, "staff")
    assert (
        "2 questions were charged" in paragraph
        and "ε = 1.2 in all" in paragraph
        and "never exceeds ε = 3, the cap" in paragraph
    )
    for epsilon in (1.2, 2.4, 3):
        assert f"{100 * worst_posterior(epsilon, 0.5):.1f} %" in paragraph
    assert f"{100 * worst_posterior(2 * 3, 0.5):.2f} %" in paragraph  # twice the cap: what a row says
    assert (
        "Each row is protected" in paragraph and "add-remove" in paragraph and "does not cover" in paragraph
    )
    assert "Nothing has been released yet" in about(done.out, "visits") and "person_id" in about(
        done.out, "visits"
    )


def test_the_page_lists_every_question_and_runs_nothing(desk: Desk) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.5")
    desk.here("ask", VISITS, "--epsilon", "0.25")
    assert desk.here("statement", "--participants", "-o", "page.html").code == 0
    page = (desk.folder / "page.html").read_text(encoding="utf-8")
    tags = Tags(page)
    assert tags.open == [] and not {"script", "iframe", "img", "link"} & tags.seen
    assert "http" not in page and CANARY not in page
    assert "region &lt;&gt; &#x27;a&lt;b&gt;&amp;c&#x27;" in page and "COUNT(DISTINCT person_id)" in page
    assert page.count("<figure>") == page.count("aria-label=") >= 8
    assert desk.here("statement", "--participants").out == page


def test_a_question_without_an_answer_counts_and_one_that_was_taken_back_does_not(desk: Desk) -> None:
    desk.here("ask", COUNT, "--epsilon", "0.5")
    entries = list(open_deployment(desk.catalogue).ledger.entries())
    (paid,) = releases_in(entries)
    assert paid.answered and paid.cost == "epsilon 0.5" and paid.question == COUNT
    (silent,) = releases_in(entry for entry in entries if entry.kind != "answered")
    assert not silent.answered
    before = [entry for entry in entries if entry.kind not in ("looked", "answered", "released")]
    assert releases_in([*before, Entry(99, "void", json.dumps({"debit": paid.id}), "", "")]) == []


def test_a_cap_that_protects_nobody_is_called_so(desk: Desk) -> None:
    text = desk.catalogue.read_text(encoding="utf-8")
    reason = 'budget = { epsilon = 50, i_understand = "made-up people" }'
    desk.catalogue.write_text(text.replace("budget = { epsilon = 3 }", reason), encoding="utf-8")
    assert desk.here("accept", "--reason", "they are made up").code == 0
    assert "This protects nobody" in about(desk.here("statement").out, "staff")
    page = desk.here("statement", "--participants").out
    assert re.search(r'class="alarm"><b>This protects nobody', page)


def test_a_population_has_one_statement_for_all_its_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("p,x\n1,2\n")
    (tmp_path / "b.csv").write_text("p,y\n1,2\n")
    tables = "".join(
        f'[tables.{name}]\nsource = "{name}.csv"\nunit = {{ column = "p", of = "people" }}\nrows_per_unit = 2\n'
        f"budget = {{ rho = 0.5, delta = 1e-7 }}\n[tables.{name}.columns]\np = {{ type = 'integer' }}\n"
        for name in "ab"
    )
    (tmp_path / "lapcat.toml").write_text(
        f"[populations.people]\nbudget = {{ rho = 0.125, delta = 1e-7 }}\n{tables}"
    )
    desk = Desk(tmp_path)
    text = " ".join(desk.here("statement").out.split())
    assert text.count("differential privacy") == 1 and "tables a and b" in text
    assert (
        "never exceeds ρ = 0.125 and δ = 0.0000001" in text
        and "k² times the ρ" in text
        and "chance of about" in text
    )
    assert "ρ = 0.125" in desk.here("epsilon", "--table", "a").out  # the population's, which binds both


@pytest.mark.parametrize("place", [".", "no/such/folder/page.html"])
def test_a_place_that_cannot_be_written_is_named(shared_desk: Desk, place: str) -> None:
    done = shared_desk.here("statement", "-o", place)
    assert done.code == 1 and "output-failed" in done.err and place in done.err


def test_units_that_are_reached_through_a_table_are_bounded_by_its_budget(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("person,id\n1,7\n2,8\n")
    (tmp_path / "items.csv").write_text("id,n\n7,2\n8,3\n")
    (tmp_path / "lapcat.toml").write_text(
        "[tables.orders]\nsource = 'orders.csv'\nunit = 'person'\nrows_per_unit = 2\nbudget = { epsilon = 2 }\n"
        "[tables.orders.columns]\nid = { type = 'integer', unique = true }\n"
        "[tables.items]\nsource = 'items.csv'\nunit = { column = 'id', through = 'orders.id' }\nrows_per_unit = 3\n"
        "budget = { epsilon = 1 }\n[tables.items.columns]\nid = { type = 'integer' }\nn = { type = 'integer', low = 0, high = 9 }\n"
    )
    desk = Desk(tmp_path)
    assert desk.here("refresh").code == 0
    assert desk.here("ask", "SELECT SUM(n) AS n FROM items", "--epsilon", "0.5").code == 0
    assert desk.here("ask", "SELECT COUNT(*) AS n FROM orders", "--epsilon", "0.25").code == 0
    text = " ".join(desk.here("statement").out.split())
    assert "tables orders and items" in text and text.count("differential privacy") == 1
    assert "2 questions" in text and "ε = 0.75 in all" in text and "never exceeds ε = 2" in text


def test_tables_of_different_people_say_that_losses_add_up_for_whoever_is_in_both(shared_desk: Desk) -> None:
    assert "for somebody covered by more than one of them" in " ".join(
        shared_desk.here("statement").out.split()
    )
