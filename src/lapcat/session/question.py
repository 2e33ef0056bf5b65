"""A question: previewed for free, paid for once, answered with error bars."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import numpy as np

from lapcat.core import door
from lapcat.core.answers import Group
from lapcat.core.event import Event
from lapcat.core.exact import exact, exact_text, sqrt_down
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.errors import BadArgument, Refused
from lapcat.frontend.catalogue import LARGE_DELTA, LARGE_EPSILON, odds_in_words
from lapcat.ledger.base import Charge, Key, Request, amounts_of
from lapcat.ledger.chain import canonical
from lapcat.ledger.quanta import cost_of, within
from lapcat.ledger.receipts import Proved, derived_receipt, receipt_of
from lapcat.plan.accuracy import Foreseen
from lapcat.plan.aggregates import Estimates
from lapcat.plan.at_once import AtOnce, at_once
from lapcat.plan.blocks import blocks_read
from lapcat.plan.compile import Asked, Prepared, Program, compile_program, identity_of, prepare
from lapcat.plan.concentrated import compile_pair, compile_rho
from lapcat.plan.nodes import Public, private_scans, scan_of, scans_of
from lapcat.plan.released import Released, tabulate
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Table
from lapcat.plan.wanted import Goal, wanted_json
from lapcat.session.deployment import Deployment
from lapcat.session.derived import Derived, derivations, stored_answers
from lapcat.session.known import ANYTHING, known_of
from lapcat.session.results import (
    Amount,
    Answer,
    ForeseenColumn,
    Offered,
    Preview,
    Receipt,
    SensitivityReport,
    Way,
    is_overdrawn,
    less,
    loss_json,
)
from lapcat.session.strategies import best_of, content_held, paid_program, strategic_at, ways_of
from lapcat.session.tradeoff import Tradeoff, line_of, prices_of
from lapcat.session.wording import (
    extremes_in_words,
    noted,
    notes_of_numbers,
    statistics_in_words,
    warnings_of,
)
from lapcat.workload.posed import Posed, asked_for, posed
from lapcat.workload.strategic import Strategic
from lapcat.workload.workload import Workload

Number = object
"""What core.exact reads: int, Decimal, Fraction, "0.1", or a float by its shortest repr."""


Tables = Callable[[Prepared, Mapping[str, Estimates], "tuple[Group, ...] | None"], list[Released]]
"""How answers are shown: the tables of a question's estimates, given the private groups that are shown."""


def whole_table(
    prepared: Prepared, estimates: Mapping[str, Estimates], keys: tuple[Group, ...] | None
) -> list[Released]:
    """One table with all that was asked."""
    asked = prepared.asked
    return [tabulate(prepared.plan, asked.columns, estimates, keys, asked.after)]


