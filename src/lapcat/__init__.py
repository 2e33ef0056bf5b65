"""lapcat: differential privacy for people who have real tables and real questions.

import lapcat
db = lapcat.open("lapcat.toml")
q = db.sql("SELECT region, AVG(salary) AS pay FROM staff GROUP BY region")
print(q.preview(epsilon=0.5))
print(q.run(epsilon=0.5))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lapcat.errors import (
    BadArgument,
    BadQuery,
    BudgetExceeded,
    Bug,
    EngineFailed,
    Error,
    IntegrityFailed,
    Refused,
)
from lapcat.version import __version__

if TYPE_CHECKING:
    from lapcat import mechanisms
    from lapcat.core.accounting.compose import compose
    from lapcat.core.loss import group
    from lapcat.frontend.measures import count, count_distinct, mean, sum
    from lapcat.plan.sample_size import sample_size
    from lapcat.session import Session, open, table

__all__ = [
    "BadArgument",
    "BadQuery",
    "BudgetExceeded",
    "Bug",
    "EngineFailed",
    "Error",
    "IntegrityFailed",
    "Refused",
    "Session",
    "__version__",
    "compose",
    "count",
    "count_distinct",
    "group",
    "mean",
    "mechanisms",
    "open",
    "sample_size",
    "sum",
    "table",
]

_LOADED_WHEN_USED = {
    "Session": "lapcat.session",
    "compose": "lapcat.core.accounting.compose",
    "count": "lapcat.frontend.measures",
    "count_distinct": "lapcat.frontend.measures",
    "group": "lapcat.core.loss",
    "mean": "lapcat.frontend.measures",
    "open": "lapcat.session",
    "sample_size": "lapcat.plan.sample_size",
    "sum": "lapcat.frontend.measures",
    "table": "lapcat.session",
}


def __getattr__(name: str) -> object:
    """Loads what is used when it is used: the command line and `import lapcat` stay quick."""
    if name == "mechanisms":
        return import_module("lapcat.mechanisms")
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module 'lapcat' has no attribute {name!r}")
    value = getattr(import_module(_LOADED_WHEN_USED[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
