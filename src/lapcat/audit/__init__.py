"""Verified, not believed: does a mechanism keep the promise that is made for it?

    lapcat.audit(mechanism, d, d_prime, epsilon=1)              any callable, by its answers: a verdict and a lower bound on epsilon
    lapcat.audit.exact(mechanism, d, d_prime, epsilon=1)        where the law is known: the true epsilon, and delta for each epsilon
    lapcat.audit.broken.BROKEN, lapcat.audit.sound.SOUND        mechanisms that an auditor must catch, and must not

The package is called like the function: `lapcat.audit(...)` is `lapcat.audit.auditing.audit(...)`.
"""

from __future__ import annotations

import sys
from types import ModuleType

from lapcat.audit.auditing import audit
from lapcat.audit.exact import Exact, exact
from lapcat.audit.result import Audit

__all__ = ["Audit", "Exact", "audit", "exact"]


class _Callable(ModuleType):
    """A module that is also a function: importing any part of the package would otherwise hide the function."""

    __call__ = staticmethod(audit)


sys.modules[__name__].__class__ = _Callable
