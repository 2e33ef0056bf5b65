"""The site is made of the pages that GitHub shows: every page is in it, and no link is lost."""

from __future__ import annotations

import doctest
import importlib.util
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from pages import ROOT

DOCS = ROOT / "docs"
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


site = script("site_hooks")
IN_SITE = {
    **{str(page.relative_to(DOCS)): page for page in DOCS.rglob("*.md")},
    **{name: ROOT / name for name in site.BESIDE_README},
}
"""Each page by its path in the site."""


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- (\S+\.md)$", SITE.split("\nnav:")[1], re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert sorted(IN_SITE) == sorted(listed)


def test_nothing_on_the_site_comes_from_elsewhere() -> None:
    assert "font: false" in SITE
    assert not re.search(r"https?://", SITE)


@pytest.mark.parametrize("page", sorted(IN_SITE))
def test_every_link_leads_to_a_page_of_the_site(page: str) -> None:
    text = re.sub(r"```.*?```", "", site.for_site(IN_SITE[page].read_text("utf-8"), page), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            assert goal in IN_SITE or (DOCS / goal).is_file(), target


@pytest.mark.parametrize("page", sorted(IN_SITE))
def test_every_anchor_is_a_heading(page: str) -> None:
    text = re.sub(r"```.*?```", "", site.for_site(IN_SITE[page].read_text("utf-8"), page), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", text):
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page
        headings = re.findall(r"^#+ (.*)$", IN_SITE[goal].read_text("utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", head).strip().lower()) for head in headings}
        assert anchor in slugs, f"{page} links to {target}#{anchor}"


@pytest.mark.parametrize("page", sorted(IN_SITE))
def test_a_block_names_its_file_as_mkdocs_reads_it(page: str) -> None:
    text = site.for_site(IN_SITE[page].read_text("utf-8"), page)
    fences = re.findall(r"^```(.*)$", text, re.MULTILINE)
    assert [info for info in fences if not re.fullmatch(r'|\w+( title="[^"]+")?', info)] == []


@pytest.mark.parametrize("page", sorted(IN_SITE))
def test_a_list_stands_apart_from_the_lines_before_it(page: str) -> None:
    """GitHub begins a list right after a paragraph; mkdocs does not, and would run its items together."""
    before, code = "", False
    for number, line in enumerate(IN_SITE[page].read_text("utf-8").splitlines(), 1):
        if line.startswith("```"):
            code = not code
        marked = re.match(r"(\s*)([-*]|\d+\.) ", line)
        if marked and not code and before:
            assert re.match(r"\s*([-*]|\d+\.) |\s", before), f"{page}:{number} needs an empty line before it"
        before = line


def test_examples_of_the_hooks_hold() -> None:
    result = doctest.testmod(site)
    assert result.attempted > 0 and result.failed == 0


def test_the_site_builds_strictly(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', front)
    assert [address for address in loaded if 'rel="canonical"' not in address] == []


@pytest.mark.parametrize("name", script("reference").PAGES)
def test_a_page_made_from_the_code_is_not_behind(name: str) -> None:
    """In a process of its own: click remembers of a command how it was first asked for help."""
    code = f"import runpy; print(runpy.run_path('scripts/reference.py')['PAGES'][{name!r}](), end='')"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == made, "run: make reference"
