"""What the code accepts the pages mention, and what the pages mention exists; the missing one is named."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

import click
import pytest
from pages import PAGES, ROOT, blocks_of, named_tests

import lapcat
from lapcat import mechanisms
from lapcat.plan.aggregates import AGGREGATES
from lapcat.plan.expressions import Expression, Part, Span
from lapcat.plan.limits import WorkLimits

SOURCE = ROOT / "src" / "lapcat"


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------ the catalogue


def accepted_keys() -> dict[str, set[str]]:
    """The keys that each method of the reader accepts: the tuples handed to `self.only`."""
    keys: dict[str, set[str]] = {}
    for method in ast.walk(ast.parse((SOURCE / "frontend" / "catalogue.py").read_text(encoding="utf-8"))):
        if not isinstance(method, ast.FunctionDef):
            continue
        for node in ast.walk(method):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "only"
            ):
                for word in ast.walk(node.args[2]):
                    if isinstance(word, ast.Constant) and isinstance(word.value, str):
                        keys.setdefault(method.name, set()).add(word.value)
    return {**keys, "work_limits": {field.name for field in fields(WorkLimits)}}


def test_every_key_of_the_catalogue_is_documented() -> None:
    keys = set().union(*accepted_keys().values())
    assert len(keys) > 25
    page = text_of("docs/catalogue.md")
    assert sorted(key for key in keys if f"`{key}`" not in page and f"`[{key}" not in page) == []


def schema() -> dict:
    return json.loads((SOURCE / "catalogue.schema.json").read_text(encoding="utf-8"))


def properties_of(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and node.get("additionalProperties") is False:
            yield from node["properties"]
        for child in node.values():
            yield from properties_of(child)
    elif isinstance(node, list):
        for child in node:
            yield from properties_of(child)


def test_the_schema_has_the_keys_of_the_reader() -> None:
    assert set(properties_of(schema())) == set().union(*accepted_keys().values())


def fits(value: object, rule: dict, root: dict) -> bool:
    """Whether a value satisfies a JSON Schema, as far as the keywords of ours go."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
    }
    known = {"$schema", "$defs", "title", "description", "default", "then", "else"}
    for word, wanted in rule.items():
        match word:
            case "$ref":
                good = fits(value, root["$defs"][wanted.removeprefix("#/$defs/")], root)
            case "type":
                names = wanted if isinstance(wanted, list) else [wanted]
                good = any(
                    isinstance(value, kinds[n]) and (n == "boolean" or not isinstance(value, bool))
                    for n in names
                )
            case "properties":
                good = all(fits(value[k], inner, root) for k, inner in wanted.items() if k in value)
            case "additionalProperties":
                others = set(value) - set(rule.get("properties", {}))
                good = not others if wanted is False else all(fits(value[k], wanted, root) for k in others)
            case "required":
                good = set(wanted) <= set(value)
            case "dependentRequired":
                good = all(set(needs) <= set(value) for key, needs in wanted.items() if key in value)
            case "enum":
                good = value in wanted
            case "const":
                good = value is wanted or (value == wanted and not isinstance(wanted, bool))
            case "oneOf":
                good = sum(fits(value, choice, root) for choice in wanted) == 1
            case "not":
                good = not fits(value, wanted, root)
            case "if":
                good = fits(value, rule["then" if fits(value, wanted, root) else "else"], root)
            case "pattern":
                good = re.search(wanted, value) is not None
            case "minimum":
                good = value >= wanted
            case "exclusiveMinimum":
                good = isinstance(value, str) or value > wanted
            case "minLength" | "minItems" | "minProperties":
                good = len(value) >= wanted
            case "items":
                good = all(fits(item, wanted, root) for item in value)
            case "uniqueItems":
                good = len({repr(item) for item in value}) == len(value)
            case _:
                assert word in known, f"the schema uses {word}, which this test does not check"
                continue
        if not good:
            return False
    return True


SAMPLES = [
    *(
        (block.place, block.text)
        for page in PAGES
        for block in blocks_of(page)
        if block.argument == "lapcat.toml"
    ),
    *(
        (path.parent.name, path.read_text())
        for path in sorted((ROOT / "tests" / "golden").glob("*/catalogue.toml"))
    ),
]


@pytest.mark.parametrize("text", [text for _, text in SAMPLES], ids=[name for name, _ in SAMPLES])
def test_the_schema_accepts_good_catalogues(text: str) -> None:
    assert fits(tomllib.loads(text), schema(), schema())


