"""In a notebook: SQL in a cell, pictures of an answer. A real shell of IPython, a real chart of Altair."""

from __future__ import annotations

import re
import xml.dom.minidom
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import lapcat
from lapcat.drawing.intervals import Interval, intervals_svg
from lapcat.session.files import open_deployment, refresh


@pytest.fixture(scope="module")
def session() -> lapcat.Session:
    frame = pd.DataFrame({"region": ["north", "south"] * 500, "pay": [float(i % 100) for i in range(1000)]})
    return lapcat.table(
        frame, unit="row", epsilon=9, bounds={"pay": (0, 100)}, keys={"region": ["north", "south"]}
    )


@pytest.fixture
def shell(session: lapcat.Session) -> Iterator[Any]:
    ipython = InteractiveShell.instance()
    ipython.run_line_magic("load_ext", "lapcat")
    ipython.user_ns["db"] = session
    yield ipython
    InteractiveShell.clear_instance()


COUNTS = "SELECT region, COUNT(*) AS n, AVG(pay) AS pay FROM data GROUP BY region;"


def test_a_cell_asks_a_question_and_keeps_the_answer(shell: Any) -> None:
    answer = shell.run_cell_magic("lapcat", "counts = --epsilon 0.5 --db db", COUNTS)
    assert len(answer) == 2 and shell.user_ns["counts"] is answer and "<svg" in answer._repr_html_()


def test_a_cell_previews_for_free(shell: Any, session: lapcat.Session) -> None:
    before = session.budget().as_json()
    preview = shell.run_cell_magic("lapcat", "--epsilon 0.25 --preview --db db", COUNTS)
    assert type(preview).__name__ == "Preview" and session.budget().as_json() == before


@pytest.mark.parametrize(
    "line, cell, text",
    [
        ("--epsilon", COUNTS, "magic-usage"),
        ("--what 3", COUNTS, "magic-usage"),
        ("epsilon 3", COUNTS, "magic-usage"),
        ("--epsilon 1 --db nothing", COUNTS, "magic-usage"),
        ("--epsilon 1 --db db", "SELECT pay FROM data", "fix"),
        ("--epsilon 1 -c nowhere.toml", COUNTS, "nowhere.toml"),
    ],
)
def test_what_is_refused_is_told_with_its_fix_and_not_thrown(
    shell: Any, capsys: pytest.CaptureFixture[str], line: str, cell: str, text: str
) -> None:
    assert shell.run_cell_magic("lapcat", line, cell) is None
    output = capsys.readouterr().out
    assert text in output and "fix" in output and "Traceback" not in output


def test_a_plot_has_a_title_the_price_and_an_error_bar_for_each_number(session: lapcat.Session) -> None:
    answer = session.sql(COUNTS).run(epsilon="0.5")
    page = xml.dom.minidom.parseString(answer.plot("pay")._repr_html_())
    words = [text.firstChild.data for text in page.getElementsByTagName("text")]
    assert words[0] == "pay by region"
    assert words[1] == f"95 % intervals, noise only · ε 0.5 · receipt {answer.receipt}"
    assert {"north", "south"} <= set(words)
    drawn = [line for line in page.getElementsByTagName("line") if line.getAttribute("stroke-width") == "2"]
    assert len(drawn) == 2 * 3  # a line and two caps each
    dots = page.getElementsByTagName("circle")
    (left, right), (low, high) = (
        (drawn[0].getAttribute("x1"), drawn[0].getAttribute("x2")),
        (drawn[1].getAttribute("x1"), drawn[2].getAttribute("x1")),
    )
    assert (left, right) == (low, high) and float(left) < float(dots[0].getAttribute("cx")) < float(right)


def test_a_free_answer_is_drawn_with_the_price_that_was_paid(session: lapcat.Session) -> None:
    question = session.sql("SELECT COUNT(*) AS n FROM data WHERE pay < 20")
    question.run(epsilon="0.25")
    again = question.run(epsilon="0.25")
    assert again.free and " · ε 0.25 · " in again.plot()._repr_html_()


