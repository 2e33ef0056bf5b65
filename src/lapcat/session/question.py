"""A question: previewed for free, paid for once, answered with error bars."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from lapcat.core import door
from lapcat.core.exact import exact, exact_text, sqrt_down
from lapcat.core.loss import PureDP
from lapcat.errors import BadArgument, Refused
from lapcat.frontend.catalogue import LARGE_EPSILON, odds_in_words
from lapcat.ledger.base import Request
from lapcat.plan.compile import Asked, Prepared, Program, compile_program, prepare
from lapcat.plan.nodes import scan_of
from lapcat.plan.wanted import least_epsilon
from lapcat.session.deployment import Deployment
from lapcat.session.results import Answer, ForeseenColumn, Preview, Receipt, SensitivityReport

Number = object
"""What core.exact reads: int, Decimal, Fraction, "0.1", or a float by its shortest repr."""


class Question:
    """One question to one deployment. Made by `db.sql(...)`; it holds no data."""

    def __init__(
        self, deployment: Deployment, analyst: str | None, text: str, asks: Callable[[], Asked]
    ) -> None:
        self._deployment, self._analyst, self._asks = deployment, analyst, asks
        self.sql = text
        self._latest: Prepared | None = None
        self._prepared()  # a bad question fails here, where it was written

    def __repr__(self) -> str:
        return f"<question {self.sql!r}; .preview(epsilon=…) shows its price, .run(epsilon=…) asks it>"

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
    ) -> Preview:
        """Price and error. Free, and no row is read."""
        level = _confidence(confidence)
        program = self._program(epsilon, delta, rho, error, level)
        request = self._request(program)
        stored = self._deployment.ledger.find(
            request.question, program.loss.epsilon, self._analyst, request.charges
        )
        if stored is not None:
            program = self._at(stored.event.loss.epsilon)  # type: ignore[union-attr]
        columns = tuple(
            ForeseenColumn(column.name, foreseen.margin, level, dict(foreseen.assuming), foreseen.variance)
            for column, foreseen in zip(program.prepared.values, program.foresee(level), strict=True)
        )
        table = self._deployment.catalogue.tables[scan_of(program.plan).table]
        free = stored is not None
        cost = PureDP(Fraction(0)) if free else program.loss
        own_cost = program.loss if stored is None or stored.shared else PureDP(Fraction(0))
        left = {
            charge.scope: self._deployment.left_after(charge, own_cost if charge.analyst else cost)
            for charge in request.charges
        }
        notes = program.prepared.asked.notes
        if any((amount.rho if amount.epsilon is None else amount.epsilon) < 0 for amount in left.values()):  # type: ignore[operator]
            notes = ("this is more than is left: it would be refused", *notes)
        own = next((left[charge.scope] for charge in request.charges if charge.analyst), None)
        return Preview(
            cost,
            columns,
            {table.name: left[request.charges[0].scope]},
            own,
            free,
            program.plan.cells,
            notes,
            tuple(_noise_in_words(program)),
        )

    def explain(self, epsilon: Number = None) -> str:
        """The question in plain words: what is measured, what one unit can do to it, with which noise."""
        from lapcat.story.explain import explain_question

        prepared = self._prepared()
        program = None if epsilon is None else self._program(epsilon, None, None, None, Fraction(95, 100))
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
    ) -> Answer:
        """Pays, looks, blurs. Asked again, the same answer comes back for free."""
        level = _confidence(confidence)
        program = self._program(epsilon, delta, rho, error, level)
        scan, ledger = scan_of(program.plan), self._deployment.ledger
        engine = self._deployment.engine(scan)
        request = self._request(program)
        stored = ledger.find(request.question, program.loss.epsilon, self._analyst, request.charges)
        if stored is None or stored.answer is None:
            engine.ready(program.plan)  # what cannot be opened or planned fails before anything is paid
        debit = ledger.debit(request)
        if debit.event != program.event:  # a better answer is stored, or was paid for and not finished
            program = self._at(debit.event.loss.epsilon)  # type: ignore[union-attr]
        released = door.release(
            program.plan,
            [measurement.mechanism for measurement in program.measurements],
            debit,
            ledger=ledger,
            engine=engine,
            coins=self._deployment.coins,
        )
        prepared = program.prepared
        index = {statistic: row for row, statistic in enumerate(program.plan.statistics)}
        estimates = tuple(
            column.aggregate.finish(
                column.argument,
                [released.cells[index[reading.statistic]] for reading in readings],
                program.noise(readings),
                level,
            )
            for column, readings in zip(prepared.values, prepared.readings, strict=True)
        )
        fields = dict(debit.memo)
        if not released.cryptographic:
            fields["UNSAFE"] = "the noise came from seeded coins: for tests only, it protects nobody"
        return Answer(
            prepared.plan.keys,
            prepared.asked.columns,
            estimates,
            level,
            PureDP(Fraction(0)) if debit.free else program.loss,
            debit.free,
            Receipt(debit.id, debit.hash, fields),
            self._deployment.budget(self._analyst),
            (*prepared.asked.notes, *self._deployment.notes, *_large(program)),
        )

    # -------------------------------------------------------------------------------------------- inside

    def _prepared(self) -> Prepared:
        """The plan for the version that is declared now; understood again only when a new one is."""
        if self._latest is not None:
            scan = scan_of(self._latest.plan)
            if self._deployment.scan(self._deployment.catalogue.tables[scan.table]) == scan:
                return self._latest
        self._latest = prepare(self._asks())
        return self._latest

    def _at(self, epsilon: Fraction) -> Program:
        return compile_program(self._prepared(), epsilon)

    def _program(
        self, epsilon: Number, delta: Number, rho: Number, error: Number, level: Fraction
    ) -> Program:
        given = {
            name: value
            for name, value in (("epsilon", epsilon), ("rho", rho), ("error", error))
            if value is not None
        }
        if len(given) != 1:
            raise BadArgument(
                "price-missing",
                "a question is asked with exactly one of epsilon, rho and error",
                why="there is no default: how much privacy a question is worth is a decision",
                fix="epsilon=0.1",
            )
        if delta is not None:
            raise BadArgument(
                "delta-unused",
                "nothing in this question can use delta: its noise is Laplace's",
                fix="leave delta out",
            )
        prepared = self._prepared()
        table = self._deployment.catalogue.tables[scan_of(prepared.plan).table]
        if error is not None:
            return self._allowed(compile_program(prepared, least_epsilon(prepared, error, level)))
        if rho is not None:
            if table.limit.rho is None:
                raise Refused(
                    "rho-against-epsilon",
                    f"{table.name} has a budget of epsilon, and rho does not convert into it",
                    why="rho bounds an average of the privacy loss, epsilon its worst case",
                    fix="epsilon=0.1",
                )
            return self._allowed(compile_program(prepared, sqrt_down(2 * _positive("rho", rho))))
        return self._allowed(compile_program(prepared, _positive("epsilon", epsilon)))

    def _allowed(self, program: Program) -> Program:
        """V15: a question that protects nobody is refused unless the steward wrote down that they know."""
        table = self._deployment.catalogue.tables[scan_of(program.plan).table]
        epsilon = program.loss.epsilon
        if epsilon > LARGE_EPSILON and table.limit.i_understand is None:
            raise Refused(
                "protects-nobody",
                f"epsilon {exact_text(epsilon)} for one question: {odds_in_words(epsilon)}, which protects nobody",
                fix=f'epsilon={exact_text(LARGE_EPSILON)} or less; or the steward writes i_understand = "why" into the budget of {table.name}',
            )
        return program

    def _request(self, program: Program) -> Request:
        scan = scan_of(program.plan)
        table = self._deployment.catalogue.tables[scan.table]
        charges = self._deployment.charges(table, self._analyst)
        memo: dict[str, object] = {
            "question": self.sql,
            "table": table.name,
            "source": scan.source,
            "version": scan.version,
            "unit": str(scan.unit),
            "relation": str(scan.relation),
            "rows_per_unit": table.rows_per_unit,
            "guarantee": {"epsilon": exact_text(program.loss.epsilon)},
            "measurements": program.event.as_json(),
            "bounds": list(program.prepared.asked.notes),
            "engine": self._deployment.engine_name,
            "lapcat": self._deployment.version,
        }
        return Request(
            program.prepared.identity, program.event, charges, (charges[0].scope,), memo, self._analyst
        )


def _positive(name: str, value: object) -> Fraction:
    number = exact(value)
    if number <= 0:
        raise BadArgument(
            f"{name}-range",
            f"{name} must be above zero, not {value}",
            why="zero would be an answer that ignores the data",
            fix=f"{name}=0.1",
        )
    return number


def _confidence(value: object) -> Fraction:
    level = exact(value)
    if not Fraction(1, 2) <= level <= 1 - Fraction(1, 10**9):
        raise BadArgument(
            "confidence-range", f"confidence lies between 0.5 and 1, not {value}", fix="confidence=0.95"
        )
    return level


def _noise_in_words(program: Program) -> list[str]:
    lines = []
    for measurement, label in zip(program.measurements, program.prepared.labels, strict=True):
        event = measurement.event.as_json()
        if event["event"] == "exact":
            lines.append(f"{label.label}: public, no noise")
        else:
            scale = float(exact(event["scale"]) * label.step)
            lines.append(f"{label.label}: discrete Laplace noise of scale {scale:.6g}")
    return lines


def _large(program: Program) -> tuple[str, ...]:
    epsilon = program.loss.epsilon
    if epsilon <= LARGE_EPSILON:
        return ()
    return (f"epsilon {exact_text(epsilon)}: {odds_in_words(epsilon)}, which protects nobody",)