class Question:
    """One question to one deployment. Made by `db.sql(...)`; it holds no data."""

    def __init__(
        self,
        deployment: Deployment,
        analyst: str | None,
        text: str,
        asks: Callable[[], Asked],
        tables: Tables = whole_table,
        workload: Workload | None = None,
    ) -> None:
        self._deployment, self._analyst, self._asks, self._tables_of = deployment, analyst, asks, tables
        self._written = workload
        """What is asked of the counts that the question names, where it is not those counts themselves."""
        self.sql = text
        self._latest: Prepared | None = None
        self._workload: tuple[Prepared, Posed | None] | None = None
        self._prepared()  # a bad question fails here, where it was written

    def __repr__(self) -> str:
        return f"<question {self.sql!r}; .preview(epsilon=…) shows its price, .run(epsilon=…) asks it>"

    def _repr_html_(self) -> str:
        from lapcat.story.notebook import question_html

        return question_html(self)

    def asked(self) -> Asked:
        """What it asks of the versions that are declared now."""
        return self._asks()

    def beside(
        self, text: str, asks: Callable[[], Asked], tables: Tables, workload: Workload | None = None
    ) -> Question:
        """Another question of the same analyst to the same deployment."""
        return Question(self._deployment, self._analyst, text, asks, tables, workload)

    # -------------------------------------------------------------------------------------------- before paying

    def sensitivity(self) -> SensitivityReport:
        """How far one unit can move the exact answer. Free; a property of the question, not of the data."""
        prepared = self._prepared()
        return SensitivityReport.of(prepared, str(scan_of(prepared.plan).unit))

    def preview(
        self,
        epsilon: Number = None,
        *,
        delta: Number = None,
        rho: Number = None,
        error: Number = None,
        confidence: Number = "0.95",
        simultaneous: bool = False,
    ) -> Preview:
        """Price and error. Free, and no row is read. Without a price: what stored answers give for nothing."""
        level = confidence_of(confidence)
        if self._names_no_price(epsilon, rho, error):
            return self._preview_derived(self._without_a_price(), level, simultaneous)
        return self.preview_of(self._program(epsilon, delta, rho, error, level), level, simultaneous)

    def preview_of(self, program: Program, level: Fraction, simultaneous: bool = False) -> Preview:
        """The preview of this question at a price that is found already."""
        asked, request = program, self._request(program)
        stored = self._deployment.ledger.find(request.question, program.event, self._analyst, request.charges)
        derived = None
        if stored is not None:
            program = self._paid(stored.event)
        else:
            ways = self._derivations()
            enough = _enough(ways, program, level)
            if enough is not None:
                return self._preview_derived(enough, level, simultaneous)
            derived = ways[0] if ways else None
        together = at_once(program, level, program.cells, independent=True) if simultaneous else None
        each = level if together is None else together.each
        columns = _foreseen_columns(program.prepared, program.foresee(each), level)
        free = stored is not None
        cost = PureDP(Fraction(0)) if free else program.loss
        left = [(charge, after) for charge, _, after in self.left_by(asked)]
        notes = (*noted(together, program.prepared, before=True), *self._block_notes(program.prepared))
        short = [charge.called for charge, amount in left if is_overdrawn(amount)]
        if short:
            notes = (f"this is more than is left of {', '.join(short)}: it would be refused", *notes)
        names = [table.name for table in self._tables(program.prepared)]
        return Preview(
            cost,
            columns,
            least_left(names, [pair for pair in left if not pair[0].analyst]),
            least_left(names, [pair for pair in left if pair[0].analyst]) or None,
            free,
            program.cells,
            notes,
            tuple(statistics_in_words(program)),
            {
                charge.scope.removeprefix("population:"): amount
                for charge, amount in left
                if charge.scope.startswith("population:")
            },
            None if derived is None else self._offered(derived, level, simultaneous),
            self._ways(program),
        )

    def _ways(self, program: Program) -> tuple[Way, ...]:
        """The error of each way to answer, at the price of the program."""
        workload = self._posed()
        return () if workload is None else ways_of(program, workload, written=self._written is not None)

    def left_by(self, program: Program) -> list[tuple[Charge, Amount, Amount]]:
        """For each budget that the question at this price debits, what is left of it before and after."""
        request = self._request(program)
        stored = self._deployment.ledger.find(request.question, program.event, self._analyst, request.charges)
        own = program.event if stored is None else None
        if stored is not None and stored.shared:  # a stored answer costs the analyst what it has cost
            own = self._paid(stored.event).event
        charged = program.event if stored is None else None
        left_after = self._deployment.left_after
        return [
            (charge, left_after(charge, None), left_after(charge, own if charge.analyst else charged))
            for charge in request.charges
        ]

    def require_ready(self, program: Program) -> None:
        """Raises what would keep the question from being asked, before anything is paid."""
        engine = self._deployment.engine(scans_of(program.plan))
        for plan in program.looks:
            engine.ready(plan)

    def _preview_derived(self, derived: Derived, level: Fraction, simultaneous: bool) -> Preview:
        """What an answer from stored ones would be: free for the tables, and no row is read for it either."""
        offered = self._offered(derived, level, simultaneous)
        charges = self._charges(derived.prepared)
        due = [holding for holding in derived.holdings if not holding.charged]
        left = [(charge, self._deployment.left_after(charge, None)) for charge in charges]
        own = []
        for charge, amount in left:
            if charge.analyst:
                for holding in due:
                    after = self._deployment.left_after(charge, holding.event)  # type: ignore[arg-type]
                    amount = less(amount, less(self._deployment.left_after(charge, None), after))
                own.append((charge, amount))
        names = [table.name for table in self._tables(derived.prepared)]
        together = _together(derived, level, None) if simultaneous else None
        return Preview(
            PureDP(Fraction(0)),
            offered.columns,
            least_left(names, [pair for pair in left if not pair[0].analyst]),
            least_left(names, own) or None,
            True,
            derived.prepared.plan.cells,
            (*noted(together, derived.prepared, before=True), *self._block_notes(derived.prepared)),
            (),
            {
                charge.scope.removeprefix("population:"): amount
                for charge, amount in left
                if charge.scope.startswith("population:")
            },
            offered,
        )

    def _offered(self, derived: Derived, level: Fraction, simultaneous: bool) -> Offered:
        each = _together(derived, level, None).each if simultaneous else level
        return Offered(derived.entries, _foreseen_columns(derived.prepared, derived.foresee(each), level))

    def tradeoff(
        self, epsilons: Sequence[Number] | None = None, *, delta: Number = None, confidence: Number = "0.95"
    ) -> Tradeoff:
        """The error at several prices, as data and as a picture, whatever is stored. Free, and no row is read."""
        level, prices = confidence_of(confidence), prices_of(epsilons)
        foreseen = []
        for epsilon in prices:
            program = self._program(epsilon, delta, None, None, level)
            foreseen.append(_foreseen_columns(program.prepared, program.foresee(level), level))
        lines = tuple(line_of(columns[0].name, columns) for columns in zip(*foreseen, strict=True))
        return Tradeoff(prices, lines, level)

    def explain(self, epsilon: Number = None, *, delta: Number = None) -> str:
        """The question in plain words: what is measured, what one unit can do to it, with which noise."""
        from lapcat.story.explain import explain_question

        prepared = self._prepared()
        program = None if epsilon is None else self._program(epsilon, delta, None, None, Fraction(95, 100))
        return explain_question(prepared, program)

    # -------------------------------------------------------------------------------------------- asking

    def run(
        self,
        epsilon: Number = None,
        *,
        delta: Number = None,
        rho: Number = None,
        error: Number = None,
        confidence: Number = "0.95",
        simultaneous: bool = False,
        key: str | None = None,
    ) -> Answer:
        """Pays, looks, blurs. Asked again, the same answer comes back for free, and so does what follows from stored
        answers: without a price always, with one where it is at least as good. simultaneous: all intervals hold at once.
        key: what the client calls this request; tried again under it, it is the same request and never another one."""
        return self.answers(
            epsilon,
            delta=delta,
            rho=rho,
            error=error,
            confidence=confidence,
            simultaneous=simultaneous,
            key=key,
        )[0]

    def answers(
        self,
        epsilon: Number,
        *,
        delta: Number,
        rho: Number,
        error: Number,
        confidence: Number,
        simultaneous: bool,
        key: str | None,
    ) -> list[Answer]:
        """What `run` does, with every table in which the question is shown."""
        level = confidence_of(confidence)
        if self._names_no_price(epsilon, rho, error):
            return self._run_derived(self._without_a_price(), level, simultaneous)
        surely = None if error is None else level
        request = None if key is None else self._key(key, epsilon, delta, rho, error, surely)
        before = request and self._deployment.ledger.keyed(request, self._analyst)
        program = self._paid(before.event) if before else self._program(epsilon, delta, rho, error, level)
        return self.answers_of(program, level, error, simultaneous, request)

    def run_of(
        self,
        program: Program,
        level: Fraction,
        error: Number = None,
        simultaneous: bool = False,
        key: Key | None = None,
    ) -> Answer:
        """The answer to this question at a price that is found already; `error`, if it was found for one."""
        return self.answers_of(program, level, error, simultaneous, key)[0]

    def answers_of(
        self,
        program: Program,
        level: Fraction,
        error: Number = None,
        simultaneous: bool = False,
        key: Key | None = None,
    ) -> list[Answer]:
        """The same as the tables in which it is shown: several of them for questions that are asked together."""
        ledger = self._deployment.ledger
        engine = self._deployment.engine(scans_of(program.plan))
        wanted = {} if error is None else {"wanted": wanted_json(error, level)}
        request = replace(self._request(program, wanted), key=key)
        stored = ledger.find(request.question, program.event, self._analyst, request.charges)
        enough = None if stored is not None else _enough(self._derivations(), program, level)
        if enough is not None:
            return self._run_derived(enough, level, simultaneous)
        if stored is None or stored.answer is None:
            for plan in program.looks:
                engine.ready(plan)  # what cannot be opened or planned fails before anything is paid
        debit = ledger.debit(request)
        if debit.event != program.event:  # a better answer is stored, or was paid for and not finished
            program = self._paid(debit.event)
        released = door.release(
            program.looked,
            program.mechanisms,
            debit,
            choices=[door.Choosing(c.choice.plan, c.choice.width, c.mechanism) for c in program.chosen],
            threshold=program.threshold,
            ledger=ledger,
            engine=engine,
            coins=self._deployment.coins,
        )
        cells = released.cells
        if program.prepared.by_threshold is not None:
            assert released.units is not None
            cells = np.vstack([cells, released.units])
        many = program.cells if isinstance(program, Strategic) else cells.shape[1]
        together = at_once(program, level, many, independent=True) if simultaneous else None
        estimates = estimates_of(program, cells, level if together is None else together.each)
        unsafe = {} if released.cryptographic else {"UNSAFE": UNSAFE}
        receipt = receipt_of(Proved(*ledger.paid(debit.id)), unsafe, ledger.signer)
        ledger.released(debit.id)
        cost = PureDP(Fraction(0)) if debit.free else program.loss
        shown, budget = Receipt.of(receipt), self._deployment.budget(self._analyst)
        notes = (
            *noted(together, program.prepared),
            *self._block_notes(program.prepared),
            *extremes_in_words(program),
            *self._deployment.notes,
            *warnings_of(program),
            *notes_of_numbers(estimates),
        )
        return [
            Answer(table, level, cost, debit.free, shown, budget, notes, together)
            for table in self._tables_of(program.prepared, estimates, released.keys)
        ]

    def _run_derived(self, derived: Derived, level: Fraction, simultaneous: bool) -> list[Answer]:
        """The answer from stored ones. Whoever has not paid for them is charged before they are read."""
        ledger, tables = self._deployment.ledger, self._tables(derived.prepared)
        scopes = tuple(dict.fromkeys(map(self._deployment.scope, tables)))
        ledger.share(
            derived.entries, self._analyst, self._charges(derived.prepared), scopes, self._deployment.accepted
        )
        answers = stored_answers(derived.holdings, ledger.answer)
        together = None
        if simultaneous:
            keys = next(iter(answers.values())).keys
            together = _together(derived, level, None if keys is None else len(keys))
        estimates, keys = derived.estimates(answers, level if together is None else together.each)
        asked = derived.prepared.asked
        fields: dict[str, object] = {
            "question": self.sql,
            **self._sources(derived.prepared),
            "relation": str(scan_of(derived.prepared.plan).relation),
            "bounds": list(asked.notes),
            "lapcat": self._deployment.version,
        }
        if not all(answer.cryptographic for answer in answers.values()):
            fields["UNSAFE"] = UNSAFE
        sources = [
            (
                {"id": one.id, "hash": one.hash, "guarantee": loss_json(one.event.loss)},
                Proved(*ledger.paid(one.id)),
            )
            for one in derived.holdings
        ]
        receipt = Receipt.of(derived_receipt(fields, sources, ledger.signer))
        budget = self._deployment.budget(self._analyst)
        notes = (
            *noted(together, derived.prepared),
            *self._block_notes(derived.prepared),
            *self._deployment.notes,
        )
        free = PureDP(Fraction(0))
        return [
            Answer(table, level, free, True, receipt, budget, notes, together, derived.entries)
            for table in self._tables_of(derived.prepared, estimates, keys)
        ]

    # -------------------------------------------------------------------------------------------- inside

    def _key(self, name: str, *price: Number) -> Key:
        """A client's name for this question at this price; an error that is wanted is part of it, and so is how surely."""
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_KEY or not name.isprintable():
            raise BadArgument(
                "request-key",
                f"a key is a text of 1 to {LONGEST_KEY} printable characters, not {name!r:.60}",
                fix='key="monday-report-1"',
            )
        asked = [self._identity(self._prepared()), *(None if part is None else str(part) for part in price)]
        return Key(name, hashlib.sha256(canonical(asked).encode()).hexdigest())

    def _names_no_price(self, *prices: Number) -> bool:
        """Whether neither the call nor the question itself says what may be spent."""
        return all(price is None for price in prices) and self._prepared().asked.offer is None

    def _derivations(self) -> list[Derived]:
        """What stored answers give for this question, as far as whoever asks may have it."""
        prepared, ledger = self._prepared(), self._deployment.ledger
        if self._written is not None:
            return []  # what is stored is cells, not answers of a workload
        found = derivations(
            prepared,
            lambda statistics: ledger.holding(statistics, self._analyst),
            self._deployment.coins.cryptographic,
        )
        charges = self._charges(prepared)
        return [one for one in found if ledger.affordable(one.entries, self._analyst, charges)]

    def _without_a_price(self) -> Derived:
        ways = self._derivations()
        if not ways:
            raise _price_missing()
        return ways[0]

    def _charges(self, prepared: Prepared) -> tuple[Charge, ...]:
        return self._deployment.charges(self._tables(prepared), self._analyst, self._blocks(prepared))

    def _blocks(self, prepared: Prepared) -> dict[str, tuple[int | str, ...]]:
        """Of the tables in blocks, those that the question can read: by its plans, never by rows."""
        plans = (prepared.plan, *prepared.looks)
        return {
            table.name: blocks_read(plans, self._deployment.identity(table), table.blocks)
            for table in self._tables(prepared)
            if table.blocks is not None
        }

    def _block_notes(self, prepared: Prepared) -> Iterator[str]:
        """From which blocks it is paid."""
        for name, read in self._blocks(prepared).items():
            blocks = self._deployment.catalogue.tables[name].blocks
            assert blocks is not None
            if len(read) == len(blocks.values):
                yield f"it can read all {len(read)} blocks of {name}, and is paid from each"
                continue
            shown = ", ".join(map(str, read[:BLOCKS_SHOWN]))
            more = f" and {len(read) - BLOCKS_SHOWN} more" if len(read) > BLOCKS_SHOWN else ""
            yield f"it can read {name} only where {blocks.column} is {shown}{more}, and is paid from there"

    def _prepared(self) -> Prepared:
        """The plan for the versions that are declared now; understood again only when a new one is."""
        if self._latest is not None and all(map(self._deployment.current, scans_of(self._latest.plan))):
            return self._latest
        self._latest = prepare(self._asks())
        return self._latest

    def _tables(self, prepared: Prepared) -> list[Table]:
        """The private tables that the question reads."""
        names = dict.fromkeys(scan.table for scan in private_scans(prepared.plan))
        return [self._deployment.catalogue.tables[name] for name in names]

    def _paid(self, event: Event) -> Program:
        """The program of a stored debit of this question, with the noise that was paid for then."""
        return paid_program(self._prepared(), self._posed(), event)

    def _identity(self, prepared: Prepared) -> str:
        """What the question is known by in the ledger."""
        if self._written is None:
            return prepared.identity
        return identity_of((prepared.plan, self._written.terms))

    def _best(self, plain: Program, budget: PureDP | ZCDP | ApproxDP) -> Program:
        """The way of least expected error at a price."""
        workload = self._posed()
        if workload is None:
            return plain
        return best_of(plain, workload, budget, written=self._written is not None)

    def _posed(self) -> Posed | None:
        """The question as a workload, where it is one."""
        prepared = self._prepared()
        if self._workload is None or self._workload[0] is not prepared:
            written = self._written
            self._workload = prepared, posed(prepared) if written is None else asked_for(prepared, written)
        return self._workload[1]

    @property
    def prepared(self) -> Prepared:
        """What the question measures, of the versions that are declared now."""
        return self._prepared()

    def priced_at(self, epsilon: Fraction, delta: Fraction | None) -> Program:
        """The question at a part of a batch's limit."""
        plain = compile_program(self.prepared, epsilon, self._delta(self.prepared, delta))
        return self._allowed(self._best(plain, PureDP(epsilon)))

    def priced_in_rho(self, rho: Fraction) -> Program:
        """The question at so much rho, where the budget is one."""
        return self._program(None, None, rho, None, Fraction(95, 100))

    def priced_for(self, error: Number, level: Fraction, delta: Fraction | None) -> Program:
        """The question at the least epsilon that keeps an error."""
        allowed = self._delta(self.prepared, delta)
        return self._allowed(self._wanted(self.prepared, error, level, allowed, pure=True))

    def _program(
        self, epsilon: Number, delta: Number, rho: Number, error: Number, level: Fraction
    ) -> Program:
        offer = self._prepared().asked.offer
        if offer is not None:
            own_delta = delta is None and not self._prepared().plan.private_keys
            epsilon, delta = offer(epsilon, delta, rho is not None or error is not None)
            delta = None if own_delta else delta  # a question may say a delta that it does not need
        given = {
            name: value
            for name, value in (("epsilon", epsilon), ("rho", rho), ("error", error))
            if value is not None
        }
        if len(given) != 1:
            raise _price_missing()
        prepared = self._prepared()
        allowed = self._delta(prepared, delta, by_rho=rho is not None)
        if error is not None:
            return self._allowed(self._wanted(prepared, error, level, allowed))
        if rho is not None:
            price = self._rho(prepared, rho)
            if not self._in_rho(prepared):
                epsilon_of = sqrt_down(2 * price)
                plain = compile_program(prepared, epsilon_of, allowed)
                return self._allowed(self._best(plain, PureDP(epsilon_of)))
            return self._allowed(self._best(compile_rho(prepared, price), ZCDP(price)))
        price = positive("epsilon", epsilon)
        if allowed is not None and not (prepared.plan.private_keys or prepared.choices):
            pair = compile_pair(prepared, price, allowed)
            return self._allowed(self._best(pair, ApproxDP(price, allowed)))
        plain = compile_program(prepared, price, allowed)
        return self._allowed(self._best(plain, PureDP(price)))

    def _in_rho(self, prepared: Prepared) -> bool:
        """Whether a question may be priced in rho alone, with Gaussian noise: not where a budget is of epsilon, groups are
        private, or something is chosen. An event of Laplace noise can be stated in every kind."""
        charges = self._charges(prepared)
        return not (prepared.plan.private_keys or prepared.choices) and all(
            charge.limit.rho is not None for charge in charges
        )

    def _wanted(
        self,
        prepared: Prepared,
        error: Number,
        level: Fraction,
        delta: Fraction | None,
        *,
        pure: bool = False,
    ) -> Program:
        """The cheapest program that keeps a wanted error. A stored answer is served for it only where it keeps it too."""
        if self._written is not None and str(error).strip().endswith("%"):
            raise Refused(
                "error-relative",
                f"an error of {error} of a workload would be relative to each of its answers, which nobody knows yet",
                fix="an absolute error: error=500",
            )
        ledger = self._deployment.ledger
        charges = self._charges(prepared)
        identity = self._identity(prepared)
        before = ledger.find(identity, ANYTHING, self._analyst, charges)
        if (
            before is not None
            and not before.shared
            and before.memo.get("wanted") == wanted_json(error, level)
        ):
            return self._paid(
                before.event
            )  # what an error is relative to may be better known by now: it is not paid again
        goal = Goal.of(
            prepared,
            error,
            level,
            lambda: (
                ()
                if self._written is not None
                else known_of(
                    prepared,
                    self._asks,
                    level,
                    ledger,
                    self._analyst,
                    charges,
                    self._deployment.coins.cryptographic,
                )
            ),
        )
        in_rho = not pure and self._in_rho(prepared)
        program, at = goal.least(delta, in_rho=in_rho), None
        workload = self._posed()
        if workload is not None:
            at = partial(strategic_at, workload, prepared, in_rho)
            other = goal.least(delta, in_rho=in_rho, at=at)
            if self._written is not None or amounts_of(other.event)[0] < amounts_of(program.event)[0]:
                program = other
            else:
                at = None
        while (stored := ledger.find(identity, program.event, self._analyst, charges)) and not goal.met_by(
            self._paid(stored.event)
        ):
            program = goal.above(amounts_of(stored.event)[0], delta, in_rho=in_rho, at=at)
        return program

    def _delta(self, prepared: Prepared, given: Number, *, by_rho: bool = False) -> Fraction | None:
        """The delta that a question may spend. About private groups it needs one, which has no default; of others it may
        buy Gaussian noise, where every budget has a delta."""
        keys = prepared.plan.private_keys
        if not keys:
            if given is None:
                return None
            without = [
                charge.name
                for charge in self._charges(prepared)
                if charge.limit.rho is not None or not charge.limit.delta
            ]
            if without or by_rho:
                budget = (
                    f"the budget of {without[0]} has no epsilon with a delta" if without else "rho needs none"
                )
                raise BadArgument(
                    "delta-unused",
                    f"nothing in this question can use delta: {budget}",
                    why="delta buys Gaussian noise for a budget of epsilon and delta, or shows private groups",
                    fix="leave delta out",
                )
        if given is None:
            raise BadArgument(
                "delta-missing",
                f"the groups by {', '.join(key.name for key in keys)} are private, and need a delta",
                why="a group is shown where enough units are in it; delta bounds the chance to show somebody's own group",
                fix="delta=1e-7",
            )
        delta = exact(given)
        if not 0 < delta < 1:
            raise BadArgument(
                "delta-range",
                f"delta is a probability well below 1, and above 0, not {given}",
                fix="delta=1e-7",
            )
        if delta > LARGE_DELTA:
            self._require_understanding(
                prepared,
                f"delta {exact_text(delta)} for one question allows publishing one random row out of "
                f"{int(1 / delta)}: one person would be exposed",
                "delta=1e-7",
            )
        return delta

    def _rho(self, prepared: Prepared, given: Number) -> Fraction:
        for table in self._tables(prepared):
            if table.limit.rho is None:
                raise Refused(
                    "rho-against-epsilon",
                    f"{table.name} has a budget of epsilon, and rho does not convert into it",
                    why="rho bounds an average of the privacy loss, epsilon its worst case",
                    fix="epsilon=0.1",
                )
        return positive("rho", given)

    def _allowed(self, program: Program) -> Program:
        """V15: a question that protects nobody is refused unless the steward wrote down that they know."""
        epsilon = amounts_of(program.event)[0]
        if epsilon > LARGE_EPSILON:
            self._require_understanding(
                program.prepared,
                f"epsilon {exact_text(epsilon)} for one question: {odds_in_words(epsilon)}, which protects nobody",
                f"epsilon={exact_text(LARGE_EPSILON)} or less",
            )
        return program

    def _require_understanding(self, prepared: Prepared, danger: str, fix: str) -> None:
        for table in self._tables(prepared):
            if table.limit.i_understand is None:
                steward = f'the steward writes i_understand = "why" into the budget of {table.name}'
                raise Refused("protects-nobody", danger, fix=f"{fix}; or {steward}")

    def _request(self, program: Program, more: Mapping[str, object] = MappingProxyType({})) -> Request:
        tables = self._tables(program.prepared)
        charges = self._charges(program.prepared)
        memo: dict[str, object] = {
            "question": self.sql,
            **self._sources(program.prepared),
            "relation": str(scan_of(program.plan).relation),
            "guarantee": loss_json(program.loss),
            "measurements": program.event.as_json(),
            **({"strategy": program.name} if isinstance(program, Strategic) else {}),
            "bounds": list(program.prepared.asked.notes),
            **more,
            "engine": self._deployment.engine_name,
            "lapcat": self._deployment.version,
        }
        scopes = tuple(dict.fromkeys(map(self._deployment.scope, tables)))
        return Request(
            self._identity(program.prepared),
            program.event,
            charges,
            scopes,
            memo,
            self._analyst,
            content_held(program),
            accepted=self._deployment.accepted,
        )

    def _sources(self, prepared: Prepared) -> dict[str, object]:
        """What the receipt says of the tables that were read: of one in its own fields, of several in a list."""
        blocks = self._blocks(prepared)
        private = [
            {
                "table": scan.table,
                "source": scan.source,
                "version": scan.version,
                "unit": str(scan.unit),
                **({} if scan.unit.of is None else {"population": scan.unit.of}),
                "rows_per_unit": scan.rows_per_unit,
                **({"blocks": list(blocks[scan.table])} if scan.table in blocks else {}),
            }
            for scan in private_scans(prepared.plan)
        ]
        public = [
            {"table": scan.table, "source": scan.source, "version": scan.version}
            for scan in dict.fromkeys(scans_of(prepared.plan))
            if isinstance(scan, Public)
        ]
        said: dict[str, object] = dict(private[0]) if len(private) == 1 else {"tables": private}
        return {**said, "public": public} if public else said


