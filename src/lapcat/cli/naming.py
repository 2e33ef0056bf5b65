"""Lookup of tables by name, with suggestions for typos."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.plan.schema import Catalogue, PublicTable, Table


def the_table(catalogue: Catalogue, name: str) -> Table:
    """The declared table, or an error with the nearest name."""
    if name in catalogue.tables:
        return catalogue.tables[name]
    if name in catalogue.public:
        raise BadQuery("public-table", f"{name} is public and has no budget", fix="name a private table")
    close = difflib.get_close_matches(name, catalogue.tables, 1)
    raise BadQuery(
        "unknown-table",
        f"no table {name!r}" + (f"; did you mean {close[0]}?" if close else ""),
        fix=close[0] if close else f"one of: {', '.join(catalogue.tables)}",
    )


def any_table(catalogue: Catalogue, name: str) -> Table | PublicTable:
    """The declared table, private or public, or an error with the nearest name."""
    return catalogue.public[name] if name in catalogue.public else the_table(catalogue, name)
