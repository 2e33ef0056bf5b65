"""One public class name has one meaning in the whole tree, and variables are named by nouns."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "lapcat"

FACADES = {
    "Exponential": {"mechanisms/integers/exponential.py", "mechanisms/choice.py"},
    "Gaussian": {"core/mechanisms/gaussian.py", "mechanisms/gaussian.py"},
    "KNorm": {"mechanisms/integers/knorm.py", "mechanisms/knorm.py"},
    "Laplace": {"core/mechanisms/laplace.py", "local/laplace.py", "mechanisms/laplace.py"},
    "PermuteAndFlip": {"mechanisms/integers/permute_and_flip.py", "mechanisms/choice.py"},
    "Response": {"mechanisms/integers/response.py", "local/response.py"},
    "Threshold": {"core/mechanisms/threshold.py", "mechanisms/threshold.py"},
}
"""Public façades that repeat the name of the mechanism they wrap, on purpose."""
VAGUE = {"found", "said", "told", "one", "most"}
"""Names that say nothing about the value they hold."""
PUBLIC = {("worth", "said"), ("of", "said"), ("find", "most")}
"""Functions and parameters that users may name: tests/surface.json keeps them."""


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, set()).add(str(file.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == FACADES


def test_no_variable_has_a_vague_name() -> None:
    vague: list[str] = []
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        public = {
            id(argument)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for argument in (*node.args.args, *node.args.kwonlyargs)
            if (node.name, argument.arg) in PUBLIC
        }
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in VAGUE:
                    if id(node) not in public:
                        vague.append(f"{file.relative_to(SOURCE)}:{node.lineno} {name}")
    assert not vague, "\n".join(["use a noun that says what the value is:", *vague])
