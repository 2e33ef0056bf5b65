"""What one person has given away over repeated surveys: a report for each question and value, drawn once and kept.

Theorem: whatever is asked however often, the reports are a function of one draw for each distinct (question, value), so the
         loss is the sum over those of epsilon: epsilon times the number of distinct values held, for each question.
A memo that is lost has to be drawn anew, and each draw is a new epsilon: whoever keeps it, keeps it well.
Source: Erlingsson, Pihur & Korolova 2014 (permanent randomised response).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from lapcat.core.coins import CoinSource, system_coins
from lapcat.core.loss import PureDP
from lapcat.local.protocol import Protocol


@dataclass(slots=True)
class Memo:
    """One person's reports so far.

    >>> from lapcat.local.choose import choose
    >>> smokes = choose(domain=["yes", "no"], epsilon="0.5", question="smokes").protocol
    >>> mine = Memo()
    >>> mine.report(smokes, "no") == mine.report(smokes, "no")
    True
    >>> again = mine.report(smokes, "yes")
    >>> mine.loss.epsilon
    Fraction(1, 1)
    """

    _given: dict[tuple[Protocol, int], dict[str, int]] = field(default_factory=dict)

    def report(self, protocol: Protocol, value: object, coins: CoinSource | None = None) -> dict[str, int]:
        """The report of this value: drawn the first time, the same ever after."""
        (place,) = protocol.places([value]).tolist()
        if (protocol, place) not in self._given:
            source = system_coins() if coins is None else coins
            columns = protocol.randomiser.draw(np.array([place]), source)
            self._given[protocol, place] = {name: int(column[0]) for name, column in columns.items()}
        return dict(self._given[protocol, place])

    @property
    def loss(self) -> PureDP:
        """Over all questions, surveys and values."""
        return PureDP(sum((protocol.epsilon for protocol, _ in self._given), Fraction(0)))
