"""Sources of tables. Each engine has a class of its own, and reads its sources from the text in the catalogue."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from lapcat.plan.schema import Cluster, ReadOptions

PLAIN = ReadOptions()
"""CSV in UTF-8 with a header."""
ANY_CLUSTER = Cluster()
"""The cluster in Spark's own configuration."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a table in a file, or a table of a server or a cluster."""

    kind: str
    path: Path = Path()
    schema: str = "main"
    table: str | None = None
    server: str = ""
    """Tables can be joined only if this is equal: empty for files; host, port and database for a server."""
    address: str = field(default="", repr=False)
    """Connection URL of a server. It may contain a user name, so it appears in no message, receipt or ledger."""
    cluster: Cluster = field(default=ANY_CLUSTER, repr=False, compare=False)
    """The cluster of a Spark table."""
    read: ReadOptions = field(default=PLAIN, repr=False, compare=False)
    """How a text file is read."""

    package: ClassVar[str]
    """The package of the engine that reads it."""
    driver: ClassVar[str] = ""
    """The package that the engine needs and that an extra of lapcat, named like the engine's package, installs."""

    @property
    def read_options(self) -> tuple[str, ...]:
        """The `read` options that apply to it."""
        return ()

    @property
    def is_text(self) -> bool:
        """Whether its cells are texts, typed by the catalogue."""
        return bool(self.read_options)

    @property
    def name(self) -> str:
        """The name used in errors: the last part of the path, and the table."""
        return self.path.name + ("" if self.table is None else f"#{self.table}")

    @property
    def stem(self) -> str:
        """Base of the table's name in a new catalogue."""
        return self.path.stem if self.table is None else self.table.rpartition(".")[2]

    def identity(self, root: Path) -> str:
        """The key of the table's budget: the real path relative to a folder, and the table name as the engine resolves it.

        It does not change with the folder's location, the spelling of the path, or the user.
        """
        path = Path(os.path.relpath(os.path.realpath(self.path), os.path.realpath(root))).as_posix()
        if self.table is None:
            return path
        table = self.table.lower()
        return f"{path}#{table}" if self.schema.lower() == "main" else f"{path}#{self.schema.lower()}.{table}"


def absolute(text: str, base_dir: Path) -> Path:
    return Path(os.path.abspath(base_dir / Path(text).expanduser()))


def relative(path: str, folder: Path) -> str:
    """A path as the catalogue in this folder writes it."""
    return Path(os.path.relpath(os.path.expanduser(path), folder)).as_posix()
