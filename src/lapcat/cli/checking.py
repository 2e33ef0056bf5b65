"""Checks of `lapcat check`: the catalogue, the schemas of its sources, and, for the steward only, the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lapcat.errors import BadQuery, Error
from lapcat.plan.headers import missing_column
from lapcat.plan.schema import PublicTable

if TYPE_CHECKING:
    from lapcat.engines.base.engine import RuleViolation
    from lapcat.engines.base.sources import Source
    from lapcat.engines.operators import OperatorMeaning
    from lapcat.plan.schema import Table
    from lapcat.session.deployment import Deployment


def schema_problems(deployment: Deployment) -> list[Error]:
    """Sources that cannot be opened, and declared columns that are missing. Reads schemas, no rows."""
    problems: list[Error] = []
    tables: list[Table | PublicTable] = [*deployment.catalogue.tables.values()]
    for table in [*tables, *deployment.catalogue.public.values()]:
        try:
            problems += _column_problems(deployment, table)
        except Error as problem:
            problems.append(problem)
    return problems


def _column_problems(deployment: Deployment, table: Table | PublicTable) -> Iterator[Error]:
    from lapcat.engines.backends import backend_of

    source = _source(deployment, table)
    physical = backend_of(source).describe(source)
    unit = None if isinstance(table, PublicTable) else table.unit.column
    wanted = [*table.columns, *([unit] if unit is not None else [])]
    missing = [name for name in dict.fromkeys(wanted) if name not in physical]
    for name in missing:
        what, why, fix = missing_column(name, wanted, physical, source.name)
        yield BadQuery("column-missing", f"{table.name}: {what}", why=why, fix=fix)
    if not missing:
        backend_of(source).require_columns(table, physical, source.name)


def rows_outside(deployment: Deployment, name: str) -> Sequence[RuleViolation]:
    """The number of rows that violate each rule of the catalogue. For the steward only."""
    from lapcat.engines.backends import backend_of
    from lapcat.session.files import everything, people_of

    table = everything(deployment.catalogue)[name]
    source = _source(deployment, table)
    longest = deployment.catalogue.limits.max_length
    return backend_of(source).check_rows(source, table, people_of(deployment, table), longest)


def probed(deployment: Deployment) -> dict[str, Sequence[OperatorMeaning]]:
    """Tests the operator semantics of each engine in the catalogue. Results are stored: failing operators are then refused."""
    from lapcat.cli.commands.refresh import progress_of
    from lapcat.engines.router import engine_of
    from lapcat.session.engine_checks import check_engine
    from lapcat.session.files import FileTables, everything

    assert isinstance(deployment.tables, FileTables)
    results: dict[str, Sequence[OperatorMeaning]] = {}
    for table in everything(deployment.catalogue).values():
        source = _source(deployment, table)
        name = engine_of(source)
        if name not in results:
            with progress_of(name) as advance:
                results[name] = check_engine(deployment.tables.folder, source, advance)
    return results


def _source(deployment: Deployment, table: Table | PublicTable) -> Source:
    from lapcat.session.files import FileTables

    assert isinstance(deployment.tables, FileTables)
    return deployment.tables.source(table)


def unrefreshed(deployment: Deployment) -> list[str]:
    """Tables without a snapshot."""
    from lapcat.session.files import everything

    return [
        name
        for name, table in everything(deployment.catalogue).items()
        if deployment.ledger.version(deployment.identity(table)) == 0
    ]
