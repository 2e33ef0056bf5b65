"""The choice of a randomiser: the smallest variance among those whose reports are not too long.

For categorical values: the variance for a value that nobody holds (shares.py), which does not depend on the data. It is
(e^ε + k - 2) / (e^ε - 1)^2 for randomised response over k values and 4 e^ε / (e^ε - 1)^2 for unary encoding, so response is
better exactly where k < 3 e^ε + 2. For numbers: the largest variance over all numbers.
Source: Wang, Blocki, Li & Jha 2017; Wang et al. 2019.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lapcat.core.mechanisms.checked import checked_whole
from lapcat.errors import BadArgument
from lapcat.local.base import read_epsilon
from lapcat.local.domain import Values, domain_of
from lapcat.local.prefixes import Prefixes
from lapcat.local.protocol import Protocol, fitting, protocol_of

LONGEST_REPORT = 1024  # bits; a unary encoding has one bit per value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A protocol that was considered."""

    name: str
    variance: float
    """Per report; an estimate from n reports has 1/n of it."""
    bits: int | None
    """The length of a report; None if it is unbounded."""
    fits: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen protocol, the reason, and all candidates."""

    protocol: Protocol
    why: str
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        width = max(10, *(len(c.name) for c in self.candidates))
        rows = [
            f"  {'→' if c.name == self.protocol.randomiser.name else ' '} {c.name:{width}} variance {c.variance:<12.6g}"
            f" {'' if c.bits is None else f'{c.bits} bits'}"
            for c in self.candidates
        ]
        return "\n".join([self.why, *rows])

    __repr__ = __str__


def choose(
    *,
    domain: object,
    epsilon: object,
    question: str = "question",
    longest_report: int = LONGEST_REPORT,
    wave: str | None = None,
    permanent: object = None,
) -> Choice:
    """The best protocol for a number of values, a list of values, or Numbers(low, high).

    A repeated question names its wave. Permanent reports exist for the randomisers of one symbol.

    >>> choose(domain=100, epsilon=1).protocol.randomiser.name, choose(domain=10, epsilon=1).protocol.randomiser.name
    ('unary', 'response')
    >>> print(choose(domain=10_000, epsilon=1).why)
    hashing: smallest variance (3.692 per report) among reports of at most 1024 bits
    """
    answers, e = domain_of(domain), read_epsilon(epsilon)
    longest_report = checked_whole(
        "report-too-long", "longest_report", longest_report, 1, fix=f"longest_report={LONGEST_REPORT}"
    )
    permanent_epsilon = None if permanent is None else read_epsilon(permanent)
    candidates: list[tuple[Candidate, Protocol]] = []
    for kind in fitting(answers):
        try:
            protocol = protocol_of(question, answers, kind.name, e, wave, permanent_epsilon)
        except BadArgument as problem:  # too many values for it, or too small an epsilon
            last = problem
            continue
        bits = report_bits(protocol)
        fits = bits is None or bits <= longest_report
        candidates.append(
            (Candidate(protocol.randomiser.name, float(protocol.variance), bits, fits), protocol)
        )
    usable = [pair for pair in candidates if pair[0].fits]
    if not usable:
        if not candidates:
            raise last
        raise BadArgument(
            "report-too-long",
            f"no report about {answers.size} values has at most {longest_report} bits",
            fix=f"longest_report={min(c.bits or 64 for c, _ in candidates)}",
        )
    best, protocol = min(usable, key=lambda pair: (pair[0].variance, pair[0].bits or 64))
    shorter = any(not c.fits and c.variance < best.variance for c, _ in candidates)
    limit = f" among reports of at most {longest_report} bits" if shorter else ""
    why = f"{best.name}: smallest variance ({best.variance:.4g} per report){limit}"
    return Choice(protocol, why, tuple(candidate for candidate, _ in candidates))


def report_bits(protocol: Protocol) -> int | None:
    """The length of one report."""
    randomiser = protocol.randomiser
    if isinstance(protocol.domain, Values):
        return randomiser.report_bits  # type: ignore[union-attr]
    if isinstance(randomiser, Prefixes):
        return randomiser.rows * (randomiser.inputs.bit_length() + 1)
    size = randomiser.tallies[0].size
    return None if size is None else math.ceil(math.log2(size))
