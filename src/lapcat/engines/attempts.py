"""Executions of one question: they share a deadline, and one that fails is retried once.

The retry gets the remaining time and less memory: one thread, which spills rows to disk. So a question that failed because
the machine was busy is still answered; the retry costs nothing, and no noise was drawn before it.
"""

from __future__ import annotations

import time

from lapcat.core.release import ExactResult
from lapcat.engines.base.engine import Attempt, Engine
from lapcat.plan.nodes import Group


class Attempts:
    """An engine for one question; its deadline starts now."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine, self._end = engine, time.monotonic() + seconds

    def execute(self, plan: Group) -> ExactResult:
        try:
            return self._engine.execute(plan, Attempt(self._left()))
        except Exception:
            left = self._left()
        return self._engine.execute(plan, Attempt(left, sparing=True))

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
