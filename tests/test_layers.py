"""Which part may import which: arrows only to the right, and each heavy import in its own corner.

cli  audit  render ─► session ─► frontend  engines  ledger ─► plan ─► stored ─► core
session  audit ─► local  workload ─► mechanisms ─► plan ─► stored ─► core
ledger  mechanisms ─► accounting ─► core

ARCHITECTURE.md says the same in words. A breach is named with its file and line.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "lapcat"

REACHES = {
    "core": {"core"},
    "accounting": {"accounting", "core"},
    "stored": {"stored", "core"},
    "plan": {"plan", "stored", "core"},
    "ledger": {"ledger", "accounting", "plan", "stored", "core"},
    "engines": {"engines", "plan", "stored", "core"},
    "frontend": {"frontend", "plan", "core"},
    "local": {"local", "mechanisms", "drawing", "plan", "core"},
    "workload": {"workload", "mechanisms", "plan", "stored", "core"},
    "session": {
        "session",
        "frontend",
        "engines",
        "ledger",
        "local",
        "workload",
        "mechanisms",
        "plan",
        "stored",
        "core",
    },
    "render": {"render", "drawing", "mechanisms", "session", "workload", "plan", "core"},
    "audit": {
        "audit",
        "local",
        "drawing",
        "mechanisms",
        "session",
        "frontend",
        "engines",
        "ledger",
        "workload",
        "plan",
        "stored",
        "core",
    },
    "cli": {
        "",
        "cli",
        "audit",
        "render",
        "drawing",
        "mechanisms",
        "local",
        "workload",
        "session",
        "frontend",
        "engines",
        "ledger",
        "accounting",
        "plan",
        "stored",
        "core",
    },
    "testing": {
        "",
        "testing",
        "audit",
        "cli",
        "mechanisms",
        "render",
        "session",
        "frontend",
        "engines",
        "ledger",
        "local",
        "workload",
        "plan",
        "stored",
        "core",
    },
    "mechanisms": {"mechanisms", "accounting", "drawing", "plan", "core"},
    "drawing": {"drawing"},
    "": {"session", "core"},
}
"""For each folder of lapcat (the empty name: lapcat/__init__.py and its neighbours) the folders it may import."""
MAX_CORE_LINES = 5000
"""The trusted ring is small enough to be read in an audit."""
EVERYBODY = {"errors", "version"}
"""Leaves that import nothing of lapcat."""
LAZILY = {("session", "render")}
"""Arrows to the left that are allowed inside a function: a result draws itself when somebody looks at it."""

FOREIGN = {
    "core": {"numpy", "cryptography"},
    "accounting": {"dp_accounting"},
    "stored": set(),
    "plan": {"numpy", "z3"},
    "frontend": {"sqlglot"},
    "engines": {"numpy", "sqlglot", "duckdb", "psycopg", "pyspark", "python_calamine"},
    "ledger": {"cryptography", "psycopg"},
    "session": {"numpy", "pandas", "polars", "pyarrow"},
    "render": set(),
    "audit": {"numpy"},
    "cli": {"click", "rich", "numpy", "duckdb"},
    "testing": {"numpy"},
    "mechanisms": {"numpy"},
    "local": {"numpy", "cryptography"},
    "workload": {"numpy"},
    "drawing": set(),
    "": set(),
}
"""For each folder the packages from outside that it may import."""


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    name: str
    """The full name of what is imported: lapcat.plan.nodes, numpy.typing."""
    lazy: bool
    """Inside a function."""
    for_types: bool
    """Under `if TYPE_CHECKING`: never runs."""

    @property
    def folder(self) -> str:
        return folder_of(self.file)

    @property
    def place(self) -> str:
        return f"{self.file.relative_to(SOURCE.parent)}:{self.line} imports {self.name}"

    @property
    def package(self) -> str:
        return self.name.split(".")[0]

    @property
    def target(self) -> str:
        """Of an import from lapcat: the folder or module right below it."""
        return self.name.split(".")[1] if "." in self.name else ""


def folder_of(file: Path) -> str:
    parts = file.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else ""


def imports_of(file: Path) -> Iterator[Import]:
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))

    def walk(node: ast.AST, lazy: bool, for_types: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(file, node.lineno, alias.name, lazy, for_types)
            case ast.ImportFrom(module=module, names=names, level=level):
                assert level == 0 and module is not None, f"{file}:{node.lineno}: relative import"
                if module == "lapcat":
                    for alias in names:
                        yield Import(file, node.lineno, f"lapcat.{alias.name}", lazy, for_types)
                else:
                    yield Import(file, node.lineno, module, lazy, for_types)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=orelse):
                for child in body:
                    yield from walk(child, lazy, True)
                for child in orelse:
                    yield from walk(child, lazy, for_types)
            case _:
                inside = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                for child in ast.iter_child_nodes(node):
                    yield from walk(child, inside, for_types)

    yield from walk(tree, False, False)


FILES = sorted(SOURCE.rglob("*.py"))
IMPORTS = [entry for file in FILES for entry in imports_of(file)]
OURS = [entry for entry in IMPORTS if entry.package == "lapcat"]
THEIRS = [
    entry
    for entry in IMPORTS
    if entry.package not in sys.stdlib_module_names and entry.package not in ("lapcat", "__future__")
]


def name_breaches(breaches: list[str]) -> None:
    assert not breaches, "\n".join(["imports against the arrows (see ARCHITECTURE.md):", *breaches])


def test_the_walk_sees_the_code() -> None:
    assert {entry.folder for entry in IMPORTS} >= {"core", "plan", "ledger", "frontend", "session"}
    assert len(OURS) > 100 and len(THEIRS) > 20


def test_every_folder_has_its_place_in_the_rings() -> None:
    assert {folder_of(file) for file in FILES} <= set(REACHES)


def test_arrows_point_to_the_right_only() -> None:
    name_breaches(
        [
            entry.place
            for entry in OURS
            if entry.target not in EVERYBODY | REACHES[entry.folder]
            and not entry.for_types
            and not (entry.lazy and (entry.folder, entry.target) in LAZILY)
            and not (entry.folder == "" and entry.file.stem in EVERYBODY)
        ]
    )


def test_leaves_import_nothing_of_lapcat() -> None:
    name_breaches([entry.place for entry in OURS if entry.folder == "" and entry.file.stem in EVERYBODY])


def test_each_ring_imports_only_the_packages_it_may() -> None:
    name_breaches([entry.place for entry in THEIRS if entry.package not in FOREIGN[entry.folder]])


def test_the_solver_is_loaded_by_predicates_alone_and_only_when_needed() -> None:
    name_breaches(
        [
            entry.place
            for entry in THEIRS
            if entry.package == "z3"
            and not (
                entry.file.relative_to(SOURCE) == Path("plan/predicates.py")
                and (entry.lazy or entry.for_types)
            )
        ]
    )


def test_loss_distributions_are_loaded_by_their_accountant_alone_and_only_when_asked_for() -> None:
    name_breaches(
        [
            entry.place
            for entry in THEIRS
            if entry.package == "dp_accounting"
            and not (entry.lazy and entry.file.relative_to(SOURCE) == Path("accounting/loss_distribution.py"))
        ]
    )


def test_numpy_stays_where_plans_estimate() -> None:
    folders = ("aggregates", "released")
    allowed = {
        "accuracy.py",
        "fourier_sums.py",
        "laplace_sums.py",
        "noise_families.py",
        *(file.name for name in folders for file in (SOURCE / "plan" / name).iterdir()),
    }
    name_breaches(
        [
            entry.place
            for entry in THEIRS
            if entry.folder == "plan" and entry.package == "numpy" and entry.file.name not in allowed
        ]
    )


def test_the_parser_reads_questions_and_prints_sql_and_nothing_else() -> None:
    def allowed(file: Path) -> bool:
        place = file.relative_to(SOURCE).parts
        return place[:2] == ("frontend", "sql") or (place[0] == "engines" and len(place) > 2)

    name_breaches([f.place for f in THEIRS if f.package == "sqlglot" and not allowed(f.file)])


def test_packages_of_engines_do_not_know_each_other() -> None:
    packages = {"base", "duckdb", "postgres", "spark"}
    parquet = "lapcat.engines.duckdb.fixtures"  # Spark's fixtures are Parquet files, which DuckDB writes

    def allowed(entry: Import) -> bool:
        package, target = entry.file.parent.name, entry.name.split(".")[2]
        return target not in packages - {"base", package} or (entry.lazy and entry.name == parquet)

    inside = [f for f in OURS if f.folder == "engines" and f.name.startswith("lapcat.engines.")]
    name_breaches([f.place for f in inside if not allowed(f)])


def test_the_driver_is_known_to_its_store_and_its_engine_alone_which_are_imported_where_they_are_opened() -> (
    None
):
    def allowed(file: Path) -> bool:
        return file.parent in (SOURCE / "engines" / "postgres", SOURCE / "ledger" / "postgres")

    name_breaches(
        [
            *(f.place for f in THEIRS if f.package == "psycopg" and not allowed(f.file)),
            *(
                f.place
                for f in OURS
                if f.name.startswith("lapcat.ledger.postgres")
                and f.file.parent != SOURCE / "ledger" / "postgres"
                and not f.lazy
            ),
        ]
    )


def test_spark_is_known_to_its_engine_alone_and_loaded_only_when_a_table_is_there() -> None:
    def allowed(entry: Import) -> bool:
        return entry.file.parent == SOURCE / "engines" / "spark" and (entry.lazy or entry.for_types)

    name_breaches([entry.place for entry in THEIRS if entry.package == "pyspark" and not allowed(entry)])


def test_duckdb_is_known_to_its_engine_alone() -> None:
    def allowed(file: Path) -> bool:
        return file.parent == SOURCE / "engines" / "duckdb"

    exactly = Path(
        "cli/demo_exact.py"
    )  # the demo's world without lapcat, where exact answers are shown to leak
    name_breaches(
        [
            f.place
            for f in THEIRS
            if f.package == "duckdb"
            and not allowed(f.file)
            and not (f.lazy and f.file.relative_to(SOURCE) == exactly)
        ]
    )


@pytest.mark.parametrize("package", ["rich", "click"])
def test_the_terminal_is_the_command_line_s_business(package: str) -> None:
    name_breaches([f.place for f in THEIRS if f.package == package and f.folder != "cli"])


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_data_frames_are_imported_only_when_somebody_has_one(package: str) -> None:
    name_breaches([f.place for f in THEIRS if f.package == package and not (f.lazy or f.for_types)])


def test_nothing_that_ships_answers_imports_the_tools_of_tests() -> None:
    name_breaches([f.place for f in OURS if f.target == "testing" and f.folder != "testing"])


def test_exact_results_are_opened_in_the_release_gate_alone() -> None:
    """The gate's `_opened`, and the mangled name behind it, are used in core/release.py and in the tests' own peephole."""
    allowed = {Path("core/release.py"), Path("testing/reveal.py")}
    breaches = []
    for file in FILES:
        if file.relative_to(SOURCE) in allowed:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.ImportFrom(module="lapcat.core.release", names=names):
                    opens = any(alias.name in ("_opened", "*") for alias in names)
                case ast.Attribute(value=ast.Name(id="gate" | "release"), attr="_opened"):
                    opens = True
                case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                    opens = name.startswith("_ExactResult__") or (
                        isinstance(node, ast.Constant) and name == "_opened"
                    )
                case _:
                    continue
            if opens:
                breaches.append(f"{file.relative_to(SOURCE.parent)}:{node.lineno} opens private figures")
    name_breaches(breaches)


def test_core_holds_what_sql_questions_need_and_stays_small() -> None:
    lines = sum(
        len(file.read_text(encoding="utf-8").splitlines()) for file in FILES if folder_of(file) == "core"
    )
    print(f"core: {lines} lines")
    assert lines <= MAX_CORE_LINES


def test_every_module_of_core_is_read_on_the_way_of_a_sql_question() -> None:
    """What only the façade, workloads, the local model or audits read belongs to them."""
    names: set[str] = set()
    for file in FILES:
        if folder_of(file) in ("core", "stored", "plan", "ledger", "engines", "frontend", "session"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    modules = {
        ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
        for file in FILES
        if folder_of(file) == "core" and file.stem != "__init__"
    }
    assert modules - names == set()


def test_the_rings_are_drawn_in_the_architecture_as_they_are_here() -> None:
    text = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert __doc__ is not None
    rings = [line for line in __doc__.splitlines() if "─►" in line]
    assert len(rings) == 3 and "\n".join(rings) in text
