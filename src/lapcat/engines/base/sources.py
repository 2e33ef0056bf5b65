"""Sources of tables, as the catalogue writes them.

staff.csv    staff.tsv.gz    staff.jsonl    staff.xlsx#Sheet1    sqlite:company.db#staff
staff.parquet    duckdb:company.db#staff
postgresql://lapcat@db.example:5432/company#hr.staff
spark:warehouse.staff    spark:lake/staff/
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from lapcat.errors import BadQuery
from lapcat.plan.schema import Cluster, ReadOptions

Kind = Literal["csv", "json", "excel", "sqlite", "parquet", "duckdb", "postgresql", "spark"]
HERE = ("localhost", "127.0.0.1", "::1")
"""Names of the local host."""
PLAIN = ReadOptions()
"""CSV in UTF-8 with a header."""
ANY_CLUSTER = Cluster()
"""The cluster in Spark's own configuration."""
OPTIONS = frozenset(
    [
        "host",
        "port",
        "sslmode",
        "sslrootcert",
        "sslcert",
        "sslkey",
        "sslcrl",
        "ssl_min_protocol_version",
        "channel_binding",
        "gssencmode",
        "connect_timeout",
        "keepalives_idle",
        "keepalives_interval",
        "keepalives_count",
        "tcp_user_timeout",
    ]
)
"""Connection options allowed in an address: none of them can redirect the connection."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, a table in a DuckDB file, or a table of a server or a cluster."""

    kind: Kind
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

    @property
    def is_text(self) -> bool:
        """Whether its cells are texts, typed by the catalogue."""
        return self.kind in TEXT_OPTIONS

    @property
    def name(self) -> str:
        """The name used in errors: the last part of the path, and the table."""
        if self.kind == "postgresql":
            return f"{self.schema}.{self.table}"
        if self.kind == "spark" and self.table is not None:
            return self.table
        return self.path.name + ("" if self.table is None else f"#{self.table}")

    def identity(self, root: Path) -> str:
        """The key of the table's budget: the real path relative to a folder, and the table name as the engine resolves it.

        It does not change with the folder's location, the spelling of the path, or the user.
        """
        if self.kind == "postgresql":
            return f"{self.server}#{self.schema}.{self.table}"
        if self.kind == "spark" and self.table is not None:
            return f"spark:{self.table.lower()}"
        path = Path(os.path.relpath(os.path.realpath(self.path), os.path.realpath(root))).as_posix()
        if self.table is None:
            return path
        table = self.table.lower()
        return f"{path}#{table}" if self.schema.lower() == "main" else f"{path}#{self.schema.lower()}.{table}"


def parse_source(
    text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER, read: ReadOptions | None = None
) -> Source:
    """Reads a source as the catalogue writes it; relative paths are from base_dir. The file need not exist yet.

    >>> parse_source("duckdb:company.db#staff", Path("/srv")).identity(Path("/srv"))
    'company.db#staff'
    >>> parse_source("postgresql://ana@DB.example/company#staff", Path()).identity(Path())
    'postgresql://db.example:5432/company#public.staff'
    """
    source = _parsed(text, base_dir, cluster)
    if read is None:
        return source
    known = TEXT_OPTIONS.get(source.kind, ())
    for option in fields(ReadOptions):
        if getattr(read, option.name) != option.default and option.name not in known:
            allowed = ", ".join(known)
            raise BadQuery(
                "read-option",
                f"read.{option.name} does not apply to {source.name}",
                why=f"`read` options of such a file: {allowed}" if known else "`read` is for text files",
                fix=f"leave {option.name} out of `read`",
            )
    return replace(source, read=read)


_ALL = ("rename_duplicates", "decimal_separator", "dateformat", "timestampformat")
TEXT_OPTIONS: dict[Kind, tuple[str, ...]] = {
    "csv": ("encoding", "delim", "names", *_ALL),
    "json": ("encoding", *_ALL),
    "excel": ("names", *_ALL),
    "sqlite": _ALL,
}
"""The `read` options of each kind of text file; other kinds have typed columns."""


