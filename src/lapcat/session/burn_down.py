"""The burn-down of a budget, entry by entry, and how many more questions like the recent ones fit.

Computed from the ledger's entries alone. Their `time` is the clock at the request: it labels a point and selects the recent
questions, and decides no refusal or charge.
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
"""Number of last questions used if none was charged in the last seven days."""


@dataclass(frozen=True, slots=True)
class BurnDownStep:
    """An amount that an entry charged to a scope, or returned to it."""

    entry: int
    time: str
    cost: FixedPointAmounts
    debit: int
    """The debit concerned: an earlier one for a share or a void."""
    back: bool = False
    """Whether the steward voided it."""


@dataclass(frozen=True, slots=True)
class Point:
    """The amount left of a budget after a ledger entry, in its own kind and against its current cap.

    Only the day of the entry is shown: exact times would reveal how long the previous question took, which may depend on rows.
    """

    date: str
    left: Fraction
    entry: int | None
    """Its id; None where an analyst might see another's entry, because gaps between ids reveal failures."""

    def as_json(self) -> dict[str, object]:
        numbered = {} if self.entry is None else {"entry": self.entry}
        return {**numbered, "date": self.date, "left": exact_text(self.left)}


@dataclass(frozen=True, slots=True)
class Pace:
    """The number of further questions that fit at the cost of the recent ones."""

    questions: int
    like: str
    """`last week's`, or `the last 4` if nothing was charged in the last seven days."""

    def __str__(self) -> str:
        if self.questions == 0:
            return f"not one more question like {self.like}"
        many = "1 more question" if self.questions == 1 else f"{self.questions} more questions"
        return f"about {many} like {self.like}"

    def as_json(self) -> dict[str, object]:
        return {"questions": self.questions, "like": self.like}


@dataclass(frozen=True, slots=True)
class History:
    """All charges by scope, and whether the steward views them."""

    paid: Mapping[str, Sequence[BurnDownStep]]
    steward: bool

    def of(
        self, scope: str, limit: SpendingLimit, spent: Spent, now: datetime
    ) -> tuple[tuple[Point, ...], Pace | None]:
        """The burn-down and the pace of a budget. Entry ids are shown to the steward, and to analysts for their own budgets."""
        paid = self.paid.get(scope, ())
        numbered = self.steward or Scope.read(scope).kind is ScopeKind.ANALYST
        return burn_down(limit, paid, numbered=numbered), pace(limit, paid, spent, now)


def spending(entries: Iterable[Entry]) -> dict[str, list[BurnDownStep]]:
    """The charges to each scope, in the order of the entries."""
    steps: dict[str, list[BurnDownStep]] = {}
    charged: dict[int, list[tuple[str, FixedPointAmounts]]] = {}
    for entry in entries:
        if entry.kind not in ("debit", "share", "void"):
            continue
        body = payload_of(entry)
        match entry.kind, {"debit": entry.id, **body}:
            case "debit" | "share", {"debit": int(id), "charges": list(charges), "time": str(time)}:
                for scope, cost in read_charges(entry, charges).items():
                    steps.setdefault(scope, []).append(BurnDownStep(entry.id, time, cost, id))
                    charged.setdefault(id, []).append((scope, cost))
            case "void", {"debit": int(id), "time": str(time)}:
                for scope, cost in charged.pop(id, []):
                    steps[scope].append(BurnDownStep(entry.id, time, cost, id, back=True))
    return steps


def burn_down(
    limit: SpendingLimit, paid: Sequence[BurnDownStep], *, numbered: bool = True
) -> tuple[Point, ...]:
    """The amount left after each entry; the last point is the current amount."""
    points, sum = [], NOTHING
    for step in paid:
        sum = sum - step.cost if step.back else sum + step.cost
        points.append(Point(step.time[:10], left(limit, Spent.of(sum)), step.entry if numbered else None))
    return tuple(points)


def pace(limit: SpendingLimit, paid: Sequence[BurnDownStep], spent: Spent, now: datetime) -> Pace | None:
    """The number of further questions that fit at the median cost of the recent ones; None if nothing was charged yet.

    Voided questions, and those that cost this budget nothing, are not counted. If they also used delta, the scarcer of the two
    decides.
    """
    voided = {step.debit for step in paid if step.back}
    counted = [step for step in paid if step.debit not in voided and _own(limit, step.cost) > 0]
    recent, like = [step for step in counted if _is_recent(step.time, now)], "last week's"
    if not recent:
        recent = counted[-LAST:]
        like = "the last one" if len(recent) == 1 else f"the last {len(recent)}"
    if not recent:
        return None
    fits = left(limit, spent) / median_low(_own(limit, step.cost) for step in recent)
    delta = Fraction(median_low(step.cost.delta for step in recent), DELTAS)
    if delta:
        fits = min(fits, max(Fraction(0), limit.delta - spent.delta) / delta)
    return Pace(int(fits), like)


def _own(limit: SpendingLimit, cost: FixedPointAmounts) -> Fraction:
    """A cost in the limit's own kind; 0 if it cannot be stated in it."""
    if limit.rho is None:
        return Fraction(cost.epsilon or 0, EPSILONS)
    return Fraction(cost.rho or 0, RHOS)


def _is_recent(time: str, now: datetime) -> bool:
    try:
        at = datetime.fromisoformat(time)
    except ValueError:  # an unreadable time only excludes the question here
        return False
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return now - RECENT <= at <= now
