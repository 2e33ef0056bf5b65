"""What a notebook shows, in a real browser without a network: everything is drawn, and stays inside its picture."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import lapcat
from tests.browser.chromium import Browser

BARS = "[...document.querySelectorAll('svg line')].map(line => line.getBoundingClientRect())"
OUTSIDE = """
return [...document.querySelectorAll('svg text')].filter(text => {
  const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
  return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom;
}).map(text => text.textContent)
"""


@pytest.fixture(scope="module")
def answer() -> lapcat.Answer:
    names = [
        "Aix",
        "Department of Corrections, District 6",
        "NEW YORK CITY, MANHATTAN",
        "東京都新宿区西新宿二丁目",
    ]
    frame = pd.DataFrame({"place": names * 300, "pay": [float(i % 100) for i in range(1200)]})
    db = lapcat.table(frame, unit="row", epsilon=5, bounds={"pay": (0, 100)}, keys={"place": names})
    return db.sql("SELECT place, COUNT(*) AS n, AVG(pay) AS pay FROM data GROUP BY place").run(epsilon=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_and_plots_are_drawn_without_a_network(
    browser: Browser, tmp_path: Path, answer: lapcat.Answer, scheme: str
) -> None:
    shown = "".join(
        f"<div>{thing._repr_html_()}</div>" for thing in (answer, answer.plot(), answer.plot("pay"))
    )
    page = tmp_path / "page.html"
    style = f":root {{ color-scheme: {scheme} }} body {{ width: 500px }} svg {{ max-width: 100% }}"  # as Jupyter does
    page.write_text(f'<meta charset="utf-8"><style>{style}</style>{shown}')
    browser.offline(True)
    browser.open(page.as_uri())
    assert [request["url"] for request in browser.requests()] == [page.as_uri()]
    assert browser.run(OUTSIDE) == []
    widths = browser.run("return [...document.querySelectorAll('td svg')].map(svg => svg.clientWidth)")
    assert len(widths) == 2 * 4 and min(widths) == 120
    bars = browser.run(f"return {BARS}")
    assert len(bars) > 2 * 3 * 3 and all(max(bar["width"], bar["height"]) >= 5 for bar in bars)
