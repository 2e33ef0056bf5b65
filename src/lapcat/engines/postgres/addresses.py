"""Tables on a PostgreSQL server, as the catalogue writes them: postgresql://lapcat@db.example:5432/company#hr.staff"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from lapcat.engines.base.sources import ANY_CLUSTER, Source
from lapcat.errors import BadQuery
from lapcat.plan.schema import Cluster

HERE = ("localhost", "127.0.0.1", "::1")
"""Names of the local host."""
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
class ServerTable(Source):
    """A table or view of a database."""

    package: ClassVar[str] = "lapcat.engines.postgres"
    driver: ClassVar[str] = "psycopg"

    @property
    def name(self) -> str:
        return f"{self.schema}.{self.table}"

    def identity(self, root: Path) -> str:
        return f"{self.server}#{self.schema}.{self.table}"


def parse(text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER) -> Source | None:
    """A table as the catalogue writes it; None if it is not on a PostgreSQL server. Names keep their case."""
    if not text.startswith(("postgresql:", "postgres:")):
        return None
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
    return ServerTable("postgresql", Path(), schema or "public", name, server, address)


def relative(text: str, folder: Path) -> str | None:
    """The text as the catalogue in this folder writes it; None if it is not on a PostgreSQL server."""
    return text if text.startswith(("postgresql:", "postgres:")) else None
