"""Each statement of the corpus is refused, soon, and nobody but lapcat has read it."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import lapcat
from lapcat.session import Session
from tests.hostile.corpus import DEFUSED, corpus, shape
from tests.hostile.desk import CANARY, Told, furnish, listener, unburdened, witness
from tests.hostile.guard import Sources, findings

SOON = 1.0
"""Seconds of processor time in which a question is refused."""
CORPUS = corpus()
NAMED = ("characters", "nesting", "lengths")
CASES = [
    pytest.param(
        statement,
        id=f"{kind}: {what if kind in NAMED else number}",
    )
    for kind, statements in CORPUS.items()
    for number, (what, statement) in enumerate(statements.items())
]


@dataclass
class Desk:
    db: Session
    folder: Path
    told: Told
    sources: Sources
    port: int
    came: list[object]
    opened: list[str]

    def files(self) -> dict[Path, tuple[int, int]]:
        """What lies in the folder, its size and when it was last written, except for the ledger's own files."""
        return {
            path: (path.stat().st_size, path.stat().st_mtime_ns)
            for path in self.folder.rglob("*")
            if not path.name.startswith("lapcat.ledger") and path.is_file()
        }


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    catalogue = furnish(folder)
    opened: list[str] = []
    watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in ("open", "socket.connect", "subprocess.Popen", "os.system", "ctypes.dlopen"):
            opened.append(f"{event} {arguments[:2]}")

    with unburdened(), witness() as record, listener() as (port, came):
        db = lapcat.open(catalogue, analyst="ana")
        for table in (
            "visits",
            "bills",
            "cats",
        ):  # the engine is open and has read: a leak would not be its first use
            db.sql(f"SELECT COUNT(*) AS n FROM {table}").run(epsilon=1)
        sources = Sources.heard(record.statements)
        sys.addaudithook(hook)  # it cannot be taken away again, only told to look elsewhere
        yield Desk(db, folder, record, sources, port, came, opened)
        watching = False


def concerning(opened: list[str], folder: Path) -> list[str]:
    """What was opened of the deployment, or outside of Python's own modules by another way than a file."""
    return [event for event in opened if str(folder) in event or not event.startswith("open")]


@pytest.mark.parametrize("statement", CASES)
def test_a_hostile_statement_is_refused_and_reaches_nothing(desk: Desk, statement: str) -> None:
    text = statement.replace("PORT", str(desk.port))
    budget, files = desk.db.budget().as_json(), desk.files()
    desk.told.forget()
    desk.opened.clear()
    for ask in ("preview", "run"):
        question = None
        start = time.process_time()
        with pytest.raises(lapcat.Error) as problem:
            question = desk.db.sql(text)
            getattr(question, ask)(epsilon=1)
        shown = f"{problem.value}\n{problem.value.as_json()}"
        spent = time.process_time() - start
        assert isinstance(problem.value, (lapcat.BadQuery, lapcat.Refused)), shown
        assert problem.value.fix, shown
        assert CANARY not in shown
        assert spent < SOON, f"refused after {spent:.2f} s"
        if question is None:
            break  # there is no question that could be asked in the other way
    assert desk.told.uses == []
    assert concerning(desk.opened, desk.folder) == [] and desk.came == []
    assert desk.db.budget().as_json() == budget and desk.files() == files


@pytest.mark.parametrize("number", range(len(DEFUSED)))
def test_what_only_looks_hostile_is_answered_in_lapcats_own_words(desk: Desk, number: int) -> None:
    desk.told.forget()
    answer = desk.db.sql(DEFUSED[number]).run(epsilon=2 + number)  # more each time: no answer is a stored one
    assert len(answer) >= 1 and desk.told.raised == [] and desk.told.statements
    for heard in desk.told.statements:
        assert findings(heard, desk.sources) == [], heard
    assert CANARY not in str(answer.as_json())


def test_the_corpus_is_wide(capsys: pytest.CaptureFixture[str]) -> None:
    shapes: dict[tuple[str, ...], str] = {}
    for kind, statements in CORPUS.items():
        for statement in statements.values():
            shapes.setdefault(shape(statement), kind)
    counted = {kind: list(shapes.values()).count(kind) for kind in CORPUS}
    with capsys.disabled():
        listed = ", ".join(f"{kind} {count}" for kind, count in counted.items())
        print(f"\nhostile statements of different shape: {len(shapes)} ({listed})")
    assert len(shapes) >= 500 and min(counted.values()) >= 5


# ------------------------------------------------------------------------------------------------ could it fail?


def test_an_answered_question_is_heard(desk: Desk) -> None:
    desk.told.forget()
    desk.db.sql("SELECT COUNT(*) AS n FROM cats WHERE lives > 3").run(epsilon=1)
    assert {"cursor", "execute"} <= set(desk.told.uses) and len(desk.told.statements) == 2


def test_an_opened_file_and_a_visitor_are_noticed(desk: Desk) -> None:
    desk.opened.clear()
    (desk.folder / "secrets.csv").read_bytes()
    assert len(concerning(desk.opened, desk.folder)) == 1
    with listener() as (port, came):
        socket.create_connection(("127.0.0.1", port)).recv(1)
        assert len(came) == 1


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("SELECT 1; SELECT 2", "statements"),
        ("COPY (SELECT 1) TO 'x'", "statements"),
        ("SELECT * FROM 'secrets.csv'", "the table"),
        ("SELECT * FROM read_parquet('secrets.parquet')", "the file"),
        ("SELECT * FROM glob('*')", "the table function glob"),
        ("SELECT * FROM other.main.visits", "the database other"),
        ("WITH base AS (SELECT 1) SELECT getenv('HOME') FROM base", "the function getenv"),
        ("WITH base AS (SELECT 1) SELECT COUNT(*) FILTER (WHERE error('x')) FROM base", "the function error"),
        ("WITH base AS (SELECT 1) SELECT list(base) FROM base", "the function"),
        ('WITH base AS (SELECT 1) SELECT 1 AS "zq1" FROM base', "outside a text"),
        ("WITH base AS (SELECT 1) SELECT 1 /* x */ FROM base", "a comment"),
    ],
)
def test_the_guard_finds_what_must_not_be_said(statement: str, finding: str) -> None:
    assert any(finding in problem for problem in findings(statement, Sources(frozenset(), frozenset())))