def _parsed(text: str, base_dir: Path, cluster: Cluster) -> Source:
    if text.startswith(("postgresql:", "postgres:")):
        return _on_a_server(text)
    if text.startswith("spark:"):
        return _on_a_cluster(text.removeprefix("spark:"), base_dir, cluster)
    if text.startswith("duckdb:"):
        file, mark, table = text.removeprefix("duckdb:").rpartition("#")
        if not (file and mark and table):
            raise BadQuery(
                "source-unknown",
                f"{text!r} names no table of the DuckDB file",
                fix='source = "duckdb:company.db#staff"',
            )
        schema, _, name = table.rpartition(".")
        return Source("duckdb", _path(file, base_dir), schema or "main", name)
    kind, file, part = split_file(text)
    if kind in ("sqlite", "excel"):
        example = "sqlite:company.db#staff" if kind == "sqlite" else "staff.xlsx#Sheet1"
        if not (file and part):
            raise BadQuery(
                "source-unknown",
                f"{text!r} names no {'table' if kind == 'sqlite' else 'sheet'} of the file",
                fix=f'source = "{example}"',
            )
        return Source(kind, _path(file, base_dir), table=part)
    if kind is not None and not part:
        return Source(kind, _path(file, base_dir))
    raise BadQuery(
        "source-unknown",
        f"{text!r} is not a source that lapcat can read",
        why="it reads .csv, .tsv, .txt, .data, .json, .jsonl, .xlsx and .parquet files, and tables of SQLite and DuckDB files, "
        "of PostgreSQL and of Spark",
        fix='source = "staff.csv", or "staff.xlsx#Sheet1", or "duckdb:company.db#staff"',
    )


def split_file(text: str) -> tuple[Kind | None, str, str]:
    """The kind of a file by its name, the file, and the table or sheet, if any.

    >>> split_file("a.csv.gz"), split_file("a.xlsx#Sheet1"), split_file("sqlite:a.db")
    (('csv', 'a.csv.gz', ''), ('excel', 'a.xlsx', 'Sheet1'), ('sqlite', 'a.db', ''))
    """
    if text.startswith("sqlite:"):
        file, mark, part = text.removeprefix("sqlite:").rpartition("#")
        return "sqlite", file if mark else part, part if mark else ""
    for file, part in ((text, ""), (text.rpartition("#")[0], text.rpartition("#")[2])):
        for ending, kind in _ENDINGS.items():
            packed = (".gz",) if kind in ("csv", "json") else ()
            if file.lower().endswith((ending, *(ending + more for more in packed))) and "://" not in file:
                return (kind, file, part) if kind == "excel" or not part else (None, text, "")
    return None, text, ""


_ENDINGS: dict[str, Kind] = {
    **dict.fromkeys([".csv", ".tsv", ".txt", ".data"], "csv"),
    **dict.fromkeys([".json", ".jsonl", ".ndjson"], "json"),
    **dict.fromkeys([".xlsx", ".xls", ".ods"], "excel"),
    ".parquet": "parquet",
}


def _on_a_server(text: str) -> Source:
    """A PostgreSQL table. Names keep their case."""
    address, _, table = text.partition("#")
    try:
        url = urlsplit(address)
        port = url.port
    except ValueError:
        url, port = SplitResult("", "", "", "", ""), None
    options = dict(parse_qsl(url.query))
    if url.password is not None or "password" in options:
        raise BadQuery(
            "source-password",
            "the source of a table contains a password",
            why="many people can read the catalogue, and it is archived",
            fix="leave it out, and put it into ~/.pgpass (mode 600) or PGPASSWORD",
        )
    schema, _, name = unquote(table).rpartition(".")
    database = unquote(url.path.removeprefix("/"))
    host = options.get("host", url.hostname or "")  # libpq gives the option precedence, too
    known = options.keys() <= OPTIONS and options.get("port", "1").isdigit()
    if not (host and database and name and known and "," not in host):
        raise BadQuery(  # the text is not shown: it may contain a password
            "source-unknown",
            "the source of a server table must name one host, a database and a table, and use only supported options",
            fix='source = "postgresql://lapcat@db.example:5432/company#public.staff"',
        )
    if not host.startswith("/"):
        host = "localhost" if host.lower() in HERE else host.lower().rstrip(".")
    listens = int(options.get("port", port or 5432))
    if port is None and "port" not in options:  # explicit, or PGPORT would decide
        address += f"{'&' if url.query else '?'}port={listens}"
    server = f"postgresql://{host}:{listens}/{database}"
    return Source("postgresql", Path(), schema or "public", name, server, address)


def _on_a_cluster(text: str, base_dir: Path, cluster: Cluster) -> Source:
    """A table in Spark's catalogue, or, if the text has a slash or starts with a dot, a folder of Parquet files."""
    if not text:
        raise BadQuery("source-unknown", "spark: names no table", fix='source = "spark:warehouse.staff"')
    if "/" in text or text.startswith("."):
        return Source("spark", _path(text, base_dir), server="spark", cluster=cluster)
    return Source("spark", Path(), "", text, "spark", cluster=cluster)


def _path(text: str, base_dir: Path) -> Path:
    return Path(os.path.abspath(base_dir / Path(text).expanduser()))
