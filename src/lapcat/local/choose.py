"""Which randomiser: the one with the least variance whose report is not too long.

For values it is the variance of a value that nobody holds (shares.py), which no data can change. Randomised response over
k values has (e^ε + k - 2) / (e^ε - 1)^2 and unary encoding 4 e^ε / (e^ε - 1)^2, so that response is better exactly where
k < 3 e^ε + 2. For numbers it is the largest variance over all numbers.
Source: Wang, Blocki, Li & Jha 2017; Wang et al. 2019.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lapcat.core.mechanisms.finite import checked_whole
from lapcat.errors import BadArgument
from lapcat.local.base import read_epsilon
from lapcat.local.domain import Values, domain_of
from lapcat.local.prefixes import Prefixes
from lapcat.local.protocol import Protocol, fitting, protocol_of

LONGEST_REPORT = 1024  # bits; a report of unary encoding has one for each value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A protocol that was looked at."""

    name: str
    variance: float
    """Per report; an estimate from n reports has the n-th part of it."""
    bits: int | None
    """The length of a report; None where it has no end."""
    fits: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """The protocol that was chosen, why, and what else there was."""

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

    A question that is asked again names its wave. Permanent reports are there for randomisers of one symbol.

    >>> choose(domain=100, epsilon=1).protocol.randomiser.name, choose(domain=10, epsilon=1).protocol.randomiser.name
    ('unary', 'response')
    >>> print(choose(domain=10_000, epsilon=1).why)
    hashing: of the reports of at most 1024 bits it has the least variance, 3.692 per report
    """
    held, e = domain_of(domain), read_epsilon(epsilon)
    longest_report = checked_whole(
        "report-too-long", "longest_report", longest_report, 1, fix=f"longest_report={LONGEST_REPORT}"
    )
    lasting = None if permanent is None else read_epsilon(permanent)
    found: list[tuple[Candidate, Protocol]] = []
    for kind in fitting(held):
        try:
            protocol = protocol_of(question, held, kind.name, e, wave, lasting)
        except BadArgument as problem:  # too many values for it, or too small an epsilon
            last = problem
            continue
        bits = report_bits(protocol)
        fits = bits is None or bits <= longest_report
        found.append((Candidate(protocol.randomiser.name, float(protocol.variance), bits, fits), protocol))
    usable = [pair for pair in found if pair[0].fits]
    if not usable:
        if not found:
            raise last
        raise BadArgument(
            "report-too-long",
            f"no report about {held.size} values has at most {longest_report} bits",
            fix=f"longest_report={min(c.bits or 64 for c, _ in found)}",
        )
    best, protocol = min(usable, key=lambda pair: (pair[0].variance, pair[0].bits or 64))
    shorter = any(not c.fits and c.variance < best.variance for c, _ in found)
    of = f"of the reports of at most {longest_report} bits it has" if shorter else "it has"
    why = f"{best.name}: {of} the least variance, {best.variance:.4g} per report"
    return Choice(protocol, why, tuple(candidate for candidate, _ in found))


def report_bits(protocol: Protocol) -> int | None:
    """The length of one report."""
    randomiser = protocol.randomiser
    if isinstance(protocol.domain, Values):
        return randomiser.report_bits  # type: ignore[union-attr]
    if isinstance(randomiser, Prefixes):
        return randomiser.rows * (randomiser.inputs.bit_length() + 1)
    size = randomiser.tallies[0].size
    return None if size is None else math.ceil(math.log2(size))
