"""Code outside asks a mechanism, its law or its event; it seldom asks which class it has.

A site is an `isinstance`, a `case` or a `type(x) is` in src that names a concrete class of mechanism, law or event. Each is a
place that a new mechanism would have to touch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "lapcat"
HOMES = ("core/event.py", "core/mechanisms/*.py", "mechanisms/integers/*.py", "workload/measured.py")
"""Where mechanisms, laws and events are defined."""
SHAPES = {"norms.py", "polytopes.py", "lattices.py"}
"""Beside them, what they are built from."""
LIMIT = 16


def concrete_classes() -> dict[str, set[str]]:
    """The names of concrete classes by module."""
    classes: dict[str, set[str]] = {}
    for home in HOMES:
        for file in (file for file in SOURCE.glob(home) if file.name not in SHAPES):
            module = ".".join(("lapcat", *file.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
                ".__init__"
            )
            for node in ast.parse(file.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.decorator_list:  # abstract ones are no dataclasses
                    classes.setdefault(module, set()).add(node.name)
    return classes


def sites(file: Path, classes: dict[str, set[str]]) -> Iterator[str]:
    """The sites of one file."""
    tree = ast.parse(file.read_text("utf-8"))
    everywhere = set().union(*classes.values())
    module = ".".join(("lapcat", *file.relative_to(SOURCE).with_suffix("").parts))
    names = set(classes.get(module, ()))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (
            node.module in classes or node.module == "lapcat.core.mechanisms"
        ):
            names |= {alias.asname or alias.name for alias in node.names if alias.name in everywhere}
    for node in ast.walk(tree):
        for asked, line in _asked(node):
            hits = [
                part.id if isinstance(part, ast.Name) else part.attr
                for part in ast.walk(asked)
                if (isinstance(part, ast.Name) and part.id in names)
                or (isinstance(part, ast.Attribute) and part.attr in everywhere)
            ]
            if hits:
                yield f"{file.relative_to(SOURCE)}:{line} {' | '.join(hits)}"


def _asked(node: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """The classes that a node asks about, as an expression, and its line."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
            yield classes, node.lineno
        case ast.match_case(pattern=pattern):
            patterns = [part for part in ast.walk(pattern) if isinstance(part, ast.MatchClass)]
            if patterns:
                yield ast.Tuple([part.cls for part in patterns]), patterns[0].lineno
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=comparators):
            yield ast.Tuple(comparators), node.lineno


def test_few_places_ask_for_the_class_of_a_mechanism() -> None:
    classes = concrete_classes()
    assert (
        "Laplace" in classes["lapcat.core.mechanisms.laplace"]
        and "JointRelease" in classes["lapcat.core.event"]
    )
    every_site = [site for file in sorted(SOURCE.rglob("*.py")) for site in sites(file, classes)]
    print(f"{len(every_site)} sites", *every_site, sep="\n")
    assert len(every_site) <= LIMIT, "\n".join(
        ["ask the event, the mechanism or its law instead:", *every_site]
    )
