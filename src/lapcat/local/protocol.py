"""A protocol: a question, the domain of its answers, their randomiser, and the estimator for the reports.

Its JSON is the header of every file of reports. The parameters are recomputed from epsilon and compared: a file whose
parameters this version would not use is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from lapcat.core.coins import CoinSource, system_coins
from lapcat.core.event import Event
from lapcat.core.exact import exact, exact_text
from lapcat.errors import BadArgument
from lapcat.local.base import Columns, Counts, Integers, counted
from lapcat.local.domain import Domain, Numbers, Texts, Values, domain_from_json, domain_of
from lapcat.local.duchi import Duchi
from lapcat.local.hadamard import Hadamard
from lapcat.local.hashing import Hashing
from lapcat.local.hybrid import Hybrid
from lapcat.local.laplace import Laplace
from lapcat.local.means import MeanEstimate, estimate_mean, worst_variance
from lapcat.local.permanent import ONE_SYMBOL, Permanent, best_hashing
from lapcat.local.piecewise import Piecewise
from lapcat.local.prefixes import Found, Prefixes, find
from lapcat.local.response import Response
from lapcat.local.shares import Shares, estimate_shares, rare_variance
from lapcat.local.unary import Unary
from lapcat.version import __version__

FORMAT = 1
"""Version of the report format: under one number, a protocol's name, parameters and columns never change meaning."""

ForValues = Response | Unary | Hashing | Hadamard | Permanent
ForNumbers = Duchi | Piecewise | Hybrid | Laplace | Permanent
FOR_VALUES: tuple[type[Response | Unary | Hashing | Hadamard], ...] = (Response, Unary, Hashing, Hadamard)
FOR_NUMBERS: tuple[type[Duchi | Piecewise | Hybrid | Laplace], ...] = (Duchi, Piecewise, Hybrid, Laplace)
SHARES, MEANS = (*FOR_VALUES, Permanent), (*FOR_NUMBERS, Permanent)
Kind = (
    type[Response | Unary | Hashing | Hadamard] | type[Duchi | Piecewise | Hybrid | Laplace] | type[Prefixes]
)
Drawn = ForValues | ForNumbers | Prefixes
LONGEST_WAVE = 200  # characters of its name
NAMES = tuple(kind.name for kind in (*FOR_VALUES, *FOR_NUMBERS, Prefixes))


