"""What a ledger is: the values that go in and come out, and the Protocol that every store satisfies.

A debit is durable before a row is read; it is never taken back; and the same question is paid once:

    DEBITED ──looked──► LOOKED ──answered──► ANSWERED ──released──► RELEASED
       │                   └──failed──┐ (the debit stands, the same question finishes under it)
       │                   ◄──────────┘
       │  └──answered──► ANSWERED (only a debit of nothing: its numbers are public, and nobody looks)
       └──void──► VOIDED (the steward's, with a reason; only while nobody looked)

Entries are append-only and hash-chained (chain.py); everything else that a store keeps is derived from them and can be
derived again (replay.py). ledger.py is the ledger over any store (store.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, assert_never

from lapcat.core.event import Event
from lapcat.core.exact import sqrt_up
from lapcat.core.loss import ZCDP, ApproxDP, Loss, PureDP
from lapcat.errors import Bug
from lapcat.ledger.fixed_point import DELTAS, EPSILONS, RHOS, FixedPointAmounts
from lapcat.plan.cached_statistics import Content
from lapcat.plan.schema import SpendingLimit

if TYPE_CHECKING:
    from lapcat.ledger.signing import Signer

FAILURES_ALLOWED = 3
"""When this many analysts have failed since the last resume, a table is paused: each failure may tell one bit."""


class DebitState(StrEnum):
    """How far a debit has come. A debit never goes back."""

    DEBITED = "debited"
    LOOKED = "looked"
    ANSWERED = "answered"
    """The answer is stored. After a crash the same bytes are given again."""
    RELEASED = "released"
    """The answer was handed over. Written with a later entry: nothing depends on it."""
    VOIDED = "voided"
    """Taken back by the steward before anybody looked."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One budget that a question debits."""

    scope: str
    """What is debited: `table:<source identity>`, `block:<source identity>#<value>`, `population:<name>`,
    `analyst:<name>@<source identity>` or `analyst:<name>@<source identity>#<value>`."""
    name: str
    """What people call the budget, for messages: `staff`, `ana on staff`."""
    limit: SpendingLimit
    analyst: bool = False
    """Whether this is the analyst's own cap, which is debited for a stored answer too."""
    table: str | None = None
    """The table, as people call it, where the budget belongs to one."""
    block: str = ""
    """Which part of the table, where each has the budget for itself: `month 2024-01`."""

    @property
    def called(self) -> str:
        """`staff`, or `visits, month 2024-01`."""
        return f"{self.name}, {self.block}" if self.block else self.name

    def __post_init__(self) -> None:
        if (self.limit.epsilon is None) == (self.limit.rho is None):
            raise Bug("limit-kind", f"the limit of {self.name} must be either an epsilon or a rho")


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What a client calls one request, so that trying it again is never a second request."""

    name: str
    asks: str
    """Hex digest of what is asked, and at which price. Something else under the same name is refused."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question that wants to be paid for. Of a scope that is charged twice every limit binds, and it pays once."""

    question: str
    """Hex digest of the canonical measured plan: what is asked, of which versions, but not at which price."""
    event: Event
    """What will happen, exactly; its cost is derived from it and stated nowhere else."""
    charges: tuple[Charge, ...]
    tables: tuple[str, ...]
    """Table scopes that are read, for the rule that failures pause."""
    memo: Mapping[str, object]
    """JSON: what the receipt says of unit, relation, statistics, …"""
    analyst: str | None = None
    content: Content | None = None
    """What the answer will hold, for questions that can be answered from it; None: for none but this one."""
    key: IdempotencyKey | None = None
    accepted: int | None = None
    """The acceptance of the catalogue that limits and plan come from; refused where there is a later one. None: not asked."""


@dataclass(frozen=True, slots=True)
class Debit:
    """A payment that is durable: a new one, or the stored one under which the question was paid before."""

    id: int
    hash: str
    event: Event
    """What was paid for; of a stored better answer this is its event, not the requested one."""
    memo: Mapping[str, object]
    answer: bytes | None
    """What was released under this debit before, if it was."""
    free: bool
    """Whether nothing was charged to the tables now."""
    shared: bool = False
    """Whether a stored answer was charged to this analyst's own caps now (at its own loss)."""

    @property
    def loss(self) -> Loss:
        return self.event.loss


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """A stored answer that is not read yet, and what its numbers are."""

    id: int
    hash: str
    event: Event
    content: Content
    head: bytes
    """The first line of the answer: in which form it is, and where its noise came from."""
    charged: bool
    """Whether whoever asks now has been charged for it (also where nobody is named)."""


