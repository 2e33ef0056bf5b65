"""Routes a question to the engine that holds all its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lapcat.core.release import ExactResult
from lapcat.engines.backends import backend_of
from lapcat.engines.base.engine import FIRST, Attempt, Engine, OpenTable, Settings
from lapcat.engines.base.sources import Source
from lapcat.engines.checked import Verdict, unchecked
from lapcat.engines.operators import refuse_unlike
from lapcat.errors import BadQuery, Bug
from lapcat.plan.nodes import Group, scans_of


def open_all(tables: Mapping[str, OpenTable], settings: Settings, verdict: Verdict) -> Engine:
    """The engine over these tables; a router if they are on several backends or servers."""
    by_server: dict[str, dict[str, OpenTable]] = {}
    for name, table in tables.items():
        by_server.setdefault(table.source.server, {})[name] = table
    engines = [
        (together, _opened(next(iter(together.values())).source, together, settings, verdict))
        for together in by_server.values()
    ]
    if len(engines) == 1:
        return engines[0][1]
    return Router({name: engine for together, engine in engines for name in together})


def _opened(source: Source, tables: Mapping[str, OpenTable], settings: Settings, verdict: Verdict) -> Engine:
    return Checked(backend_of(source).open(tables, settings), lambda: engine_of(source), verdict)


def engine_of(source: Source) -> str:
    """Name and version of a source's engine, and its address if it is a server."""
    return " at ".join(filter(None, (backend_of(source).version(source), source.server.partition("://")[2])))


class Checked:
    """An engine with the verdict on its version: refuses all questions on an unchecked engine, and questions that use an
    operator on which it failed conformance. Refuses before the debit."""

    def __init__(self, engine: Engine, name: Callable[[], str], verdict: Verdict) -> None:
        self._engine, self._name, self._verdict = engine, name, verdict

    def ready(self, plan: Group) -> None:
        name = self._name()  # every time: the server may have been upgraded since the last question
        unlike = self._verdict(name)
        if unlike is None:
            raise unchecked(name)
        refuse_unlike(plan, unlike, name)
        self._engine.ready(plan)

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        return self._engine.execute(plan, attempt)

    def close(self) -> None:
        self._engine.close()


class Router:
    """Engines by table name."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self._engines = engines

    def ready(self, plan: Group) -> None:
        self._engine_for(plan).ready(plan)

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        return self._engine_for(plan).execute(plan, attempt)

    def close(self) -> None:
        for engine in set(self._engines.values()):
            engine.close()

    def _engine_for(self, plan: Group) -> Engine:
        names = list(dict.fromkeys(scan.table for scan in scans_of(plan)))
        for name in names:
            if name not in self._engines:
                raise Bug("table-not-open", f"{name} was queried but never opened")
        first = self._engines[names[0]]
        for name in names[1:]:
            if self._engines[name] is not first:
                raise BadQuery(
                    "engines-differ",
                    f"{names[0]} and {name} are not on the same engine, so no question can read both",
                    why="rows never leave the engine that holds them",
                    fix=f"ask about {names[0]} and about {name} in separate questions",
                )
        return first
