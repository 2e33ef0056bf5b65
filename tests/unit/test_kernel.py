"""In a real kernel of Jupyter: what opens there, what it shows, and what it does not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from lapcat.cli.commands import refresh
from tests.kernel import executed, notebook_of, outputs_of, text_of

pytestmark = pytest.mark.patient

STAND_IN = """
import sys, types
from importlib.machinery import ModuleSpec
sys.modules["ipywidgets"] = types.ModuleType("ipywidgets")
sys.modules["ipywidgets"].__spec__ = ModuleSpec("ipywidgets", None)
import duckdb
print(duckdb.connect().execute("SELECT current_setting('enable_progress_bar')").fetchall())
"""
"""DuckDB looks for ipywidgets when a connection opens, and shows a bar of its own where there is one."""
SETTINGS = """
from lapcat.engines.duckdb.connection import connect
shown = "SELECT current_setting('enable_progress_bar') AND current_setting('enable_progress_bar_print')"
connection = connect([])
print(connection.execute(shown).fetchall(), connection.cursor().execute(shown).fetchall())
"""


@pytest.mark.parametrize("before", ["print('[(False,)]')", STAND_IN], ids=["without ipywidgets", "with it"])
def test_duckdb_opens_and_shows_no_progress_which_would_say_how_many_rows_there_are(
    before: str, tmp_path: Path
) -> None:
    first, second = outputs_of(executed(notebook_of([before, SETTINGS]), tmp_path))
    assert text_of(first) == ("[(True,)]\n" if before is STAND_IN else "[(False,)]\n")
    assert text_of(second) == "[(False,)] [(False,)]\n"


# ------------------------------------------------------------------------------------------------ refusals

OPEN = """
import lapcat, pandas as pd
db = lapcat.table(pd.DataFrame({"age": [41] * 100}), unit="row", epsilon=1, bounds={"age": (0, 100)})
def ask():
    value = "can" + "ary"
    return db.sql("SELECT weight FROM data" if value else "")
"""
PAGE = ("Traceback", "site-packages", "src/lapcat", "----")


def test_a_refusal_shows_its_message_and_the_line_that_asked_and_no_traceback(tmp_path: Path) -> None:
    cells = [
        OPEN,
        'db.tables()\ndb.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=5)',
        "%colors nocolor\nask()",
        "%tb",
        "%xmode Minimal\nask()",
        "%xmode Verbose\nask()",
        "%xmode Context\nraise lapcat.errors.Bug('test', 'something is wrong')",
        "try:\n    ask()\nexcept lapcat.Error as problem:\n    raise KeyError('mine') from problem",
        "import traceback\ntry:\n    ask()\nexcept lapcat.Error:\n    print(traceback.format_exc())",
    ]
    shown = outputs_of(executed(notebook_of(cells), tmp_path, allow_errors=True))
    texts = [
        "\n".join(out[-1].traceback) if out and "traceback" in out[-1] else text_of(out) for out in shown
    ]
    _, budget, plain, again, minimal, verbose, bug, nested, caught = texts
    lines = budget.splitlines()
    assert lines[0].startswith("\x1b[1mBudgetExceeded [budget-exceeded]:\x1b[0m ")
    assert lines[-1] == '  at line 2: db.sql("SELECT COUNT(*) AS n FROM data").run(epsilon=5)'
    assert shown[1][-1].ename == "BudgetExceeded" and len(lines) <= 5
    assert plain.startswith("BadQuery [unknown-column]: ") and "\x1b" not in plain
    assert plain.endswith('  at line 5: return db.sql("SELECT weight FROM data" if value else "")')
    assert again == minimal == plain
    assert not any(word in text for word in PAGE for text in (budget, plain))
    for whole in (verbose, bug, caught):  # what Python itself prints
        assert "Traceback (most recent call last):" in whole and ", line " in whole
    assert "frontend" in verbose and "canary" not in verbose and "unknown-column" in verbose
    assert "Bug [test]: something is wrong" in bug
    assert "KeyError" in nested and "unknown-column" in nested


# ------------------------------------------------------------------------------------------------ progress

CATALOGUE = """
from pathlib import Path
rows = "".join(f"{i},{18 + i % 50}\\n" for i in range(200_000))
Path("staff.csv").write_text("id,age\\n" + rows)
Path("lapcat.toml").write_text(
    "[tables.staff]\\nsource = 'staff.csv'\\nunit = 'row'\\nbudget = { epsilon = 1 }\\n"
    "[tables.staff.columns]\\nage = { type = 'integer', low = 0, high = 100 }\\n"
);
"""


def test_progress_in_a_notebook_is_kept_and_moves_no_cursor(tmp_path: Path) -> None:
    cells = [
        CATALOGUE,
        "%load_ext lapcat",
        "%lapcat refresh staff",
        "!lapcat refresh staff",
        "Path('staff.csv').unlink()",
        "%lapcat refresh staff",
        "!lapcat refresh staff",
    ]
    shown = outputs_of(executed(notebook_of(cells), tmp_path))
    bar, stream = shown[2]
    assert bar.data["text/plain"] == "staff: 100 %" and '<progress value="100"' in bar.data["text/html"]
    assert stream.text == "staff: version 1\n"
    lines = text_of(shown[3]).splitlines()
    assert lines[-1] == "staff: version 2" and "\x1b[2K" not in text_of(shown[3])  # nothing is drawn over
    bar, stream = shown[5]
    assert bar.data["text/plain"] == bar.data["text/html"] == "staff: stopped" and "fix:" in stream.text
    assert "fix:" in text_of(shown[6])


def test_a_command_in_a_cell_prints_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    clock = iter([0, 1, 4, 5, 9, 20])
    monkeypatch.setattr(refresh.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", Page())
    with refresh.progress_of("staff") as advance:
        for fraction in (0.1, 0.25, 0.3, 0.3, 1.0):
            advance(fraction)
    assert sys.stderr.getvalue() == "staff: 20 %\nstaff: 30 %\n"


class Page(io.StringIO):
    """A terminal of which a notebook keeps every line."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True
