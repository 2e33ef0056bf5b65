"""One person's reports: one for each question in each wave, whatever they answer later.

Theorem: a question that is asked once, or again under the same wave's name, gets one report, which depends on the first answer
         only: epsilon, however often it is asked. Each wave is another report: another epsilon between any two histories,
         and nothing for a wave in which both have the same value (permanent.py; without a permanent report the waves are
         independent, and the losses of those that differ add up).
Keeping one report per distinct value would not suffice: two different reports reveal a change, whatever epsilon is.
A lost memo has to be drawn again, and each draw costs another epsilon: store it durably.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from lapcat.core.coins import CoinSource, system_coins
from lapcat.core.loss import PureDP
from lapcat.local.base import Columns, fresh_words
from lapcat.local.permanent import Permanent
from lapcat.local.protocol import Protocol


@dataclass(slots=True)
class Memo:
    """One person's reports so far.

    >>> from lapcat.local.choose import choose
    >>> smokes = choose(domain=["yes", "no"], epsilon="0.5", question="smokes").protocol
    >>> mine = Memo()
    >>> mine.report(smokes, "no") == mine.report(smokes, "yes")  # the first answer counts
    True
    >>> again = mine.report(smokes.in_wave("2026"), "yes")
    >>> mine.loss.epsilon
    Fraction(1, 1)
    """

    _given: dict[Protocol, dict[str, int]] = field(default_factory=dict)
    _kept: dict[tuple[object, ...], dict[int, Columns]] = field(default_factory=dict)
    """Permanent reports by value, for each (question, domain, randomiser)."""

    def report(self, protocol: Protocol, value: object, coins: CoinSource | None = None) -> dict[str, int]:
        """The report to this question in this wave: drawn for the first answer, then repeated."""
        if protocol not in self._given:
            columns = self._drawn(protocol, value, system_coins() if coins is None else coins)
            self._given[protocol] = {name: int(column[0]) for name, column in columns.items()}
        return dict(self._given[protocol])

    def _drawn(self, protocol: Protocol, answer: object, coins: CoinSource) -> Columns:
        place, randomiser = protocol.places([answer]), protocol.randomiser
        if not isinstance(randomiser, Permanent):
            return randomiser.draw(place, coins)
        kept = self._kept.setdefault((protocol.question, protocol.domain, randomiser.kept), {})
        value = int(place[0])
        if value not in kept:
            kept[value] = randomiser.keep(place, coins, before=next(iter(kept.values()), None))
        return randomiser.tell(kept[value], fresh_words(1, 1, coins))

    @property
    def loss(self) -> PureDP:
        """The total over all questions and waves, for any values: epsilon for each report."""
        return PureDP(sum((protocol.epsilon for protocol in self._given), Fraction(0)))
