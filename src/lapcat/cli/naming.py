"""Tables by the name that somebody typed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from lapcat.errors import BadQuery

if TYPE_CHECKING:
    from lapcat.plan.schema import Catalogue, PublicTable, Table


def the_table(catalogue: Catalogue, name: str) -> Table:
    """The declared table, or an error that suggests the nearest."""
    if name in catalogue.tables:
        return catalogue.tables[name]
    if name in catalogue.public:
        raise BadQuery(
            "public-table", f"{name} is public: nothing is ever spent on it", fix="name a private table"
        )
    close = difflib.get_close_matches(name, catalogue.tables, 1)
    raise BadQuery(
        "unknown-table",
        f"no table {name!r}" + (f"; did you mean {close[0]}?" if close else ""),
        fix=close[0] if close else f"one of: {', '.join(catalogue.tables)}",
    )


def any_table(catalogue: Catalogue, name: str) -> Table | PublicTable:
    """The declared table, private or public, or an error that suggests the nearest."""
    return catalogue.public[name] if name in catalogue.public else the_table(catalogue, name)
