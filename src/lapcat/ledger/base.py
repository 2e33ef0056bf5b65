"""The ledger's values and its Protocol.

A debit is durable before a row is read, is never refunded once the query executes, and is charged once per question:

    DEBITED ──looked──► LOOKED ──answered──► ANSWERED ──released──► RELEASED
       │                   └──failed──┐ (the debit stands; the same question finishes under it)
       │                   ◄──────────┘
       │  └──answered──► ANSWERED (only a debit of zero: its numbers are public, and no row is read)
       └──void──► VOIDED (by the steward, with a reason; only before execution)

Entries are append-only and hash-chained (chain.py); every other table is derived from them and can be rebuilt (replay.py).
ledger.py implements the ledger over any store (store.py).
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
"""A table is paused when this many analysts have failed since the last resume: each failure may reveal one bit."""


class DebitState(StrEnum):
    """The state of a debit. It only moves forward."""

    DEBITED = "debited"
    LOOKED = "looked"
    ANSWERED = "answered"
    """The answer is stored. After a crash the same bytes are returned."""
    RELEASED = "released"
    """The answer was returned to the caller. Written with a later entry: nothing depends on it."""
    VOIDED = "voided"
    """Voided by the steward before execution."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One budget that a question debits."""

    scope: str
    """The scope debited: `table:<source identity>`, `block:<source identity>#<value>`, `population:<name>`,
    `analyst:<name>@<source identity>` or `analyst:<name>@<source identity>#<value>`."""
    name: str
    """Display name of the budget: `staff`, `ana on staff`."""
    limit: SpendingLimit
    analyst: bool = False
    """Whether this is the analyst's own cap, which is also debited for a cached answer."""
    table: str | None = None
    """Display name of the table, if the budget belongs to one."""
    block: str = ""
    """The block of the table, if each block has its own budget: `month 2024-01`."""

    @property
    def called(self) -> str:
        """`staff`, or `visits, month 2024-01`."""
        return f"{self.name}, {self.block}" if self.block else self.name

    def __post_init__(self) -> None:
        if (self.limit.epsilon is None) == (self.limit.rho is None):
            raise Bug("limit-kind", f"the limit of {self.name} must be either an epsilon or a rho")


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's idempotency key: a retry under the same key is never a second request."""

    name: str
    asks: str
    """Hex digest of the request and its price. Another request under the same name is refused."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a debit. If a scope is listed twice, every limit applies and the scope is charged once."""

    question: str
    """Hex digest of the canonical measured plan: the query and the table versions, but not the price."""
    event: Event
    """The release that will happen. The cost is derived from it and stated nowhere else."""
    charges: tuple[Charge, ...]
    tables: tuple[str, ...]
    """Scopes of the tables read; a failure pauses them."""
    memo: Mapping[str, object]
    """JSON: what the receipt states about unit, relation, statistics, …"""
    analyst: str | None = None
    content: Content | None = None
    """The statistics the answer will hold, for later answers from cache; None if it can only answer this question."""
    key: IdempotencyKey | None = None
    accepted: int | None = None
    """The catalogue acceptance that limits and plan come from; refused if there is a later one. None: not checked."""


@dataclass(frozen=True, slots=True)
class Debit:
    """A durable debit: a new one, or the stored one of the same question."""

    id: int
    hash: str
    event: Event
    """The release that was debited; for a better stored answer this is its event, not the requested one."""
    memo: Mapping[str, object]
    answer: bytes | None
    """The answer already released under this debit, if any."""
    free: bool
    """Whether this call charged nothing to the tables."""
    shared: bool = False
    """Whether this call charged a cached answer to the analyst's own caps (at the cached answer's loss)."""

    @property
    def loss(self) -> Loss:
        return self.event.loss


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """A stored answer, not yet read, and its contents."""

    id: int
    hash: str
    event: Event
    content: Content
    head: bytes
    """The first line of the answer: its format and the source of its noise."""
    charged: bool
    """Whether the current analyst has been charged for it (True also if no analyst is named)."""


def amounts_of(event: Event) -> tuple[Fraction, Fraction]:
    """The (epsilon, delta) by which stored answers are compared. For a release priced in rho: the pure epsilon with the same
    cost in rho, rho = epsilon² / 2, rounded up."""
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
    """The amounts spent from a scope, as exact fractions; None where no theorem gives the sum in that kind."""

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
    """One entry of the ledger."""

    id: int
    kind: str
    text: str
    """The body that was hashed: canonical JSON."""
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """A version number, reserved before its snapshots are written, and the snapshots' names."""

    source: str
    version: int
    snapshots: tuple[str, ...]