def test_open_ends_missing_numbers_and_many_groups_are_drawn() -> None:
    rows = [Interval("a", None, 3, 5), Interval("b", 1, 2, None), Interval("c", None, None, None)]
    page = intervals_svg([*rows, Interval("name " * 20, 2, 2, 2)], "t", "s", "n")
    xml.dom.minidom.parseString(page)
    assert page.count("<circle") == 3 and ">NULL<" in page and "name name name…name name name" in page
    for empty in ([], [Interval("a", 3, 3, 3)]):
        xml.dom.minidom.parseString(intervals_svg(empty, "t", "s", "n"))
    frame = pd.DataFrame({"k": [i % 150 for i in range(300)]})
    held = lapcat.table(frame, unit="row", epsilon=5, keys={"k": list(range(150))})
    plot = held.sql("SELECT k, COUNT(*) AS n FROM data GROUP BY k").run(epsilon=1).plot()
    assert "the first 100 of 150 groups" in plot._repr_html_() and plot._repr_html_().count("<circle") == 100


def test_a_plot_is_saved_as_a_picture(session: lapcat.Session, tmp_path: Path) -> None:
    session.sql(COUNTS).run(epsilon="0.5").plot().save(tmp_path / "n.svg")
    (root,) = xml.dom.minidom.parse(str(tmp_path / "n.svg")).childNodes
    assert (root.tagName, root.getAttribute("xmlns")) == ("svg", "http://www.w3.org/2000/svg")


def test_a_chart_of_altair_has_each_number_with_its_interval(session: lapcat.Session) -> None:
    answer = session.sql(COUNTS).run(epsilon="0.5")
    drawn = answer.plot().altair().to_dict()
    points = drawn["datasets"][drawn["data"]["name"]]
    assert [row["group"] for row in points] == ["north", "south"]
    for row, shown in zip(answer.rows, points, strict=True):
        assert (shown["value"], shown["low"], shown["high"]) == (row["n"], row["n_low"], row["n_high"])
    assert drawn["title"]["text"] == "n by region" and "ε 0.5" in drawn["title"]["subtitle"]
    assert answer.plot("pay").altair().to_dict()["description"] == "pay with its 95 % interval by region"
    with pytest.raises(lapcat.BadQuery) as caught:
        answer.plot("region")
    assert caught.value.code == "chart-column" and "n, pay" in caught.value.fix


# ------------------------------------------------------------------------------------------------ everything shows itself

HOSTILE = "<svg onload='alert(1)'><script>x</script>"


def shown(session: lapcat.Session) -> dict[str, Any]:
    """One of everything that a user gets back."""
    question = session.sql(COUNTS.rstrip(";"))
    answer = question.run(epsilon="0.5")
    return {
        "session": session,
        "schema": session.schema("data"),
        "question": question,
        "preview": question.preview(epsilon="0.3"),
        "answer": answer,
        "plot": answer.plot(),
        "receipt": answer.receipt,
        "sensitivity": question.sensitivity(),
        "tradeoff": question.tradeoff(),
        "batch": session.batch([COUNTS.rstrip(";"), "SELECT COUNT(*) AS m FROM data"], epsilon=1),
        "composed": lapcat.compose(["0.1", "0.2"]),
        "size": lapcat.sample_size(questions=10, error=0.02, failure=0.05, epsilon=1),
        "meaning": lapcat.explain(1),
        "mechanism": lapcat.mechanisms.Laplace(1, 1),
    }


def test_everything_shows_itself_without_scripts_and_says_what_its_pictures_show(
    session: lapcat.Session,
) -> None:
    for name, thing in shown(session).items():
        page = thing._repr_html_()
        xml.dom.minidom.parseString(f"<div>{page}</div>".replace("&nbsp;", " "))
        assert "<script" not in page and "http" not in page and "<style" not in page, name
        assert page.count("<svg") == page.count("<title>"), f"{name} has a picture without words"
        assert not re.search(r"black|white(?!-space)", page), f"{name} would vanish on one of them"