LONGEST_KEY = 200
BLOCKS_SHOWN = 6
UNSAFE = "the noise came from seeded coins: for tests only, it protects nobody"


def _price_missing() -> BadArgument:
    return BadArgument(
        "price-missing",
        "a question is asked with exactly one of epsilon, rho and error",
        why="there is no default: how much privacy a question is worth is a decision; and it cannot be answered from "
        "what was released before",
        fix="epsilon=0.1",
    )


def _enough(ways: Sequence[Derived], program: Program, level: Fraction) -> Derived | None:
    """What is stored and at least as good as the answer at a price, where it costs whoever asks no more than that price."""
    for derived in ways:
        due = [cost_of(holding.event) for holding in derived.holdings if not holding.charged]
        if within(due, cost_of(program.event)) and derived.as_good_as(program, level):
            return derived
    return None


def least_left(tables: Sequence[str], left: Sequence[tuple[Charge, Amount]]) -> dict[str, Amount]:
    """What is left of each table's budget; of one in blocks, of the block with the least."""
    found: dict[str, Amount] = {}
    for name in tables:
        own = [amount for charge, amount in left if charge.table == name]
        if own:
            found[name] = min(own, key=lambda amount: (amount.epsilon or amount.rho or 0, amount.delta or 0))
    return found


def _foreseen_columns(
    prepared: Prepared, foreseen: Sequence[Foreseen], level: Fraction
) -> tuple[ForeseenColumn, ...]:
    return tuple(
        ForeseenColumn(column.name, one.margin, level, dict(one.assuming), one.variance)
        for column, one in zip(prepared.values, foreseen, strict=True)
    )


def _together(derived: Derived, level: Fraction, groups: int | None) -> AtOnce:
    """All numbers of a derived answer, with so many private groups shown (None: there are none, or it is not known)."""
    cells = derived.prepared.plan.cells * (1 if groups is None else groups)
    return at_once(derived.programs[0], level, cells, independent=derived.independent)


def positive(name: str, value: object) -> Fraction:
    number = exact(value)
    if number <= 0:
        raise BadArgument(
            f"{name}-range",
            f"{name} must be above zero, not {value}",
            why="zero would be an answer that ignores the data",
            fix=f"{name}=0.1",
        )
    return number


def confidence_of(value: object) -> Fraction:
    level = exact(value)
    if not Fraction(1, 2) <= level <= 1 - Fraction(1, 10**9):
        raise BadArgument(
            "confidence-range", f"confidence lies between 0.5 and 1, not {value}", fix="confidence=0.95"
        )
    return level
