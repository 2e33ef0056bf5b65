"""In a notebook: SQL in a cell, charts of an answer. A real shell of IPython, a real chart of Altair."""

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


@pytest.fixture(scope="module")
def session() -> lapcat.Session:
    frame = pd.DataFrame({"region": ["north", "south"] * 500, "pay": [float(i % 100) for i in range(1000)]})
    return lapcat.table(
        frame, unit="row", epsilon=9, bounds={"pay": (0, 100)}, keys={"region": ["north", "south"]}
    )


@pytest.fixture
def shell(session: lapcat.Session) -> Iterator[Any]:
    found = InteractiveShell.instance()
    found.run_line_magic("load_ext", "lapcat")
    found.user_ns["db"] = session
    yield found
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
    "line, cell, said",
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
    shell: Any, capsys: pytest.CaptureFixture[str], line: str, cell: str, said: str
) -> None:
    assert shell.run_cell_magic("lapcat", line, cell) is None
    told = capsys.readouterr().out
    assert said in told and "fix" in told and "Traceback" not in told


def test_a_chart_has_each_number_with_its_interval(session: lapcat.Session) -> None:
    answer = session.sql(COUNTS).run(epsilon="0.5")
    chart = answer.plot()
    drawn = chart.to_dict()
    points = drawn["datasets"][drawn["data"]["name"]]
    assert [row["group"] for row in points] == ["north", "south"]
    for row, shown in zip(answer.rows, points, strict=True):
        assert (shown["value"], shown["low"], shown["high"]) == (row["n"], row["n_low"], row["n_high"])
    assert answer.plot("pay").to_dict()["description"] == "pay with its 95 % interval by region"
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
        assert "black" not in page and "white" not in page, f"{name} would vanish on one of them"


def test_what_others_wrote_is_text_in_a_page_and_nothing_else() -> None:
    frame = pd.DataFrame({HOSTILE: ["a", HOSTILE] * 50})
    held = lapcat.table(frame, unit="row", epsilon=5, keys={HOSTILE: ["a", HOSTILE]})
    question = held.sql(f'SELECT "{HOSTILE}", COUNT(*) AS "{HOSTILE} n" FROM data GROUP BY 1')
    answer = question.run(epsilon=1)
    things = (held.schema("data"), question, question.preview(epsilon=2), answer)
    for thing in (*things, answer.receipt, question.tradeoff(), held.batch([question], epsilon=1)):
        page = thing._repr_html_()
        assert "<script>" not in page and "<svg onload" not in page and "&lt;svg onload" in page


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
    assert all("<progress" in one and "aria-label" in one for one in drawn) and len(drawn) <= 21
    for line in ("", "forget staff", "refresh a b", f"refresh nobody -c {tmp_path}/lapcat.toml"):
        shell.run_line_magic("lapcat", line)
        assert re.search("magic-usage|unknown-table", capsys.readouterr().out), line


def test_a_preview_draws_the_error_of_every_way_to_answer(session: lapcat.Session) -> None:
    bands = ", ".join(f"COUNT(*) FILTER (WHERE pay < {a}) AS below_{a}" for a in range(10, 100, 10))
    drawn = session.sql(f"SELECT {bands} FROM data").preview(epsilon=0.1)._repr_html_()
    assert "by each way to answer" in drawn and "asked separately" in drawn and "taken:" in drawn
