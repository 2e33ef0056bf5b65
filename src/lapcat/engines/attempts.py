"""The looks of one question: all of them end by one deadline, and one that fails is tried once more before it counts as failed.

The second try gets what time is left, and spares memory: one thread, whose rows go to disk where they do not fit. So a question
that was unlucky, because others were using the machine, is answered; nothing more is paid, and no noise was drawn before.
"""

from __future__ import annotations

import time

from lapcat.core.door import Private
from lapcat.engines.homes import Attempt, Engine
from lapcat.plan.nodes import Group


class Attempts:
    """An engine for one question, whose time begins now."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine, self._end = engine, time.monotonic() + seconds

    def look(self, plan: Group) -> Private:
        try:
            return self._engine.look(plan, Attempt(self._left()))
        except Exception:
            left = self._left()
        return self._engine.look(plan, Attempt(left, sparing=True))

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
