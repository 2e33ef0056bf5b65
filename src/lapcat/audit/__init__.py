"""Privacy auditing: statistical and exact tests of a mechanism's (epsilon, delta) claim, attacks, and the audit of a deployment.

    lapcat.audit(mechanism, d, d_prime, epsilon=1)              any callable, from its answers: a verdict and a lower bound on epsilon
    lapcat.audit.exact(mechanism, d, d_prime, epsilon=1)        a known distribution: the true epsilon, and delta for each epsilon
    lapcat.audit.broken.BROKEN, lapcat.audit.sound.SOUND        mechanisms that an auditor must catch, and must pass

The package is also a function: `lapcat.audit(...)` is `lapcat.audit.auditing.audit(...)`.
"""

from __future__ import annotations

import sys
from types import ModuleType

from lapcat.audit.auditing import audit
from lapcat.audit.exact import Exact, exact
from lapcat.audit.result import Audit

__all__ = ["Audit", "Exact", "audit", "exact"]


class _Callable(ModuleType):
    """A callable module: otherwise importing any submodule would shadow the function `lapcat.audit`."""

    __call__ = staticmethod(audit)


sys.modules[__name__].__class__ = _Callable
