"""A deployment worth attacking, and a witness of everything that DuckDB is told."""

from __future__ import annotations

import datetime
import gc
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.engines.hostile import DATES, FLOATS, INTEGERS, MOMENTS, TEXTS
from tests.support import deploy

CANARY = "kanarienvogel"
"""Stands in every private text and in every file beside the data; it must never be seen anywhere else."""

CATALOGUE = """
[tables.visits]
source = "visits.parquet"
unit = { column = "person_id", of = "people" }
rows_per_unit = 3
budget = { epsilon = 1000000, i_understand = "made-up rows, for tests" }
[tables.visits.columns]
person_id = { type = "integer" }
ward = { type = "text", keys = ["eyes", "heart", "it's"] }
cost = { type = "float", low = 0, high = 500 }
age = { type = "integer", low = 0, high = 110 }
day = { type = "date", low = 2024-01-01, high = 2024-12-31 }
seen = { type = "timestamp" }
smoker = { type = "boolean" }
note = { type = "text" }

[tables.bills]
source = "bills.parquet"
unit = { column = "person_id", of = "people" }
rows_per_unit = 2
budget = { epsilon = 1000000, i_understand = "made-up rows, for tests" }
[tables.bills.columns]
person_id = { type = "integer" }
amount = { type = "float", low = -10, high = 1000 }
ward = { type = "text", keys = ["eyes", "heart"] }
seen = { type = "timestamp" }
note = { type = "text" }

[tables.cats]
source = "cats.parquet"
unit = "row"
budget = { epsilon = 1000000, i_understand = "made-up rows, for tests" }
[tables.cats.columns]
colour = { type = "text", keys = ["orange", "blue"], other = true }
weight = { type = "float", low = 0, high = 5 }
lives = { type = "integer", low = -9, high = 9 }
name = { type = "text" }

[tables.vault]
source = "vault.parquet"
unit = { column = "person_id", of = "people" }
rows_per_unit = 1
budget = { epsilon = 1 }
[tables.vault.columns]
gold = { type = "float", low = 0, high = 10 }

[tables.wards]
public = true
source = "wards.csv"

[populations.people]
budget = { epsilon = 1000000, i_understand = "made-up rows, for tests" }

[analysts.ana]
tables = { visits = { epsilon = 1000000, i_understand = "made-up rows, for tests" }, bills = { epsilon = 1000000, i_understand = "made-up rows, for tests" }, cats = { epsilon = 1000000, i_understand = "made-up rows, for tests" } }
"""


def _cycled(pool: list[Any], count: int) -> list[Any]:
    """The pool and NULL, over and over: 60 rows hold every value."""
    values = [*pool, None]
    return [values[row % len(values)] for row in range(count)]


def rows(count: int = 120) -> dict[str, dict[str, list[Any]]]:
    """Rows of every kind of strange value, in which each text of a person holds the canary or is strange itself."""
    texts = [text for text in TEXTS if "\0" not in text]
    secrets = [f"{CANARY} {row}" if row % 2 else texts[row // 2 % len(texts)] for row in range(count)]
    people = [None if row % 17 == 0 else row % 23 for row in range(count)]
    wards = _cycled(["eyes", "heart", "it's", CANARY, ""], count)
    return {
        "visits.parquet": {
            "person_id": people,
            "ward": wards,
            "cost": _cycled(FLOATS, count),
            "age": _cycled(INTEGERS, count),
            "day": _cycled([*DATES, datetime.date(2024, 2, 29)], count),
            "seen": _cycled(MOMENTS, count),
            "smoker": _cycled([True, False], count),
            "note": secrets,
            "email": [f"{CANARY}{row}@example.org" for row in range(count)],
        },
        "bills.parquet": {
            "person_id": people[::-1],
            "amount": _cycled(FLOATS[::-1], count),
            "ward": wards[::-1],
            "seen": _cycled(MOMENTS, count),
            "note": secrets,
        },
        "cats.parquet": {
            "colour": _cycled(["orange", "blue", CANARY, "it's"], count),
            "weight": _cycled(FLOATS, count),
            "lives": _cycled(INTEGERS, count),
            "name": secrets,
        },
        "vault.parquet": {"person_id": people, "gold": _cycled([1.0, 2.0], count)},
        "wards.csv": {"ward": ["eyes", "heart"], "line": ["1", "2"]},
        "secrets.csv": {"line": [CANARY]},
        "secrets.parquet": {"line": [CANARY]},
    }


def furnish(folder: Path) -> Path:
    """The deployment's catalogue; beside the data lie files that no table is made of."""
    path = deploy(folder, CATALOGUE, rows(), refreshed=["visits", "bills", "cats", "vault"])
    with duckdb.connect(str(folder / "other.db")) as other:
        other.execute(f"CREATE TABLE visits AS SELECT '{CANARY}' AS note")
    return path


# ------------------------------------------------------------------------------------------------ the witness


@dataclass
class Told:
    """What DuckDB was told by connections opened while the witness stood there, and what it raised."""

    statements: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    """Every method of a connection that was called."""

    def forget(self) -> None:
        for heard in (self.statements, self.raised, self.uses):
            heard.clear()


class _Witnessed:
    """A real connection; what is called on it is written down, and then done."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, record: Told) -> None:
        self._connection, self._told = connection, record

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._connection, name)
        if not callable(real):
            return real

        def call(*arguments: Any, **named: Any) -> Any:
            self._told.uses.append(name)
            if name in ("execute", "executemany", "sql", "query", "from_query"):
                self._told.statements.append(str(arguments[0]))
            try:
                done = real(*arguments, **named)
            except duckdb.Error as problem:
                self._told.raised.append(f"{problem}\n{arguments[:1]}")
                raise
            return _Witnessed(done, self._told) if isinstance(done, duckdb.DuckDBPyConnection) else done

        return call


@contextmanager
def witness() -> Iterator[Told]:
    """Hears all that is said on connections which are opened meanwhile; nothing is held back or changed."""
    record, connect = Told(), duckdb.connect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", lambda *a, **k: _Witnessed(connect(*a, **k), record))
        yield record


@contextmanager
def unburdened() -> Iterator[None]:
    """What other tests left in memory is set aside: to look through it for garbage is not the work of a question."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def listener() -> Iterator[tuple[int, list[object]]]:
    """A port on this machine, and who came."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def wait() -> None:
            while True:
                try:
                    visitor, address = server.accept()
                except OSError:
                    return
                came.append(address)
                visitor.close()

        threading.Thread(target=wait, daemon=True).start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)
