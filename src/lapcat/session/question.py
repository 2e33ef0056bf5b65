"""A question: previewed for free, paid for once, answered with error bars."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from lapcat.core import door
from lapcat.core.event import Event, KeyedRelease
from lapcat.core.exact import exact, exact_text, sqrt_down
from lapcat.core.loss import ApproxDP, PureDP
from lapcat.errors import BadArgument, Refused
from lapcat.frontend.catalogue import LARGE_DELTA, LARGE_EPSILON, odds_in_words
from lapcat.ledger.base import Request, loss_of
from lapcat.plan.compile import Asked, Prepared, Program, compile_program, prepare
from lapcat.plan.nodes import Public, private_scans, scan_of, scans_of
from lapcat.plan.released import tabulate
from lapcat.plan.released.computed import estimates_of
from lapcat.plan.schema import Table
from lapcat.plan.wanted import least_epsilon
from lapcat.session.deployment import Deployment
from lapcat.session.results import (
    Answer,
    ForeseenColumn,
    Preview,
    Receipt,
    SensitivityReport,
    is_overdrawn,
    loss_json,
)

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
        stored = self._deployment.ledger.find(request.question, program.event, self._analyst, request.charges)
        if stored is not None:
            program = self._paid(stored.event)
        columns = tuple(
            ForeseenColumn(column.name, foreseen.margin, level, dict(foreseen.assuming), foreseen.variance)
            for column, foreseen in zip(program.prepared.values, program.foresee(level), strict=True)
        )
        free = stored is not None
        cost = PureDP(Fraction(0)) if free else program.loss
        charged = None if free else program.event
        own_charged = program.event if stored is None or stored.shared else None
        left = [
            (charge, self._deployment.left_after(charge, own_charged if charge.analyst else charged))
            for charge in request.charges
        ]
        notes = program.prepared.asked.notes
        short = [charge.name for charge, amount in left if is_overdrawn(amount)]
        if short:
            notes = (f"this is more than is left of {', '.join(short)}: it would be refused", *notes)
        names = [table.name for table in self._tables(program.prepared)]
        own = [amount for charge, amount in left if charge.analyst]
        return Preview(
            cost,
            columns,
            dict(zip(names, (amount for _, amount in left), strict=False)),
            dict(zip(names, own, strict=True)) if own else None,
            free,
            program.plan.cells,
            notes,
            tuple(_noise_in_words(program)),
            {
                charge.scope.removeprefix("population:"): amount
                for charge, amount in left
                if charge.scope.startswith("population:")
            },
        )

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
    ) -> Answer:
        """Pays, looks, blurs. Asked again, the same answer comes back for free."""
        level = _confidence(confidence)
        program = self._program(epsilon, delta, rho, error, level)
        ledger = self._deployment.ledger
        engine = self._deployment.engine(scans_of(program.plan))
        request = self._request(program)
        stored = ledger.find(request.question, program.event, self._analyst, request.charges)
        if stored is None or stored.answer is None:
            engine.ready(program.plan)  # what cannot be opened or planned fails before anything is paid
        debit = ledger.debit(request)
        if debit.event != program.event:  # a better answer is stored, or was paid for and not finished
            program = self._paid(debit.event)
        released = door.release(
            program.plan,
            [measurement.mechanism for measurement in program.measurements],
            debit,
            threshold=program.threshold,
            ledger=ledger,
            engine=engine,
            coins=self._deployment.coins,
        )
        asked = program.prepared.asked
        cells = released.cells
        if program.prepared.by_threshold is not None:
            assert released.units is not None
            cells = np.vstack([cells, released.units])
        estimates = estimates_of(program, cells, level)
        fields = dict(debit.memo)
        if not released.cryptographic:
            fields["UNSAFE"] = "the noise came from seeded coins: for tests only, it protects nobody"
        return Answer(
            tabulate(program.plan, asked.columns, estimates, released.keys, asked.after),
            level,
            PureDP(Fraction(0)) if debit.free else program.loss,
            debit.free,
            Receipt(debit.id, debit.hash, fields),
            self._deployment.budget(self._analyst),
            (*asked.notes, *self._deployment.notes, *_large(program)),
        )

    # -------------------------------------------------------------------------------------------- inside

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
        """The program of a stored debit of this question."""
        loss = loss_of(event)
        return compile_program(
            self._prepared(), loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else None
        )

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
            raise BadArgument(
                "price-missing",
                "a question is asked with exactly one of epsilon, rho and error",
                why="there is no default: how much privacy a question is worth is a decision",
                fix="epsilon=0.1",
            )
        prepared = self._prepared()
        allowed = self._delta(prepared, delta)
        if error is not None:
            price = least_epsilon(prepared, error, level, allowed)
        elif rho is not None:
            price = sqrt_down(2 * self._rho(prepared, rho))
        else:
            price = _positive("epsilon", epsilon)
        return self._allowed(compile_program(prepared, price, allowed))

    def _delta(self, prepared: Prepared, given: Number) -> Fraction | None:
        """The delta of a question about private groups, which has no default; every other question has none."""
        keys = prepared.plan.private_keys
        if not keys:
            if given is None:
                return None
            raise BadArgument(
                "delta-unused",
                "nothing in this question can use delta: its noise is Laplace's",
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
        return _positive("rho", given)

    def _allowed(self, program: Program) -> Program:
        """V15: a question that protects nobody is refused unless the steward wrote down that they know."""
        epsilon = program.loss.epsilon
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

    def _request(self, program: Program) -> Request:
        tables = self._tables(program.prepared)
        charges = self._deployment.charges(tables, self._analyst)
        memo: dict[str, object] = {
            "question": self.sql,
            **self._sources(program),
            "relation": str(scan_of(program.plan).relation),
            "guarantee": loss_json(program.loss),
            "measurements": program.event.as_json(),
            "bounds": list(program.prepared.asked.notes),
            "engine": self._deployment.engine_name,
            "lapcat": self._deployment.version,
        }
        scopes = tuple(dict.fromkeys(self._deployment.charge(table).scope for table in tables))
        return Request(program.prepared.identity, program.event, charges, scopes, memo, self._analyst)

    def _sources(self, program: Program) -> dict[str, object]:
        """What the receipt says of the tables that were read: of one in its own fields, of several in a list."""
        private = [
            {
                "table": scan.table,
                "source": scan.source,
                "version": scan.version,
                "unit": str(scan.unit),
                **({} if scan.unit.of is None else {"population": scan.unit.of}),
                "rows_per_unit": scan.rows_per_unit,
            }
            for scan in private_scans(program.plan)
        ]
        public = [
            {"table": scan.table, "source": scan.source, "version": scan.version}
            for scan in dict.fromkeys(scans_of(program.plan))
            if isinstance(scan, Public)
        ]
        said: dict[str, object] = dict(private[0]) if len(private) == 1 else {"tables": private}
        return {**said, "public": public} if public else said


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
    lines = threshold_in_words(program)
    for measurement, label in zip(program.measurements, program.prepared.labels, strict=True):
        event = measurement.event.as_json()
        if event["event"] == "exact":
            lines.append(f"{label.label}: public, no noise")
        else:
            scale = float(exact(event["scale"]) * label.step)
            lines.append(f"{label.label}: discrete Laplace noise of scale {scale:.6g}")
    return lines


def threshold_in_words(program: Program) -> list[str]:
    """Which private groups are shown; nothing where all groups are public."""
    if not isinstance(program.event, KeyedRelease):
        return []
    shown = program.event.threshold
    return [
        f"groups by {shown.label} are shown where the number of their units, with discrete Laplace noise of scale "
        f"{float(shown.scale):.6g}, reaches {shown.tau}"
    ]


def _large(program: Program) -> tuple[str, ...]:
    epsilon = program.loss.epsilon
    if epsilon <= LARGE_EPSILON:
        return ()
    return (f"epsilon {exact_text(epsilon)}: {odds_in_words(epsilon)}, which protects nobody",)
