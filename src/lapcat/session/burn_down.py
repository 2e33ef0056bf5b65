"""How a budget was spent, entry by entry, and how many more questions like the recent ones it has left.

Read from the ledger's entries alone. Their `time` is the clock's at the request: it labels a point and picks the recent
questions, and decides nothing that is refused or charged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from statistics import median_low

from lapcat.core.exact import exact_text
from lapcat.ledger import Entry, Spent, left
from lapcat.ledger.chain import payload_of
from lapcat.ledger.fixed_point import DELTAS, EPSILONS, NOTHING, RHOS, FixedPointAmounts
from lapcat.ledger.payload_codec import read_charges
from lapcat.plan.schema import SpendingLimit
from lapcat.stored.scopes import Scope, ScopeKind

RECENT = timedelta(days=7)
LAST = 10
"""Where nothing was paid in the last seven days, the questions that are looked at instead."""


@dataclass(frozen=True, slots=True)
class BurnDownStep:
    """What an entry charged a scope with, or took back."""

    entry: int
    time: str
    cost: FixedPointAmounts
    debit: int
    """Under which debit: another one's, where a stored answer was shared."""
    back: bool = False
    """Whether the steward took it back."""


@dataclass(frozen=True, slots=True)
class Point:
    """What was left of a budget, in its own kind and against its cap of today, after an entry of the ledger.

    Of the entry's time only the day is shown: when the next question came, to the second, also tells how long the one before
    it took, which may depend on rows.
    """

    date: str
    left: Fraction
    entry: int | None
    """Its number; None for an analyst where it may be somebody else's, for gaps between numbers tell of failures."""

    def as_json(self) -> dict[str, object]:
        numbered = {} if self.entry is None else {"entry": self.entry}
        return {**numbered, "date": self.date, "left": exact_text(self.left)}


@dataclass(frozen=True, slots=True)
class Pace:
    """How many more questions fit that cost what the recent ones did."""

    questions: int
    like: str
    """`last week's`, or `the last 4` where nothing was paid in the last seven days."""

    def __str__(self) -> str:
        if self.questions == 0:
            return f"not one more question like {self.like}"
        many = "1 more question" if self.questions == 1 else f"{self.questions} more questions"
        return f"about {many} like {self.like}"

    def as_json(self) -> dict[str, object]:
        return {"questions": self.questions, "like": self.like}


@dataclass(frozen=True, slots=True)
class History:
    """All that was ever charged, and who looks at it."""

    paid: Mapping[str, Sequence[BurnDownStep]]
    steward: bool

    def of(
        self, scope: str, limit: SpendingLimit, spent: Spent, now: datetime
    ) -> tuple[tuple[Point, ...], Pace | None]:
        """How a budget was spent, and how long it lasts. Entries are numbered for the steward, and for analysts their own."""
        paid = self.paid.get(scope, ())
        numbered = self.steward or Scope.read(scope).kind is ScopeKind.ANALYST
        return burn_down(limit, paid, numbered=numbered), pace(limit, paid, spent, now)


def spending(entries: Iterable[Entry]) -> dict[str, list[BurnDownStep]]:
    """For each scope what it was charged, in the order of the entries."""
    found: dict[str, list[BurnDownStep]] = {}
    charged: dict[int, list[tuple[str, FixedPointAmounts]]] = {}
    for entry in entries:
        if entry.kind not in ("debit", "share", "void"):
            continue
        body = payload_of(entry)
        match entry.kind, {"debit": entry.id, **body}:
            case "debit" | "share", {"debit": int(id), "charges": list(charges), "time": str(time)}:
                for scope, cost in read_charges(entry, charges).items():
                    found.setdefault(scope, []).append(BurnDownStep(entry.id, time, cost, id))
                    charged.setdefault(id, []).append((scope, cost))
            case "void", {"debit": int(id), "time": str(time)}:
                for scope, cost in charged.pop(id, []):
                    found[scope].append(BurnDownStep(entry.id, time, cost, id, back=True))
    return found


def burn_down(
    limit: SpendingLimit, paid: Sequence[BurnDownStep], *, numbered: bool = True
) -> tuple[Point, ...]:
    """What was left after each entry; the last point is what is left now."""
    points, sum = [], NOTHING
    for one in paid:
        sum = sum - one.cost if one.back else sum + one.cost
        points.append(Point(one.time[:10], left(limit, Spent.of(sum)), one.entry if numbered else None))
    return tuple(points)


def pace(limit: SpendingLimit, paid: Sequence[BurnDownStep], spent: Spent, now: datetime) -> Pace | None:
    """How many more questions fit at the median cost of the recent ones; None where nothing was paid yet.

    Questions that were taken back, and those that cost this budget nothing, are not counted. Where the budget has a delta
    that they used, the scarcer of the two decides.
    """
    voided = {one.debit for one in paid if one.back}
    counted = [one for one in paid if one.debit not in voided and _own(limit, one.cost) > 0]
    recent, like = [one for one in counted if _is_recent(one.time, now)], "last week's"
    if not recent:
        recent = counted[-LAST:]
        like = "the last one" if len(recent) == 1 else f"the last {len(recent)}"
    if not recent:
        return None
    fits = left(limit, spent) / median_low(_own(limit, one.cost) for one in recent)
    delta = Fraction(median_low(one.cost.delta for one in recent), DELTAS)
    if delta:
        fits = min(fits, max(Fraction(0), limit.delta - spent.delta) / delta)
    return Pace(int(fits), like)


def _own(limit: SpendingLimit, cost: FixedPointAmounts) -> Fraction:
    """A cost in the limit's own kind; nothing where it cannot be stated in it."""
    if limit.rho is None:
        return Fraction(cost.epsilon or 0, EPSILONS)
    return Fraction(cost.rho or 0, RHOS)


def _is_recent(time: str, now: datetime) -> bool:
    try:
        at = datetime.fromisoformat(time)
    except ValueError:  # whatever a clock once wrote, it only picks which questions are looked at
        return False
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return now - RECENT <= at <= now