def test_what_others_wrote_is_text_in_a_page_and_nothing_else() -> None:
    frame = pd.DataFrame({HOSTILE: ["a", HOSTILE] * 50})
    held = lapcat.table(frame, unit="row", epsilon=5, keys={HOSTILE: ["a", HOSTILE]})
    question = held.sql(f'SELECT "{HOSTILE}", COUNT(*) AS "{HOSTILE} n" FROM data GROUP BY 1')
    answer = question.run(epsilon=1)
    things = (held.schema("data"), question, question.preview(epsilon=2), answer, answer.plot())
    for thing in (*things, answer.receipt, question.tradeoff(), held.batch([question], epsilon=1)):
        page = thing._repr_html_()
        assert "<script>" not in page and "<svg onload" not in page and "&lt;svg onload" in page


def test_every_number_has_its_own_error_bar_beside_its_interval(session: lapcat.Session) -> None:
    answer = session.sql(COUNTS.rstrip(";")).run(epsilon="0.5")
    page = xml.dom.minidom.parseString(f"<div>{answer._repr_html_()}</div>")
    heads = [head.firstChild.data if head.firstChild else "" for head in page.getElementsByTagName("th")]
    assert heads == ["region", "n", "95 % interval", "", "pay", "95 % interval", ""]
    for row in page.getElementsByTagName("tr")[1:]:
        cells = row.getElementsByTagName("td")
        for number, interval, drawn in (cells[1:4], cells[4:7]):
            title = drawn.getElementsByTagName("title")[0].firstChild.data
            assert title == f"{number.firstChild.data} {interval.firstChild.data}"
    ends = [float(line.getAttribute(x)) for line in page.getElementsByTagName("line") for x in ("x1", "x2")]
    first, second = ends[:6] + ends[12:18], ends[6:12] + ends[18:24]  # each column on a scale of its own
    assert (min(first), max(first)) == (min(second), max(second)) == (4, 116)


def test_an_answer_says_what_it_cost(session: lapcat.Session) -> None:
    question = session.sql("SELECT COUNT(*) AS n FROM data WHERE pay < 50")
    assert "spent epsilon 0.5" in question.run(epsilon="0.5")._repr_html_()
    assert "free (answered before)" in question.run(epsilon="0.5")._repr_html_()


def test_a_preview_offers_what_stored_answers_give_for_free(session: lapcat.Session) -> None:
    question = session.sql("SELECT region, COUNT(*) AS m FROM data WHERE pay < 70 GROUP BY region")
    question.run(epsilon="0.1")
    preview = question.preview(epsilon="0.2")
    assert preview.derived is not None and not preview.free
    (column,), entry = preview.derived.columns, preview.derived.entries[0]
    page = preview._repr_html_()
    assert (
        f"<b>or free</b>, from entry {entry}: m {column.words} (<code>.run()</code> without a price)" in page
    )
    assert "in each of 2 groups" in page
    assert question.run().derived_from == (entry,)


@pytest.fixture
def analyst(tmp_path: Path) -> lapcat.Session:
    (tmp_path / "staff.csv").write_text("age\n" + "41\n" * 500)
    (tmp_path / "lapcat.toml").write_text(
        "[tables.staff]\nsource = 'staff.csv'\nunit = 'row'\nbudget = { epsilon = 3 }\n"
        "[tables.staff.columns]\nage = { type = 'integer' }\n"
        "[analysts.ana]\ntables = { staff = { epsilon = 1 } }\n"
    )
    refresh(open_deployment(tmp_path / "lapcat.toml"), "staff")
    return lapcat.open(tmp_path / "lapcat.toml", analyst="ana")


