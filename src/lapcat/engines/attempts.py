"""The looks of one question: all of them end by one deadline, and one that fails is tried once more before it counts as failed.

The second try gets what time is left, and spares memory: one thread, whose rows go to disk where they do not fit. So a question
that was unlucky, because others were using the machine, is answered; nothing more is paid, and no noise was drawn before.
"""

from __future__ import annotations

import time

from lapcat.core.release import ExactResult
from lapcat.engines.backends import Attempt, Engine
from lapcat.plan.nodes import Group


class Attempts:
    """An engine for one question, whose time begins now."""

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
