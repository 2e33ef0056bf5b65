"""Every error code that the source can raise is documented, and the page is the one that the table makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from lapcat import errors
from lapcat.render.error_codes import ALL_CODES, ERROR_CODES, FAMILIES, as_markdown

ROOT = Path(__file__).parents[2]
CLASSES = {
    name: entry.family
    for name, entry in vars(errors).items()
    if isinstance(entry, type) and issubclass(entry, errors.Error)
}
WRITTEN_OUT = {
    "{kind}-zero": ("epsilon-zero", "rho-zero"),
    "{name}-range": ("epsilon-range", "rho-range"),  # session/pricing.py
}
"""Codes that are put together when they are raised, and what comes of them."""
CHECKS = {"checked_whole": "BadQuery"}
"""Functions that raise the code they are given first, and its family."""


def codes_in(file: Path) -> Iterator[tuple[str, str, str]]:
    """(code, family, place) of every error that is made in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        family = CLASSES.get(name) or CHECKS.get(name)
        if family is None:
            continue
        place = f"{file.relative_to(ROOT)}:{node.lineno}"
        match node.args[0]:
            case ast.Constant(value=str(code)):
                yield code, family, place
            case ast.JoinedStr() as pattern:
                text = "".join(
                    part.value if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"  # type: ignore[attr-defined]
                    for part in pattern.values
                )
                for code in WRITTEN_OUT.get(text, (text,)):
                    yield code, family, place
            case ast.Name() | ast.Attribute():
                continue  # handed on from a caller, who is seen on its own


FOUND = [entry for file in sorted((ROOT / "src").rglob("*.py")) for entry in codes_in(file)]


def test_the_walk_sees_the_raise_sites() -> None:
    assert len(FOUND) > 80 and {"bounds-missing", "ledger-locked", "usage"} <= {code for code, _, _ in FOUND}


def test_every_code_that_is_raised_is_documented() -> None:
    missing = [f"{place} raises {code!r}" for code, _, place in FOUND if code not in ERROR_CODES]
    assert not missing, "\n".join(["not in src/lapcat/render/error_codes:", *missing])


def test_every_code_has_the_family_that_it_is_raised_with() -> None:
    wrong = [
        f"{place} raises {code!r} as {family}"
        for code, family, place in FOUND
        if code in ERROR_CODES and ERROR_CODES[code].family != family
    ]
    assert not wrong, "\n".join(wrong)


def test_every_documented_code_is_raised_somewhere() -> None:
    raised = {code for code, _, _ in FOUND}
    assert [entry.code for entry in ALL_CODES if entry.code not in raised] == []


def test_no_code_is_documented_twice() -> None:
    assert len(ERROR_CODES) == len(ALL_CODES)


@pytest.mark.parametrize("entry", ALL_CODES, ids=lambda entry: entry.code)
def test_an_entry_says_what_it_means_and_what_to_do(entry: errors.Error) -> None:
    assert entry.family in FAMILIES
    assert entry.means.endswith(".") and entry.fix  # type: ignore[attr-defined]


def test_families_have_the_exit_codes_of_their_classes() -> None:
    for family, (code, _) in FAMILIES.items():
        assert getattr(errors, family).exit_code == code


def test_the_page_is_made_from_the_table() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    assert page == as_markdown(ALL_CODES), "python -m lapcat.render.error_codes > docs/reference/errors.md"
