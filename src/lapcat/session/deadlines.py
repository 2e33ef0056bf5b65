"""The timeout of a question: the deployment's, or a longer one on request.

Never a shorter one: with a timeout of the analyst's choosing, success or failure would reveal how long the rows take.
"""

from __future__ import annotations

from collections.abc import Sequence

from lapcat.engines.base.engine import SECONDS
from lapcat.errors import BadArgument, Refused
from lapcat.plan.schema import Catalogue, Table


def seconds_for(catalogue: Catalogue, tables: Sequence[Table], timeout: int | None) -> int:
    """The timeout of a question about these tables; `timeout`: the requested one."""
    usual = SECONDS if catalogue.timeout is None else catalogue.timeout
    if timeout is None:
        return usual
    if type(timeout) is not int or timeout < usual:
        raise BadArgument(
            "timeout-range",
            f"timeout is a whole number of seconds from {usual}, not {timeout!r}",
            why="with a shorter timeout, a failure would reveal how long the rows take",
            fix=f"timeout={2 * usual}, or leave it out",
        )
    for table in tables:
        max_seconds = max(usual, table.max_timeout or catalogue.max_timeout or 0)
        if timeout > max_seconds:
            raise Refused(
                "timeout-long",
                f"a question about {table.name} may take {max_seconds} seconds, not {timeout}",
                why="max_timeout limits how long one question may occupy the engine; nothing was spent",
                fix=f"timeout={max_seconds}; or the steward raises it: max_timeout = {timeout} under [tables.{table.name}]",
            )
    return timeout