@pytest.mark.parametrize(
    "old, new",
    [
        ("rows_per_unit ", "row_per_unit "),  # a misspelt key
        ("epsilon = 3", "epsilon = 0"),  # nothing to spend
        ("epsilon = 3", "epsilon = 3, rho = 1"),  # two kinds at once
        ('relation = "replace-one"', 'relation = "add-remove"'),  # units without replace-one
        ("units    = 1000", ""),  # replace-one without units
        ("low = 20000, ", ""),  # one end
        ('"integer", keys = { from', '"int", keys = { from'),  # no such type
        ("public = true", 'public = true\nunique = [["region"]]'),  # a key of one column
        ("public = true", "public = true\nunit = 'row'"),  # a public table has a source and nothing else
        ('store = "sqlite:', 'store = "mysql:'),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(old: str, new: str) -> None:
    from lapcat.errors import Error
    from lapcat.frontend.catalogue import read_catalogue

    good = next(block.text for block in blocks_of(ROOT / "docs" / "catalogue.md") if block.kind == "toml")
    assert old in good
    bad = good.replace(old, new, 1)
    with pytest.raises(Error):
        read_catalogue(bad, lambda source: {})
    assert not fits(tomllib.loads(bad), schema(), schema())


# ------------------------------------------------------------------------------------------------ SQL


@pytest.mark.parametrize("node", get_args(Expression), ids=lambda node: node.__name__)
def test_every_expression_is_documented(node: type) -> None:
    assert f"| `{node.__name__}` |" in text_of("docs/sql.md")


@pytest.mark.parametrize("aggregate", AGGREGATES.values(), ids=lambda aggregate: aggregate.name)
def test_every_aggregate_is_documented(aggregate: object) -> None:
    name: str = aggregate.name  # type: ignore[attr-defined]
    written = "COUNT(DISTINCT " if name == "count_distinct" else f"{name.upper()}("
    assert re.search(rf"^\| `{re.escape(written)}", text_of("docs/sql.md"), re.MULTILINE)


@pytest.mark.parametrize("aggregate", AGGREGATES.values(), ids=lambda aggregate: aggregate.name)
def test_every_aggregate_is_among_the_statistics(aggregate: object) -> None:
    name: str = aggregate.name  # type: ignore[attr-defined]
    written = "COUNT(DISTINCT " if name == "count_distinct" else f"{name.upper()}("
    assert f"`{written}" in text_of("docs/statistics.md")


def test_every_part_of_a_date_is_documented() -> None:
    row = next(line for line in text_of("docs/sql.md").splitlines() if "`DatePart`" in line)
    assert [part for part in get_args(Part) if not re.search(rf"\b{part}\b", row)] == []
    row = next(line for line in text_of("docs/sql.md").splitlines() if "`DateTrunc`" in line)
    assert [span for span in get_args(Span) if not re.search(rf"\b{span}\b", row)] == []


# ------------------------------------------------------------------------------------------------ Python


@pytest.mark.parametrize("name", mechanisms.__all__)
def test_every_mechanism_is_documented(name: str) -> None:
    assert f"## {name}\n" in text_of("docs/reference/mechanisms.md")
    assert f"m.{name}" in text_of("docs/mechanisms.md"), "with an example that runs"


@pytest.mark.parametrize("name", [name for name in lapcat.__all__ if not name.startswith("_")])
def test_every_name_of_the_package_is_on_a_page(name: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    written = rf"lapcat\.{name}\b|`{name}`|^\| {name} \|"
    assert any(re.search(written, page, re.MULTILINE) for page in pages)


def test_every_error_code_is_documented() -> None:
    """The codes are those that the source raises, not those that were written down."""
    raised = set()
    for path in SOURCE.rglob("*.py"):
        raised |= set(
            re.findall(
                r"\b(?:BadQuery|BadArgument|Refused|BudgetExceeded|IntegrityFailed|EngineFailed)\(\s*\"([a-z-]+)\"",
                path.read_text(encoding="utf-8"),
            )
        )
    assert len(raised) > 100
    page = text_of("docs/reference/errors.md")
    assert sorted(code for code in raised if f"### {code}\n" not in page) == []


# ------------------------------------------------------------------------------------------------ links and names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_named_test_exists(page: Path) -> None:
    for path, name in named_tests(page.read_text(encoding="utf-8")):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in functions, f"{page.relative_to(ROOT)}: {path} has no {name}"


def test_every_promise_names_a_test() -> None:
    sections = re.split(r"^## (?=P\d)", text_of("docs/promises.md"), flags=re.MULTILINE)[1:]
    assert [section[:2] for section in sections] == [f"P{n}" for n in range(1, 9)]
    assert [section[:2] for section in sections if not named_tests(section)] == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in sorted(folder.glob("0*.md")) if path.name not in index] == []


# ------------------------------------------------------------------------------------------------ the command line


def test_every_command_and_option_is_documented() -> None:
    from lapcat.cli.app import COMMANDS, cli

    page = text_of("docs/reference/commands.md")
    commands: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) else {}
        commands |= {name: command, **{f"{name} {word}": own for word, own in inner.items()}}
    missing = [name for name in commands if f"`lapcat {name}" not in page]
    for name, command in commands.items():
        for parameter in command.params:
            words = [word for word in parameter.opts if word.startswith("-")]
            if words and not any(re.search(rf"`{re.escape(word)}[` ]", page) for word in words):
                missing.append(f"{name} {words[0]}")
    assert missing == []


# ------------------------------------------------------------------------------------------------ the local model


def test_every_randomiser_and_every_key_of_a_survey_is_documented() -> None:
    from lapcat.local import RANDOMISERS
    from lapcat.local.survey import KEYS, QUESTION_KEYS

    page = text_of("docs/local.md")
    names = [kind.__name__ for kind in RANDOMISERS]
    keys = sorted((KEYS | QUESTION_KEYS) - {"questions"})
    assert [word for word in (*names, *keys) if f"`{word}`" not in page] == []