def amounts_of(event: Event) -> tuple[Fraction, Fraction]:
    """The epsilon and delta by which stored answers are compared; of a release priced in rho, the pure epsilon that would
    cost a budget of rho the same: rho = epsilon² / 2, rounded up."""
    match event.loss:
        case PureDP(epsilon):
            return epsilon, Fraction(0)
        case ZCDP(rho):
            return sqrt_up(2 * rho), Fraction(0)
        case ApproxDP(epsilon, delta):
            return epsilon, delta
        case loss:
            assert_never(loss)


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent from a scope, as exact fractions; None where no theorem states the sum in that kind."""

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None

    @classmethod
    def of(cls, quanta: FixedPointAmounts) -> Spent:
        return cls(
            None if quanta.epsilon is None else Fraction(quanta.epsilon, EPSILONS),
            Fraction(quanta.delta, DELTAS),
            None if quanta.rho is None else Fraction(quanta.rho, RHOS),
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the book."""

    id: int
    kind: str
    text: str
    """The body as it was hashed: canonical JSON."""
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """The number of a version, taken before its snapshots are written, and their names."""

    source: str
    version: int
    snapshots: tuple[str, ...]


class Ledger(Protocol):
    """What a store must do. Everything that writes is durable when it returns, or raises."""

    def debit(self, request: Request) -> Debit:
        """Checks and charges every scope in one transaction, or finds what was paid before; or refuses."""

    def keyed(self, key: IdempotencyKey, analyst: str | None = None) -> Debit | None:
        """The debit that was made, or found, under this key before; refused where the key asked something else."""

    def executing(self, debit_id: int) -> None: ...
    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless there is one, and returns the one that is stored."""

    def released(self, debit_id: int) -> None:
        """Notes that the answer was handed over; written with the next entry, or when the ledger is closed."""

    def failed(self, debit_id: int, analyst: str | None = None) -> None: ...
    def void(self, debit_id: int, reason: str) -> int:
        """Takes a debit back that nobody looked under; refused afterwards."""

    def find(
        self, question: str, event: Event, analyst: str | None = None, charges: Sequence[Charge] = ()
    ) -> Debit | None:
        """What `debit` would return without charging the tables; None where it would charge them. Charges nothing."""

    def find_cached_answers(
        self, statistics: Sequence[str], analyst: str | None = None
    ) -> list[CachedAnswer]:
        """The stored answers that hold any of these statistics, oldest first. Charges nothing."""

    def share(
        self,
        debit_ids: Sequence[int],
        analyst: str | None,
        charges: Sequence[Charge],
        tables: Sequence[str],
        accepted: int | None = None,
    ) -> bool:
        """Charges stored answers to an analyst's own caps, each once and all or none; whether it charged anything."""

    def affordable(self, debit_ids: Sequence[int], analyst: str | None, charges: Sequence[Charge]) -> bool:
        """Whether `share` would be within the analyst's caps."""

    def answer(self, debit_id: int) -> bytes | None:
        """What was released under a debit, if it was."""

    def paid(self, debit_id: int) -> tuple[Entry, bytes]:
        """The entry of a debit that was answered, and the answer: what a receipt is made of."""

    @property
    def signer(self) -> Signer | None:
        """Who signs receipts, if anybody does."""

    @property
    def note(self) -> str | None:
        """What the steward should know of how it was opened."""

    def charged_to(self, debit_id: int, analyst: str) -> bool: ...
    def spent(self, scope: str) -> Spent: ...
    def scopes(self) -> list[str]:
        """Every scope that was ever charged."""

    def paused(self, table: str) -> bool: ...
    def why_paused(self, table: str, analyst: str | None = None) -> str | None:
        """Why an analyst may not ask about a table now, as it follows "is paused"; None where they may."""

    def failures(self, table: str) -> int:
        """How many analysts have failed on a table since they, or it, were last resumed. For the steward alone."""

    def failed_analysts(self, table: str) -> list[str | None]:
        """Who is paused on a table by a failure; None: those who ask without a name. For the steward alone."""

    def pause(self, table: str, reason: str) -> int: ...
    def resume(self, table: str, reason: str) -> int: ...
    def resume_analyst(self, table: str, analyst: str, reason: str) -> int: ...

    def accepted(self) -> dict[str, object] | None: ...
    def acceptance(self) -> tuple[int, dict[str, object]] | None:
        """The entry of the last acceptance, and its facts."""

    def accept(self, facts: Mapping[str, object], reason: str) -> int: ...
    def version(self, source: str) -> int: ...
    def alone(self, waits: Callable[[], None] = lambda: None) -> AbstractContextManager[None]:
        """For one refresh, or pruning, at a time; `waits` is called where another runs."""

    def reserve(self, source: str, named: Callable[[int], Sequence[str]]) -> int:
        """Takes a number that no version of the source ever had or will have, and notes what its snapshots are called."""

    def reserved(self) -> list[Reservation]:
        """Every number that was ever taken, oldest first."""

    def refreshed(self, source: str, memo: Mapping[str, object], version: int | None = None) -> int: ...
    def version_memo(self, source: str, version: int) -> dict[str, object]:
        """What was noted when a version was declared; nothing where it never was."""

    def written_again(self, source: str, memo: Mapping[str, object], reason: str) -> int:
        """Notes that the snapshot of the declared version is written now; the version stays what it is."""

    def secret(self) -> bytes: ...

    def entries(self) -> Iterator[Entry]: ...
    def verify(self) -> int:
        """Derives everything again from the first entry on; returns how many entries there are, or raises."""

    def close(self) -> None: ...
