"""What is stored never depends on Python's names: a class may be renamed, and nobody pays again."""

from __future__ import annotations

import importlib
import json
import pkgutil
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import lapcat
import lapcat.core
import lapcat.plan
import lapcat.workload
from lapcat.core.event_codec import event_from_json
from lapcat.plan.schema import Unit
from lapcat.session.ledger_files import open_ledger_read_only
from lapcat.stored.declarations import KEYS
from lapcat.stored.forms import FORMS, form_of
from tests.golden.corpus import Schema
from tests.stored.asking import identities_of
from tests.stored.test_stored import ANOTHER_MEANING, STORED, copied, require_the_same, require_verified

FROZEN = Path(__file__).parent / "forms.json"
DRAWN = frozenset({"answer", "entry", "hash", "id", "signature", "public_key"})
PACKAGES = (lapcat.core, lapcat.plan, lapcat.workload)


def dataclasses_of_plans() -> list[type]:
    """Every dataclass of plan, core and workload."""
    modules = (
        importlib.import_module(module_info.name)
        for package in PACKAGES
        for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    )
    own = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and is_dataclass(value) and value.__module__.startswith("lapcat.")
    }
    return sorted(own, key=lambda of: (of.__module__, of.__qualname__))


@contextmanager
def other_names() -> Iterator[int]:
    """How many classes have another name meanwhile."""
    names = {of: (of.__name__, of.__qualname__) for of in dataclasses_of_plans()}
    for number, of in enumerate(names):
        of.__name__ = of.__qualname__ = f"Renamed{number}"
    try:
        yield len(names)
    finally:
        for of, (name, qualified) in names.items():
            of.__name__, of.__qualname__ = name, qualified


@pytest.fixture
def renamed() -> Iterator[int]:
    with other_names() as number:
        yield number


@pytest.mark.parametrize("schema", ["basics", "flights", "hospital", "shop"])
def test_a_question_is_known_by_the_same_when_every_class_is_renamed(schema: str, renamed: int) -> None:
    assert renamed > 150
    stored = json.loads((STORED / "identities.json").read_text(encoding="utf-8"))[schema]
    catalogue = Schema(stored["catalogue"])
    for question, identities in stored["questions"].items():
        if question not in ANOTHER_MEANING:
            assert identities_of(catalogue, question) == identities, question


@pytest.mark.parametrize("name", ["shop", "counts"])
def test_a_stored_ledger_verifies_and_answers_for_free_when_every_class_is_renamed(
    name: str, renamed: int, tmp_path: Path
) -> None:
    folder = copied(name, tmp_path)
    assert require_the_same(folder) >= 30
    require_verified(folder)


@pytest.mark.parametrize("name", ["shop", "counts"])
def test_an_event_is_written_as_it_was_when_every_class_is_renamed(
    name: str, renamed: int, tmp_path: Path
) -> None:
    book = open_ledger_read_only(copied(name, tmp_path) / "lapcat.toml")
    events = [json.loads(entry.text)["event"] for entry in book.ledger.entries() if entry.kind == "debit"]
    book.ledger.close()
    assert len(events) >= 20
    for event in events:
        assert event_from_json(event).as_json() == event


def test_a_new_entry_and_its_receipt_are_the_same_when_every_class_is_renamed(
    tmp_path: Path,
) -> None:
    """But for what is drawn: the answer and its digest, the time and the hashes over them."""

    def written(folder: Path) -> tuple[object, object]:
        session = lapcat.open(folder / "lapcat.toml", analyst="ana")
        answer = session.sql(
            "SELECT region, COUNT(*) AS n, AVG(age) AS a FROM customers WHERE age BETWEEN 20 AND 61 GROUP BY region"
        ).run(epsilon="0.25")
        receipt = {k: v for k, v in answer.receipt.as_json().items() if k not in DRAWN}
        bodies = [json.loads(e.text) for e in session._deployment.ledger.entries() if e.kind == "debit"]
        session._deployment.ledger.close()
        return receipt, {k: v for k, v in bodies[-1].items() if k not in ("time",)}

    shutil.copytree(copied("shop", tmp_path), tmp_path / "again")
    before = written(tmp_path / "shop")
    with other_names():
        assert written(tmp_path / "again") == before


def test_forms_are_those_that_were_first_written() -> None:
    """Tag and order of the fields. A new class adds a line to forms.json; a field that is renamed keeps its place there."""
    dataclasses_of_plans()
    now = [
        [f.tag, *f.fields, *f.unless_empty, *([f.unordered] if f.unordered else [])] for f in FORMS.values()
    ]
    assert sorted(now, key=str) == json.loads(FROZEN.read_text(encoding="utf-8"))
    tags = [form.tag for form in FORMS.values() if form.tag is not None]
    assert len(tags) == len(set(tags))


def test_declarations_are_kept_under_the_keys_that_were_first_written() -> None:
    """A key that went missing would be a change that a steward has to accept again."""
    kept = sorted([key for key, _ in keys] for keys in KEYS.values())
    assert kept == json.loads((FROZEN.parent / "declarations.json").read_text(encoding="utf-8"))
    for of, keys in KEYS.items():
        derived = {"named"} if of is Unit else set()
        assert {field for _, field in keys} | derived == {field.name for field in fields(of)}


def test_every_field_of_a_stored_class_is_part_of_its_form_or_is_a_name() -> None:
    left_out = {
        (form.tag, field.name)
        for of, form in FORMS.items()
        for field in fields(of)
        if field.name not in (*form.fields, *form.unless_empty, form.unordered)
    }
    assert left_out == {
        ("Scan", "table"),
        ("Public", "table"),
        ("Key", "name"),
        ("in", "type"),
        (None, "type"),
    }


def test_a_value_without_a_form_cannot_be_stored() -> None:
    with pytest.raises(lapcat.Error) as refused:
        form_of(object())
    assert refused.value.family == "Bug" and refused.value.code == "stored-form"