Estimate = Shares | MeanEstimate | tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A question, its domain and its randomiser; with the name of the wave, if the question is repeated."""

    question: str
    domain: Domain
    randomiser: Drawn
    wave: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.domain, Values | Numbers | Texts):
            raise BadArgument(
                "local-protocol", "a domain must be Values, Numbers or Texts", fix='Values(("yes", "no"))'
            )
        drawn = self.randomiser.kept if isinstance(self.randomiser, Permanent) else self.randomiser
        if not isinstance(drawn, fitting(self.domain)) or drawn.inputs != self.domain.size:
            raise _unfit(getattr(self.randomiser, "name", type(self.randomiser).__name__), self.domain)
        if self.wave is not None and not (isinstance(self.wave, str) and 0 < len(self.wave) <= LONGEST_WAVE):
            raise BadArgument(
                "local-wave", f"a wave's name must have 1 to {LONGEST_WAVE} characters", fix='wave = "2026"'
            )
        if self.wave is None and isinstance(self.randomiser, Permanent):
            raise BadArgument(
                "local-wave",
                "a permanent report needs a wave: it is for repeated questions",
                fix='wave = "2026", a new name each time; or leave out permanent',
            )

    @property
    def epsilon(self) -> Fraction:
        return self.randomiser.epsilon

    @property
    def variance(self) -> Fraction:
        """The variance per report: of a rare value's share, or the worst case for a mean (in squared units)."""
        if isinstance(self.domain, Values):
            assert isinstance(self.randomiser, SHARES)
            return rare_variance(self.randomiser.holds, self.randomiser.others)
        if isinstance(self.domain, Numbers):
            assert isinstance(self.randomiser, MEANS)
            return worst_variance(self.randomiser) * self.domain.step**2
        assert isinstance(self.randomiser, Prefixes)  # each person reports on one of the lengths
        share = rare_variance(self.randomiser.answer.holds, Fraction(1, 1 << self.randomiser.rows))
        return share * self.randomiser.length

    def people_for(self, error: object) -> int:
        """The number of reports needed for this root mean squared error.

        >>> from lapcat.local.domain import domain_of
        >>> Protocol("colour", domain_of(100), Response(Fraction(1), 100)).people_for("0.01")
        341130
        """
        return math.ceil(self.variance / exact(error) ** 2)

    def places(self, values: Sequence[object]) -> Integers:
        """The index of each value: a text's place among the values, a number's step."""
        if isinstance(self.domain, Numbers):
            return self.domain.places(np.array([self._number(value) for value in values], np.float64))
        if isinstance(self.domain, Texts):
            assert isinstance(self.randomiser, Prefixes)
            return np.array([self.randomiser.place(str(value)) for value in values], np.int64)
        known = {text: i for i, text in enumerate(self.domain.texts)}
        other = self.domain.index(None)
        return np.array([known.get(str(value), other) for value in values], np.int64)

    def _number(self, value: object) -> float:
        """The number, clamped to the range. An error message is an output too: it must not contain the value."""
        assert isinstance(self.domain, Numbers)
        try:
            return float(min(max(exact(value), self.domain.low), self.domain.high))
        except BadArgument:
            raise BadArgument(
                "local-number",
                f"an answer to {self.question} is not a number",
                fix="give a number for each person",
            ) from None

    def in_wave(self, name: str) -> Protocol:
        """The same question in another wave: another report, and another epsilon."""
        return replace(self, wave=name)

    def randomise(self, values: Sequence[object], coins: CoinSource | None = None) -> Columns:
        """One report for each value; the coins come from the system unless given."""
        return self.randomiser.draw(self.places(values), system_coins() if coins is None else coins)

    def counted(self, reports: Columns) -> tuple[list[Counts], int]:
        """The counts that an estimate needs, and the number of reports."""
        n = len(next(iter(reports.values())))
        return [counted(reports, tally) for tally in self.randomiser.tallies], n

    def estimate(self, reports: Columns, confidence: object = "0.95") -> Estimate:
        """The shares of the values, the mean of the numbers, or the frequent texts, among those who reported."""
        if isinstance(self.randomiser, Prefixes):
            return find(self.randomiser, reports, confidence=exact(confidence))
        return self.estimate_counts(*self.counted(reports), confidence)

    def estimate_counts(
        self, counts: Sequence[Counts], n: int, confidence: object = "0.95"
    ) -> Shares | MeanEstimate:
        """The same, from counts computed by an engine."""
        if isinstance(self.domain, Numbers):
            assert isinstance(self.randomiser, MEANS)
            return estimate_mean(self.randomiser, self.domain, counts, n, exact(confidence))
        assert isinstance(self.randomiser, SHARES)
        return estimate_shares(self.randomiser, counts, n, exact(confidence))

    def event(self) -> Event:
        """The privacy loss of one report."""
        return self.randomiser.event(self.question)

    def as_json(self) -> dict[str, object]:
        return {
            "lapcat": __version__,
            "format": FORMAT,
            "question": self.question,
            "protocol": self.randomiser.name,
            "parameters": self.randomiser.parameters(),
            "domain": self.domain.as_json(),
            **({} if self.wave is None else {"wave": self.wave}),
        }

    @property
    def cost(self) -> str:
        """The cost for each person, in words."""
        each = f"epsilon {exact_text(self.epsilon)}"
        if self.wave is None:
            return f"{each}, once: asked again without a wave, everybody repeats the same report"
        if isinstance(self.randomiser, Permanent):
            total = f"; over all waves at most epsilon {exact_text(self.randomiser.permanent)} for a value that never changes"
            linked = (
                "; the hash is constant, so reports of several waves can be linked"
                if self.randomiser.rows
                else ""
            )
            return f"{each} for each wave{total}{linked}"
        return f"{each} for each wave, whether or not the value changes"


