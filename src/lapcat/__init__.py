"""lapcat: differentially private SQL queries on tables, with a persistent privacy budget.

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
    from lapcat import local, mechanisms
    from lapcat.accounting.compose import compose
    from lapcat.accounting.groups import group
    from lapcat.audit.auditing import audit
    from lapcat.frontend.measures import (
        corr,
        count,
        count_distinct,
        covar,
        intercept,
        max,
        mean,
        median,
        min,
        mode,
        quantile,
        slope,
        std,
        sum,
        var,
    )
    from lapcat.plan.sample_size import sample_size
    from lapcat.render.magic import load_ipython_extension
    from lapcat.render.meaning import epsilon_for, explain
    from lapcat.session import Session, open, table
    from lapcat.workload.workload import Workload

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
    "Workload",
    "__version__",
    "audit",
    "compose",
    "corr",
    "count",
    "count_distinct",
    "covar",
    "epsilon_for",
    "explain",
    "group",
    "intercept",
    "load_ipython_extension",
    "local",
    "max",
    "mean",
    "mechanisms",
    "median",
    "min",
    "mode",
    "open",
    "quantile",
    "sample_size",
    "slope",
    "std",
    "sum",
    "table",
    "var",
]

_LOADED_WHEN_USED = {
    "Session": "lapcat.session",
    "Workload": "lapcat.workload.workload",
    "compose": "lapcat.accounting.compose",
    "corr": "lapcat.frontend.measures",
    "count": "lapcat.frontend.measures",
    "count_distinct": "lapcat.frontend.measures",
    "covar": "lapcat.frontend.measures",
    "epsilon_for": "lapcat.render.meaning",
    "explain": "lapcat.render.meaning",
    "group": "lapcat.accounting.groups",
    "intercept": "lapcat.frontend.measures",
    "load_ipython_extension": "lapcat.render.magic",
    "max": "lapcat.frontend.measures",
    "mean": "lapcat.frontend.measures",
    "median": "lapcat.frontend.measures",
    "min": "lapcat.frontend.measures",
    "mode": "lapcat.frontend.measures",
    "open": "lapcat.session",
    "quantile": "lapcat.frontend.measures",
    "sample_size": "lapcat.plan.sample_size",
    "slope": "lapcat.frontend.measures",
    "std": "lapcat.frontend.measures",
    "sum": "lapcat.frontend.measures",
    "table": "lapcat.session",
    "var": "lapcat.frontend.measures",
}


def __getattr__(name: str) -> object:
    """Lazy imports: the command line and `import lapcat` stay fast."""
    if name in ("audit", "local", "mechanisms"):  # packages; `audit` is also callable
        return import_module(f"lapcat.{name}")
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module 'lapcat' has no attribute {name!r}")
    value = getattr(import_module(_LOADED_WHEN_USED[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
