"""How many seconds a question may take: as many as every question, or more where the analyst asks for them.

Never fewer: whether a question is answered would then tell how long its rows take, by a deadline of the asker's choosing.
"""

from __future__ import annotations

from collections.abc import Sequence

from lapcat.engines.backends import SECONDS
from lapcat.errors import BadArgument, Refused
from lapcat.plan.schema import Catalogue, Table


def seconds_for(catalogue: Catalogue, tables: Sequence[Table], timeout: int | None) -> int:
    """The deadline of a question about these tables; `timeout` as it was asked for."""
    usual = SECONDS if catalogue.timeout is None else catalogue.timeout
    if timeout is None:
        return usual
    if type(timeout) is not int or timeout < usual:
        raise BadArgument(
            "timeout-range",
            f"timeout is a whole number of seconds from {usual}, not {timeout!r}",
            why="every question has so much time; with less, whether it fails would tell how long its rows take",
            fix=f"timeout={2 * usual}, or leave it out",
        )
    for table in tables:
        most = max(usual, table.max_timeout or catalogue.max_timeout or 0)
        if timeout > most:
            raise Refused(
                "timeout-long",
                f"a question about {table.name} may take {most} seconds, not {timeout}",
                why="the table's maximum says how long one question may hold the engine; nothing was spent",
                fix=f"timeout={most}; or the steward raises it: max_timeout = {timeout} under [tables.{table.name}]",
            )
    return timeout