def protocol_of(
    question: str,
    domain: Domain,
    name: str,
    epsilon: Fraction,
    wave: str | None = None,
    permanent: Fraction | None = None,
) -> Protocol:
    """The protocol of this name, with a permanent report if `permanent` gives its epsilon."""
    if not isinstance(name, str) or name not in NAMES:
        raise BadArgument("local-protocol", f"no protocol {name!r}", fix="use one of " + ", ".join(NAMES))
    domain = domain_of(domain)
    for kind in fitting(domain):
        if kind.name == name:
            return Protocol(question, domain, _made(kind, domain, epsilon, permanent), wave)
    raise _unfit(name, domain)


def no_permanent(name: str) -> BadArgument:
    return BadArgument(
        "local-permanent",
        f"{name} has no permanent reports",
        why="a wave is a response to one symbol; these reports are texts, many bits or one of thousands of places",
        fix="use response, hashing or hadamard for values, duchi for numbers; or a wave without a permanent report",
    )


def fitting(domain: Domain) -> tuple[Kind, ...]:
    """The randomisers for a domain of this kind."""
    match domain:
        case Values():
            return FOR_VALUES
        case Numbers():
            return FOR_NUMBERS
        case Texts():
            return (Prefixes,)


def _made(kind: Kind, domain: Domain, epsilon: Fraction, permanent: Fraction | None) -> Drawn:
    if permanent is not None:
        if kind not in ONE_SYMBOL:
            raise no_permanent(kind.name)
        if kind is Hashing:
            return best_hashing(epsilon, domain.size, permanent)
        return Permanent(_made(kind, domain, permanent, None), epsilon)  # type: ignore[arg-type]
    match domain:
        case Texts(alphabet=alphabet, length=length):
            return Prefixes(epsilon, alphabet, length)
        case Numbers(steps=steps):
            return Laplace.calibrate(epsilon, steps) if kind is Laplace else kind(epsilon, steps)  # type: ignore[call-arg]
        case Values(size=size):
            return kind(epsilon, size)  # type: ignore[call-arg]


def _unfit(name: str, domain: Domain) -> BadArgument:
    return BadArgument(
        "local-protocol",
        f"{name} does not fit a domain of {domain.size} {type(domain).__name__.lower()}",
        fix="use one of " + ", ".join(kind.name for kind in fitting(domain)),
    )


def protocol_from_json(data: object) -> Protocol:
    """The inverse of `as_json`; anything else is refused.

    >>> asked = protocol_of("age", Numbers(18, 100), "hybrid", Fraction(1))
    >>> protocol_from_json(json.loads(json.dumps(asked.as_json()))) == asked
    True
    """
    match data:
        case {
            "format": int(number),
            "question": str(question),
            "protocol": str(name),
            "parameters": dict(parameters),
            "domain": domain,
        } if number is not True and number == FORMAT:
            answers = domain_from_json(domain)
            wave = data.get("wave")  # type: ignore[attr-defined]
            if not isinstance(wave, str | None):
                raise _strange()
            match parameters:
                case {"epsilon": str(epsilon), "permanent": str(permanent)} if name.startswith("permanent-"):
                    drawn = name.removeprefix("permanent-")
                    protocol = protocol_of(question, answers, drawn, exact(epsilon), wave, exact(permanent))
                case {"epsilon": str(epsilon)} if "permanent" not in parameters:
                    protocol = protocol_of(question, answers, name, exact(epsilon), wave)
                case {"scale": str(scale), "steps": int(steps)}:
                    protocol = Protocol(question, answers, Laplace(exact(scale), steps), wave)
                case _:
                    raise _strange()
            recomputed = [protocol.randomiser.name, protocol.randomiser.parameters()]
            if json.dumps(recomputed, sort_keys=True) == json.dumps([name, parameters], sort_keys=True):
                return protocol
    raise _strange()


def _strange() -> BadArgument:
    return BadArgument(
        "local-header",
        "the header of these reports is missing, or names parameters that this version of lapcat does not use",
        why="an estimate with the wrong probabilities would be silently wrong",
        fix="estimate them with the version that wrote them, or encode them again",
    )