class Ledger(Protocol):
    """The ledger's interface. Every write is durable when the call returns; otherwise the call raises."""

    def debit(self, request: Request) -> Debit:
        """Checks and charges every scope in one transaction, or finds the existing debit, or refuses."""

    def keyed(self, key: IdempotencyKey, analyst: str | None = None) -> Debit | None:
        """The debit made or found earlier under this key; refused if the key was used for another request."""

    def executing(self, debit_id: int) -> None: ...
    def answered(self, debit_id: int, answer: bytes) -> bytes:
        """Stores the answer unless one exists; returns the stored one."""

    def released(self, debit_id: int) -> None:
        """Notes that the answer was returned; written with the next entry, or when the ledger is closed."""

    def failed(self, debit_id: int, analyst: str | None = None) -> None: ...
    def void(self, debit_id: int, reason: str) -> int:
        """Voids a debit before execution; refused afterwards."""

    def find(
        self, question: str, event: Event, analyst: str | None = None, charges: Sequence[Charge] = ()
    ) -> Debit | None:
        """The debit that `debit` would return without charging the tables, or None if it would charge them. Charges nothing."""

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
        """Charges stored answers to an analyst's own caps, each once, all or none. Returns whether anything was charged."""

    def affordable(self, debit_ids: Sequence[int], analyst: str | None, charges: Sequence[Charge]) -> bool:
        """Whether `share` would be within the analyst's caps."""

    def answer(self, debit_id: int) -> bytes | None:
        """The answer released under a debit, if any."""

    def paid(self, debit_id: int) -> tuple[Entry, bytes]:
        """The entry and the answer of an answered debit: the contents of a receipt."""

    @property
    def signer(self) -> Signer | None:
        """The signer of receipts, if any."""

    @property
    def note(self) -> str | None:
        """A note for the steward about how the ledger was opened."""

    def charged_to(self, debit_id: int, analyst: str) -> bool: ...
    def spent(self, scope: str) -> Spent: ...
    def scopes(self) -> list[str]:
        """Every scope that was ever charged."""

    def paused(self, table: str) -> bool: ...
    def why_paused(self, table: str, analyst: str | None = None) -> str | None:
        """Why a table is paused for an analyst, phrased to follow "is paused"; None if it is not."""

    def failures(self, table: str) -> int:
        """Number of analysts who have failed on a table since they, or it, were last resumed. For the steward only."""

    def failed_analysts(self, table: str) -> list[str | None]:
        """The analysts paused on a table by a failure; None stands for unnamed ones. For the steward only."""

    def pause(self, table: str, reason: str) -> int: ...
    def resume(self, table: str, reason: str) -> int: ...
    def resume_analyst(self, table: str, analyst: str, reason: str) -> int: ...

    def accepted(self) -> dict[str, object] | None: ...
    def acceptance(self) -> tuple[int, dict[str, object]] | None:
        """The entry id and the facts of the last acceptance."""

    def accept(self, facts: Mapping[str, object], reason: str) -> int: ...
    def version(self, source: str) -> int: ...
    def alone(self, waits: Callable[[], None] = lambda: None) -> AbstractContextManager[None]:
        """Mutual exclusion of refreshes and pruning; `waits` is called if another one is running."""

    def reserve(self, source: str, named: Callable[[int], Sequence[str]]) -> int:
        """Reserves a version number that the source never uses again, and records the names of its snapshots."""

    def reserved(self) -> list[Reservation]:
        """All reservations, oldest first."""

    def refreshed(self, source: str, memo: Mapping[str, object], version: int | None = None) -> int: ...
    def version_memo(self, source: str, version: int) -> dict[str, object]:
        """The memo of a declared version; empty if it was never declared."""

    def written_again(self, source: str, memo: Mapping[str, object], reason: str) -> int:
        """Records that the snapshot of the declared version is written again; the version does not change."""

    def secret(self) -> bytes: ...

    def entries(self) -> Iterator[Entry]: ...
    def verify(self) -> int:
        """Replays all entries and checks every derived table; returns the number of entries, or raises."""

    def close(self) -> None: ...
