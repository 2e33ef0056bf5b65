"""A question: previewed for free, charged once, answered with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from lapcat.core import release as gate
from lapcat.core.answers import NoisyResult
from lapcat.core.loss import PureDP
from lapcat.engines.attempts import Attempts
from lapcat.ledger.base import Charge, Debit, IdempotencyKey
from lapcat.ledger.receipts import UNSAFE, Proved, receipt_of
from lapcat.plan.compile import Prepared, Program, Query
from lapcat.plan.error_target import error_target_json
from lapcat.plan.limits import WorkLimits
from lapcat.plan.nodes import scan_of, scans_of
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.simultaneous import simultaneous_intervals
from lapcat.session.answers_from_cache import (
    answers_from_cache,
    best_from_cache,
    enough_of,
    methods_from_cache,
    offered_of,
    preview_from_cache,
)
from lapcat.session.deadlines import seconds_for
from lapcat.session.debit_request import key_of, request_of
from lapcat.session.deployment import Deployment
from lapcat.session.describe_noise import (
    extremes_in_words,
    noted,
    notes_of_numbers,
    statistics_in_words,
    warnings_of,
)
from lapcat.session.floor import floor_notes, is_below_floor, require_floor
from lapcat.session.previews import (
    foreseen_columns,
    free_note,
    least_left,
    left_of_populations,
    suppositions,
    threshold_of,
)
from lapcat.session.pricing import Number, confidence_of, priced_at, priced_for, program_at
from lapcat.session.query_context import QueryContext, Tables, whole_table
from lapcat.session.results import (
    Amount,
    Answer,
    AnswerMethod,
    Preview,
    Receipt,
    SensitivityReport,
    is_overdrawn,
)
from lapcat.session.strategies import ways_of
from lapcat.session.tradeoff import Tradeoff, prices_of, tradeoff_line_of
from lapcat.workload.workload import Workload


class Question:
    """One question to one deployment. Made by `db.sql(...)`; it holds no data."""

    def __init__(
        self,
        deployment: Deployment,
        analyst: str | None,
        text: str,
        asks: Callable[[], Query],
        tables: Tables = whole_table,
        workload: Workload | None = None,
    ) -> None:
        self._deployment, self._analyst, self.sql = deployment, analyst, text
        self._context = QueryContext(deployment, analyst, text, asks, tables, workload)
        self._prepared()  # an invalid question fails here, where it was written

    def __repr__(self) -> str:
        return f"<question {self.sql!r}; .preview(epsilon=…) shows its price, .run(epsilon=…) asks it>"

    def _repr_html_(self) -> str:
        from lapcat.render.notebook import question_html

        return question_html(self)

    def asked(self) -> Query:
        """The query for the declared versions."""
        return self._context.asks()

    def beside(
        self, text: str, asks: Callable[[], Query], tables: Tables, workload: Workload | None = None
    ) -> Question:
        """Another question of the same analyst to the same deployment."""
        return Question(self._deployment, self._analyst, text, asks, tables, workload)

    # -------------------------------------------------------------------------------------------- before the debit

    def sensitivity(self) -> SensitivityReport:
        """The sensitivity of the exact answer to one unit. Free; a property of the question, not of the data."""
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
        """Price and error. Free, and no row is read. Without a price: the answer from cache."""
        level = confidence_of(confidence)
        if self._names_no_price(epsilon, rho, error):
            return preview_from_cache(self._context, best_from_cache(self._context), level, simultaneous)
        program = self._program(epsilon, delta, rho, error, level)
        return self.preview_of(program, level, simultaneous, error)

    def preview_of(
        self, program: Program, level: Fraction, simultaneous: bool = False, error: Number = None
    ) -> Preview:
        """The preview of this question for a given program; `error`: the target it was priced for, if any."""
        asked, stored, derived = program, self._stored(program), None
        if stored is not None:
            program = self._context.paid(stored.event)
        else:
            ways = methods_from_cache(self._context)
            enough = enough_of(ways, program, level)
            if enough is not None:
                return preview_from_cache(self._context, enough, level, simultaneous)
            require_floor(self._context, program)
            derived = ways[0] if ways else None
        together = (
            simultaneous_intervals(program, level, program.cells, independent=True) if simultaneous else None
        )
        each = level if together is None else together.each
        columns = foreseen_columns(program.prepared, program.foresee(each), level)
        free = stored is not None
        cost = PureDP(Fraction(0)) if free else program.loss
        charged = self.left_by(asked)
        left = [(charge, after) for charge, _, after in charged]
        notes = (
            *floor_notes(self._context, program, error),
            *([free_note(charged)] if free else []),
            *suppositions(columns),
            *noted(together, program.prepared, before=True),
            *self._context.block_notes(program.prepared),
        )
        short = [charge.called for charge, amount in left if is_overdrawn(amount)]
        if short:
            notes = (f"this is more than is left of {', '.join(short)}: it would be refused", *notes)
        names = [table.name for table in self._context.tables(program.prepared)]
        return Preview(
            cost,
            columns,
            least_left(names, [pair for pair in left if not pair[0].analyst]),
            least_left(names, [pair for pair in left if pair[0].analyst]) or None,
            free,
            program.cells,
            notes,
            tuple(statistics_in_words(program)),
            left_of_populations(left),
            None if derived is None else offered_of(derived, level, simultaneous),
            self._ways(program),
            threshold_of(program, level),
        )

    def _ways(self, program: Program) -> tuple[AnswerMethod, ...]:
        """The error of each method at the price of the program."""
        workload = self._context.workload_query()
        return (
            () if workload is None else ways_of(program, workload, written=self._context.written is not None)
        )

    def left_by(self, program: Program) -> list[tuple[Charge, Amount, Amount]]:
        """For each budget that the program debits, the amounts left before and after."""
        stored = self._stored(program)
        own = program.event if stored is None else None
        if stored is not None and stored.shared:  # a stored answer costs the analyst its own price
            own = self._context.paid(stored.event).event
        charged = program.event if stored is None else None
        left_after = self._deployment.left_after
        return [
            (charge, left_after(charge, None), left_after(charge, own if charge.analyst else charged))
            for charge in self._context.charges(program.prepared)
        ]

    @property
    def limits(self) -> WorkLimits:
        """The deployment's limits on questions."""
        return self._deployment.catalogue.limits

    def is_below_floor(self, program: Program, level: Fraction) -> bool:
        """Whether the question would be refused for a price that is too low; cached answers are exempt."""
        if not is_below_floor(self._context, program):
            return False
        stored = self._stored(program)
        return stored is None and enough_of(methods_from_cache(self._context), program, level) is None

    def require_ready(self, program: Program, timeout: int | None = None) -> None:
        """Raises whatever would make the question fail, before anything is charged."""
        self._seconds(program, timeout)
        if program.public_values is not None:
            return
        engine = self._deployment.engine(scans_of(program.plan))
        for plan in program.executed_plans:
            engine.ready(plan)

    def tradeoff(
        self, epsilons: Sequence[Number] | None = None, *, delta: Number = None, confidence: Number = "0.95"
    ) -> Tradeoff:
        """The error at several prices, as data and as a chart, ignoring the cache. Free, and no row is read."""
        level, prices = confidence_of(confidence), prices_of(epsilons)
        foreseen = []
        for epsilon in prices:
            program = self._program(epsilon, delta, None, None, level)
            foreseen.append(foreseen_columns(program.prepared, program.foresee(level), level))
        lines = tuple(tradeoff_line_of(columns[0].name, columns) for columns in zip(*foreseen, strict=True))
        return Tradeoff(prices, lines, level)

    def explain(self, epsilon: Number = None, *, delta: Number = None) -> str:
        """An explanation in words: the measurements, their sensitivity and the noise."""
        from lapcat.render.explain import explain_question

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
        timeout: int | None = None,
    ) -> Answer:
        """Debits, executes, adds noise. A repeated question returns the same answer for free; so does an answer from cache:
        always without a price, and with a price if it is at least as good. simultaneous: all intervals hold at once.
        key: an idempotency key; a retry under the same key is never a second request.
        timeout: seconds, more than the default and up to the table's maximum."""
        return self.answers(
            epsilon,
            delta=delta,
            rho=rho,
            error=error,
            confidence=confidence,
            simultaneous=simultaneous,
            key=key,
            timeout=timeout,
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
        timeout: int | None,
    ) -> list[Answer]:
        """Like `run`, but with all tables of the answer."""
        level = confidence_of(confidence)
        if self._names_no_price(epsilon, rho, error):
            return answers_from_cache(self._context, best_from_cache(self._context), level, simultaneous)
        surely = None if error is None else level
        request = None if key is None else key_of(self._context, key, epsilon, delta, rho, error, surely)
        before = request and self._deployment.ledger.keyed(request, self._analyst)
        program = (
            self._context.paid(before.event) if before else self._program(epsilon, delta, rho, error, level)
        )
        return self.answers_of(program, level, error, simultaneous, request, timeout)

    def run_of(
        self,
        program: Program,
        level: Fraction,
        error: Number = None,
        simultaneous: bool = False,
        key: IdempotencyKey | None = None,
        timeout: int | None = None,
    ) -> Answer:
        """The answer to this question for a given program; `error`: the target it was priced for, if any."""
        return self.answers_of(program, level, error, simultaneous, key, timeout)[0]

    def answers_of(
        self,
        program: Program,
        level: Fraction,
        error: Number = None,
        simultaneous: bool = False,
        key: IdempotencyKey | None = None,
        timeout: int | None = None,
    ) -> list[Answer]:
        """The same with all tables of the answer: one per question of a merged query."""
        ledger, seconds = self._deployment.ledger, self._seconds(program, timeout)
        wanted = {} if error is None else {"wanted": error_target_json(error, level)}
        request = replace(request_of(self._context, program, wanted), key=key)
        stored = ledger.find(request.question, program.event, self._analyst, request.charges)
        enough = None if stored is not None else enough_of(methods_from_cache(self._context), program, level)
        if enough is not None:
            return answers_from_cache(self._context, enough, level, simultaneous)
        if stored is None:
            require_floor(self._context, program)
        engine = None
        if program.public_values is None:
            engine = self._deployment.engine(scans_of(program.plan))
            if stored is None or stored.answer is None:
                for plan in program.executed_plans:
                    engine.ready(plan)  # what cannot be opened or planned fails before anything is charged
        debit = ledger.debit(request)
        if debit.event != program.event:  # a better answer is stored, or debited and unfinished
            program = self._context.paid(debit.event)
        released = self._released(program, debit, None if engine is None else Attempts(engine, seconds))
        cells = released.cells
        if program.prepared.by_threshold is not None:
            assert released.units is not None
            cells = np.vstack([cells, released.units])
        many = program.source.cells(cells.shape[1])
        together = simultaneous_intervals(program, level, many, independent=True) if simultaneous else None
        estimates = estimates_of(program, cells, level if together is None else together.each)
        unsafe = {} if released.cryptographic else {"UNSAFE": UNSAFE}
        receipt = receipt_of(Proved(*ledger.paid(debit.id)), unsafe, ledger.signer)
        ledger.released(debit.id)
        cost = PureDP(Fraction(0)) if debit.free else program.loss
        shown, budget = Receipt.of(receipt), self._deployment.budget(self._analyst)
        notes = (
            *floor_notes(self._context, program, error),
            *noted(together, program.prepared),
            *self._context.block_notes(program.prepared),
            *extremes_in_words(program),
            *self._deployment.notes,
            *warnings_of(program),
            *notes_of_numbers(estimates),
        )
        return [
            Answer(table, level, cost, debit.free, shown, budget, notes, together)
            for table in self._context.shown_as(program.prepared, estimates, released.keys)
        ]

    # -------------------------------------------------------------------------------------------- inside

    def _seconds(self, program: Program, timeout: int | None) -> int:
        """The timeout of its executions."""
        tables = self._context.tables(program.prepared)
        return seconds_for(self._deployment.catalogue, tables, timeout)

    def _released(self, program: Program, debit: Debit, engine: Attempts | None) -> NoisyResult:
        """The result released under a debit. Public numbers follow from the plan, without an engine."""
        ledger, coins, values = self._deployment.ledger, self._deployment.coins, program.public_values
        if engine is None or values is not None:
            assert values is not None, "the same question has the same numbers at every price"
            constants = np.array(values, np.int64).reshape(-1, 1)
            cells = np.repeat(constants, program.plan.cells, axis=1)
            return gate.release_public(cells, debit, ledger=ledger, coins=coins)
        return gate.release(
            program.executed_plan,
            program.mechanisms,
            debit,
            choices=[gate.SelectionStep(c.choice.plan, c.choice.width, c.mechanism) for c in program.chosen],
            threshold=program.threshold,
            ledger=ledger,
            engine=engine,
            coins=coins,
            analyst=self._analyst,
        )

    def _names_no_price(self, *prices: Number) -> bool:
        """Whether neither the call nor the question itself names a price."""
        return all(price is None for price in prices) and self._prepared().asked.offer is None

    def _prepared(self) -> Prepared:
        return self._context.prepared()

    @property
    def prepared(self) -> Prepared:
        """The plan for the declared versions."""
        return self._prepared()

    def priced_at(self, epsilon: Fraction, delta: Fraction | None) -> Program:
        """The program at a share of a batch's limit."""
        return priced_at(self._context, epsilon, delta)

    def priced_in_rho(self, rho: Fraction) -> Program:
        """The program at a given rho, for a budget in rho."""
        return self._program(None, None, rho, None, Fraction(95, 100))

    def priced_for(self, error: Number, level: Fraction, delta: Fraction | None) -> Program:
        """The program at the least epsilon that meets an error target."""
        return priced_for(self._context, error, level, delta)

    def _program(
        self, epsilon: Number, delta: Number, rho: Number, error: Number, level: Fraction
    ) -> Program:
        return program_at(self._context, epsilon, delta, rho, error, level)

    def _stored(self, program: Program) -> Debit | None:
        """The stored debit that answers the question at the program's price, if any. Its engine is not needed for this."""
        question, charges = (
            self._context.identity(program.prepared),
            self._context.charges(program.prepared),
        )
        return self._deployment.ledger.find(question, program.event, self._analyst, charges)
