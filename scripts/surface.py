"""Everything that users can rely on by name: `python scripts/surface.py` writes tests/surface.json.

Commands, options, environment variables, exit codes, error codes, catalogue keys, JSON fields and public Python names with
their signatures. tests/test_surface.py compares it with the code, so that no name goes away unnoticed.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lapcat"
RECORDED = ROOT / "tests" / "surface.json"


def surface() -> dict[str, Any]:
    """The names, by kind."""
    return {
        "commands": dict(commands()),
        "environment": environment(),
        "exit codes": exit_codes(),
        "error codes": error_codes(),
        "catalogue": sorted(
            set(catalogue_keys(json.loads((SOURCE / "catalogue.schema.json").read_text("utf-8"))))
        ),
        "json": json_fields(),
        "python": dict(python()),
    }


def commands() -> Iterator[tuple[str, list[str]]]:
    """Each command with its arguments and options, as they are typed."""
    from lapcat.cli.app import cli

    yield from _commands(cli, click.Context(cli, info_name="lapcat"), "lapcat")


def _commands(command: click.Command, context: click.Context, path: str) -> Iterator[tuple[str, list[str]]]:
    yield path, sorted(map(_parameter, command.params))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _commands(
                inner, click.Context(inner, info_name=name, parent=context), f"{path} {name}"
            )


def _parameter(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        value = "" if parameter.is_flag else f" {parameter.make_metavar(click.Context(click.Command('')))}"
        return "/".join([*parameter.opts, *parameter.secondary_opts]) + value
    return f"{parameter.human_readable_name}{'' if parameter.required else ' (optional)'}"


def environment() -> list[str]:
    """Environment variables that the code reads."""
    names: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        text = file.read_text("utf-8")
        names |= set(re.findall(r"(?:environ(?:\.get)?[\[(]|getenv\(|envvar=)\s*[\"']([A-Z_]+)[\"']", text))
    return sorted(names)


def exit_codes() -> dict[str, int]:
    """Each family of errors with the code that the command line ends with."""
    from lapcat import errors

    families = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.Error)
    ]
    return {kind.__name__: kind.exit_code for kind in sorted(families, key=lambda kind: kind.__name__)}


def error_codes() -> dict[str, str]:
    """Each code with its family."""
    from lapcat.render.error_codes import ERROR_CODES

    return {code: entry.family for code, entry in sorted(ERROR_CODES.items())}


def catalogue_keys(schema: Any) -> Iterator[str]:
    """Every key that lapcat.toml may have, wherever it stands."""
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from properties if isinstance(properties, dict) else ()
        for value in schema.values():
            yield from catalogue_keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from catalogue_keys(value)


def json_fields() -> list[str]:
    """Every field of a JSON document that the code writes: keys of the dictionaries in `…_json` functions and `print_json`, and
    the fields of stored events."""
    fields: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            writes = isinstance(node, ast.FunctionDef) and node.name.endswith("_json")
            prints = isinstance(node, ast.Call) and getattr(node.func, "id", None) == "print_json"
            fields |= _keys(node) if writes or prints else set()
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "stored_event":
                fields |= {field.arg for field in node.keywords if field.arg is not None}
    return sorted(fields)


def _keys(node: ast.AST) -> set[str]:
    return {
        key.value
        for display in ast.walk(node)
        if isinstance(display, ast.Dict)
        for key in display.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def python() -> Iterator[tuple[str, Any]]:
    """Public names with their signatures; of classes the public members too."""
    import lapcat
    from lapcat import local, mechanisms
    from lapcat.frontend import frame
    from lapcat.session import (
        batch,
        bounds,
        budgets,
        burn_down,
        merged_query,
        question,
        results,
        schemas,
        tradeoff,
    )

    for name in lapcat.__all__:
        yield from _described(f"lapcat.{name}", getattr(lapcat, name))
    for package, module in (("lapcat.mechanisms", mechanisms), ("lapcat.local", local)):
        for name in module.__all__:
            yield from _described(f"{package}.{name}", getattr(module, name))
    reached = {
        "Question": question.Question, "MergedQuery": merged_query.MergedQuery, "Batch": batch.Batch,
        "BatchItem": batch.BatchItem, "Answer": results.Answer, "Preview": results.Preview, "Receipt": results.Receipt,
        "SensitivityReport": results.SensitivityReport, "Budget": budgets.Budget, "Gauge": budgets.Gauge,
        "History": burn_down.History, "Tradeoff": tradeoff.Tradeoff, "TableInfo": schemas.TableInfo,
        "ColumnInfo": schemas.ColumnInfo, "ProposedBounds": bounds.ProposedBounds, "Rows": frame.Rows,
    }  # fmt: skip
    """What public functions return, by its own name."""
    for name, kind in reached.items():
        yield from _described(f"returned {name}", kind)


def _described(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if inspect.isclass(value):
        yield name, _signature(value) if value.__module__.split(".")[1] != "session" else "class"
        held = (
            {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
        )
        for member in sorted(held | set(vars(value))):
            if not member.startswith("_"):
                own = inspect.getattr_static(value, member, None)
                inner = own.__func__ if isinstance(own, (classmethod, staticmethod)) else own
                yield f"{name}.{member}", _signature(inner) if inspect.isfunction(inner) else "value"
    elif inspect.isfunction(value):
        yield name, _signature(value)
    else:
        yield name, "module" if inspect.ismodule(value) else "value"


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value)).replace("'", "")
    except ValueError:  # a class of the standard library's own making
        return "(…)"


if __name__ == "__main__":
    RECORDED.write_text(
        json.dumps(surface(), indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
