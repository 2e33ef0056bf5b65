"""What people install has what the docs speak of."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("the package index that has the build tool cannot be reached")
    assert done.returncode == 0, done.stderr
    return zipfile.ZipFile(next(folder.glob("lapcat-*.whl")))


@pytest.mark.parametrize(
    "name",
    [
        "lapcat/catalogue.schema.json",
        "lapcat/frontend/sql/vectors.tsv",
        "lapcat/local/page/survey.js",
        "lapcat/py.typed",
        "lapcat/core/release.py",
    ],
)
def test_the_wheel_has(wheel: zipfile.ZipFile, name: str) -> None:
    assert name in wheel.namelist()


def test_the_wheel_has_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    roots = {name.split("/")[0] for name in wheel.namelist()}
    assert roots == {"lapcat", next(name for name in roots if name.endswith(".dist-info"))}


def test_the_wheel_carries_its_licence(wheel: zipfile.ZipFile) -> None:
    assert any(name.endswith("LICENSE") for name in wheel.namelist())
