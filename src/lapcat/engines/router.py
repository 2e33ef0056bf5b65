"""Several engines side by side: a question goes to the one where all its tables live."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lapcat.core.release import ExactResult
from lapcat.engines.backends import FIRST, Attempt, Engine, OpenTable, Settings, backend_of
from lapcat.engines.checked import Verdict, unchecked
from lapcat.engines.operators import refuse_unlike
from lapcat.engines.sources import Source
from lapcat.errors import BadQuery, Bug
from lapcat.plan.nodes import Group, scans_of


def open_all(tables: Mapping[str, OpenTable], settings: Settings, verdict: Verdict) -> Engine:
    """The engine over these tables; where they live in several homes or on several servers, one for each."""
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
    """The engine of a source by its name and version, and where it is one of several: which."""
    return " at ".join(filter(None, (backend_of(source).version(source), source.server.partition("://")[2])))


class Checked:
    """An engine by what is known of its version: where nothing is, no question is asked; where it means something else by
    some operators, none that uses one. Refused before they are paid."""

    def __init__(self, engine: Engine, name: Callable[[], str], verdict: Verdict) -> None:
        self._engine, self._name, self._verdict = engine, name, verdict

    def ready(self, plan: Group) -> None:
        name = self._name()  # each time: a server may have been upgraded since the last question
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
    """Engines by the tables that they look at."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self._engines = engines

    def ready(self, plan: Group) -> None:
        self._one(plan).ready(plan)

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        return self._one(plan).execute(plan, attempt)

    def close(self) -> None:
        for engine in set(self._engines.values()):
            engine.close()

    def _one(self, plan: Group) -> Engine:
        names = list(dict.fromkeys(scan.table for scan in scans_of(plan)))
        for name in names:
            if name not in self._engines:
                raise Bug("table-not-open", f"{name} was asked about and never opened")
        first = self._engines[names[0]]
        for name in names[1:]:
            if self._engines[name] is not first:
                raise BadQuery(
                    "engines-differ",
                    f"{names[0]} and {name} do not live on the same engine, so no question can read both",
                    why="rows never leave the engine that holds them",
                    fix=f"ask about {names[0]} and about {name} in questions of their own",
                )
        return first
