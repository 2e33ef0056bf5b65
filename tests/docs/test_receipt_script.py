"""The script in docs/ledger.md verifies a receipt in at most thirty lines, without lapcat, and finds forgeries."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pages import ROOT, blocks_of

import lapcat
from lapcat.session.files import open_deployment, refresh
from lapcat.session.ledger_files import PUBLIC_KEY

MOST_LINES = 30
(SCRIPT,) = (b.text for b in blocks_of(ROOT / "docs" / "ledger.md") if "def verify(receipt" in b.text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A receipt at the price of the page, and the public key."""
    folder = tmp_path_factory.mktemp("receipt")
    pd.DataFrame({"age": [30, 40, 50] * 100}).to_parquet(folder / "staff.parquet")
    (folder / "lapcat.toml").write_text(
        '[ledger]\nkey = "secret/key"\n[tables.staff]\nsource = "staff.parquet"\nunit = "row"\n'
        "budget = { epsilon = 1 }\n[tables.staff.columns]\n"
        'age = { type = "integer", low = 0, high = 110 }\n',
        encoding="utf-8",
    )
    refresh(open_deployment(folder / "lapcat.toml"), "staff")
    answer = lapcat.open(folder / "lapcat.toml").sql("SELECT COUNT(*) AS n FROM staff").run(epsilon="0.2")
    answer.receipt.save(folder / "receipt.json")
    assert (folder / PUBLIC_KEY).exists() and answer.receipt.signed
    return folder


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """In a process that cannot import lapcat."""
    alone = "import sys; sys.modules['lapcat'] = None\n"
    return subprocess.run(
        [sys.executable, "-c", alone + SCRIPT], cwd=folder, capture_output=True, text=True, timeout=60
    )


def test_it_is_short_and_imports_nothing_of_lapcat() -> None:
    assert len(SCRIPT.splitlines()) <= MOST_LINES
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(SCRIPT))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= {"json", "hashlib", "cryptography"}


def test_a_genuine_receipt_passes(folder: Path) -> None:
    done = run(folder)
    assert done.returncode == 0, done.stderr


def _entry(receipt: dict[str, Any]) -> None:
    receipt["entry"]["text"] = receipt["entry"]["text"].replace("staff", "stuff")


FORGERIES = {
    "guarantee": lambda receipt: receipt.update(guarantee={"epsilon": "0.1"}),
    "question": lambda receipt: receipt.update(question="SELECT 1"),
    "spent": lambda receipt: receipt["spent"][0].update(epsilon="0"),
    "answer": lambda receipt: receipt.update(answer="0" * 64),
    "entry": _entry,
    "signature": lambda receipt: receipt.update(signature="0" * 128),
    "left out": lambda receipt: receipt.pop("unit"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_receipt_does_not_pass(folder: Path, tmp_path: Path, forgery: str) -> None:
    receipt = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    forged = copy.deepcopy(receipt)
    FORGERIES[forgery](forged)
    assert forged != receipt
    (tmp_path / "receipt.json").write_text(json.dumps(forged), encoding="utf-8")
    (tmp_path / PUBLIC_KEY).write_bytes((folder / PUBLIC_KEY).read_bytes())
    done = run(tmp_path)
    assert done.returncode != 0 and ("InvalidSignature" in done.stderr or "AssertionError" in done.stderr)
