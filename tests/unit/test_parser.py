"""SQLGlot is trusted only where it reads every construct as lapcat expects: the newest version, the oldest, and any other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from lapcat.errors import Refused
from lapcat.frontend.sql import parser
from lapcat.frontend.sql.text import Text
from tests.golden.corpus import UNDERSTOOD

ROOT = Path(__file__).parents[2]
OLDEST = parser.CHECKED[0]
NEVER_READ = frozenset({"Expr", "Expression", "AggFunc", "Binary", "Func", "SetOperation"})
"""Classes that the front-end names and that stand above others."""


def test_the_installed_version_reads_every_vector_as_expected() -> None:
    assert parser.differing() == ()


def test_every_class_that_the_front_end_names_is_in_a_vector() -> None:
    folder = Path(parser.__file__).parent
    named = {
        name
        for file in folder.glob("*.py")
        for name in re.findall(r"\bexp\.([A-Z]\w+)", file.read_text(encoding="utf-8"))
    }
    seen = {name for text, _ in parser.vectors() for name in re.findall(r"(\w+)\(", parser.reading(text))}
    assert len(named) > 60
    assert named - seen - NEVER_READ == set()


def test_every_part_of_a_golden_question_is_in_a_vector() -> None:
    def parts(text: str) -> set[tuple[str, str]]:
        tree = sqlglot.parse_one(text, dialect="duckdb")
        return {
            (type(node).__name__, key)
            for node in tree.walk()
            for key, value in node.args.items()
            if key not in parser.NOTES and value not in (None, False, [], "")
        }

    known: set[tuple[str, str]] = set()
    for text, _ in parser.vectors():
        if not parser.reading(text).endswith("refused") and ";" not in text:
            known |= parts(text)
    missing = {part: case.name for case in UNDERSTOOD for part in parts(Text(case.question).read) - known}
    assert missing == {}


# ------------------------------------------------------------------------------------------------ other versions


@pytest.fixture
def unlisted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A version that nobody has heard of."""
    monkeypatch.setattr(sqlglot, "__version__", "30.999.0")
    parser.differing.cache_clear()
    yield
    parser.differing.cache_clear()


def test_an_unlisted_version_that_reads_the_same_is_used(unlisted: None) -> None:
    Text("SELECT COUNT(*) AS n FROM t").parse()


def test_a_version_that_reads_a_construct_in_another_way_is_refused(
    unlisted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DuckDB.Parser.FUNCTIONS, "LEAST", exp.Greatest.from_arg_list)
    with pytest.raises(Refused) as refused:
        Text("SELECT COUNT(*) AS n FROM t")
    assert refused.value.code == "parser-differs" and "LEAST" in refused.value.message
    assert refused.value.fix == f"pip install 'sqlglot>={OLDEST},<={parser.CHECKED[-1]}'"


def test_the_bound_of_the_package_is_the_oldest_version_that_is_checked() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needs = tomllib.loads(text)["project"]["dependencies"]
    assert f"sqlglot>={OLDEST.removesuffix('.0')}" in needs
    assert list(parser.CHECKED) == sorted(parser.CHECKED, key=lambda v: [int(part) for part in v.split(".")])


@pytest.mark.patient
def test_the_oldest_version_reads_every_vector_and_golden_question_as_the_newest_does(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """What each question asks, the code of each refusal, and for some what engines are asked."""
    oldest, newest = asked_by([str(installed(request, tmp_path))]), asked_by([])
    assert (oldest["version"], oldest["differs"]) == (OLDEST, [])
    assert newest["version"] == sqlglot.__version__
    assert {name for name, asked in newest["asked"].items() if oldest["asked"][name] != asked} == set()


def asked_by(paths: list[str]) -> Any:
    """What a process of its own makes of the vectors and of golden questions, with what lies there before anything else."""
    script = (
        "import json, sqlglot; from lapcat.frontend.sql.parser import differing; "
        "from tests.unit.asked_of_golden import asked_of_golden; "
        "print(json.dumps({'version': sqlglot.__version__, 'differs': differing(), 'asked': asked_of_golden()}))"
    )
    places = [*paths, str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places)), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with the oldest version, kept between runs."""
    cache = getattr(request.config, "cache", None)  # there is none with -p no:cacheprovider
    kept = (tmp_path if cache is None else cache.mkdir("sqlglot")) / OLDEST
    if not kept.exists():
        made = kept.with_name(f"{OLDEST}.{os.getpid()}")
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(made)]
        done = subprocess.run([*pip, f"sqlglot=={OLDEST}"], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        if not kept.exists():
            made.rename(kept)
    return kept