def test_an_analyst_sees_their_own_budget(analyst: lapcat.Session) -> None:
    question = analyst.sql("SELECT COUNT(*) AS n FROM staff")
    question.run(epsilon="0.25")
    for shown in (analyst._repr_html_(), analyst.budget()._repr_html_(), str(analyst.budget())):
        assert "ana on staff" in shown and "epsilon 0.75" in shown
    preview = analyst.sql("SELECT COUNT(*) AS n FROM staff WHERE age > 40").preview(epsilon="0.5")
    for shown in (preview._repr_html_(), str(preview)):
        assert "staff: epsilon 2.25 left after" in shown
        assert "your own on staff: epsilon 0.25 left after" in shown
    preview = analyst.sql("SELECT COUNT(*) AS n FROM staff WHERE age > 40").preview(epsilon=2)
    assert "more than is left of your own on staff: it would be refused" in preview._repr_html_()


def test_a_receipt_fits_a_page(session: lapcat.Session) -> None:
    receipt = session.sql("SELECT COUNT(*) AS n FROM data WHERE pay < 30").run(epsilon="0.1").receipt
    page = receipt._repr_html_()
    assert f"receipt {receipt.id}" in page and receipt.hash in page and "&quot;" not in page
    assert max(len(cell) for cell in re.findall(r"<td[^>]*>([^<]*)", page)) < 100


def test_a_tradeoff_has_the_margins_of_the_previews(session: lapcat.Session) -> None:
    question = session.sql("SELECT COUNT(*) AS n, AVG(pay) AS pay FROM data WHERE pay > 3")
    line = question.tradeoff(["1", "0.25", "0.25"])
    assert line.epsilons == (Fraction(1, 4), Fraction(1))
    for index, epsilon in enumerate(line.epsilons):
        count, pay = question.preview(epsilon=epsilon).columns
        assert line.column("n").margins[index] == count.margin
        assert line.column("pay").margins[index] == pay.assuming[1000] and line.column("pay").rows == 1000
    assert line.as_json()["epsilons"] == ["0.25", "1"] and "0.25" in str(line)
    with pytest.raises(lapcat.BadArgument) as caught:
        line.column("m")
    assert caught.value.code == "unknown-column"
    for wrong in ([], ["0"], range(1, 200)):
        with pytest.raises(lapcat.BadArgument) as caught:
            question.tradeoff(wrong)
        assert caught.value.code == "epsilon-range"


def test_foreseeing_costs_nothing(session: lapcat.Session) -> None:
    before = session.budget().as_json()
    session.sql("SELECT COUNT(*) AS n FROM data").tradeoff()
    session._repr_html_()
    assert session.budget().as_json() == before


def test_a_refresh_shows_how_far_it_is(
    shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "staff.csv").write_text("age\n" + "41\n" * 500)
    (tmp_path / "lapcat.toml").write_text(
        "[tables.staff]\nsource = 'staff.csv'\nunit = 'row'\nbudget = { epsilon = 1 }\n"
        "[tables.staff.columns]\nage = { type = 'integer' }\n"
    )
    with capture_output() as captured:
        shell.run_line_magic("lapcat", f"refresh staff -c {tmp_path}/lapcat.toml")
    drawn = [output.data["text/html"] for output in captured.outputs]
    assert "staff: version 1" in captured.stdout and "100 %" in drawn[-1]
    assert all("<progress" in picture and "aria-label" in picture for picture in drawn) and len(drawn) <= 21
    for line in ("", "forget staff", "refresh a b", f"refresh nobody -c {tmp_path}/lapcat.toml"):
        shell.run_line_magic("lapcat", line)
        assert re.search("magic-usage|unknown-table", capsys.readouterr().out), line


def test_a_preview_draws_the_error_of_every_way_to_answer(session: lapcat.Session) -> None:
    bands = ", ".join(f"COUNT(*) FILTER (WHERE pay < {a}) AS below_{a}" for a in range(10, 100, 10))
    drawn = session.sql(f"SELECT {bands} FROM data").preview(epsilon=0.1)._repr_html_()
    assert "by each way to answer" in drawn and "asked separately" in drawn and "taken:" in drawn
