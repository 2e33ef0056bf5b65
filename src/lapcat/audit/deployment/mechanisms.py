"""The mechanisms and local randomisers in isolation, independent of the catalogue.

Mechanisms with a known law are audited exactly. The matrix of a local randomiser can be written out: its epsilon must match the
claim, and reports must follow it. Keyed coins must differ between two epsilons. The sampling auditor, which also audits
thresholds, must distinguish a broken mechanism from one that is covered by its delta.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lapcat import mechanisms as m
from lapcat.audit.auditing import audit
from lapcat.audit.broken import shares_together
from lapcat.audit.deployment.check import COMPARED, PROVED, SAMPLED, Check
from lapcat.audit.exact import HOLDS, exact
from lapcat.audit.sound import rare_leak
from lapcat.core.coins import system_coins
from lapcat.core.exact import ln_down
from lapcat.local import Duchi, Hadamard, Hashing, Hybrid, KeyedWords, Piecewise, Protocol, Response, Unary
from lapcat.local.base import Finite
from lapcat.local.domain import domain_of
from lapcat.mechanisms.binomial import success_bounds
from lapcat.mechanisms.integers import Discrete

ONE = Fraction(1)
CLAIMS = (
    (Fraction(1), Fraction(1, 10**6)),
    (Fraction(3), Fraction(1, 10**5)),
    (Fraction(1, 2), Fraction(1, 100)),
)
"""(epsilon, delta) claims for Gaussian noise."""
RANDOMISERS: tuple[Finite, ...] = (
    Response(ONE, 3),
    Unary(ONE, 4),
    Hashing(ONE, 4, rows=3),
    Hadamard(ONE, 4),
    Duchi(ONE, 4),
    Piecewise(ONE, 10),
    Hybrid(ONE, 4),
)
DRAWS = 20_000
ANSWERS = 20_000
LEVEL = "1e-6"
CUTS = 16
SURE = 1e-9
"""The level of one comparison of reports with their law; an audit makes some hundreds."""


def mechanisms() -> Iterator[Check]:
    """Noise, randomisers, keyed coins and the sampling auditor."""
    yield _proved("Laplace", "sensitivity 2, epsilon 1", m.Laplace(sensitivity=2, epsilon=1, grid=1), 2, ONE)
    for epsilon, delta in CLAIMS:
        for moved in (1, 2):
            noise = m.Gaussian(sensitivity=moved, epsilon=epsilon, delta=delta, grid=1)
            claim = f"sensitivity {moved}, epsilon {float(epsilon):g}, delta {float(delta):g}"
            yield _proved("Gaussian", claim, noise, moved, epsilon, delta)
    for randomiser in RANDOMISERS:
        yield _check("the local model", randomiser.name, PROVED, "the matrix", _epsilon_problem(randomiser))
        yield _check("the local model", randomiser.name, SAMPLED, "reports", _another_law(randomiser))
    first, second = (
        KeyedWords(bytes(32), Protocol("audit", domain_of(2), Response(epsilon))).words(
            ["somebody"], np.array([1])
        )
        for epsilon in (ONE, 2 * ONE)
    )
    alike = "reports at two epsilons have the same coins" if (first == second).any() else ""
    yield _check("the local model", "response", COMPARED, "coins from a key, at two epsilons", alike)
    for member, broken in ((shares_together.MEMBER, True), (rare_leak.MEMBER, False)):
        result = audit(
            member.mechanism(),
            member.d,
            member.d_prime,
            member.epsilon,
            member.delta,
            samples=ANSWERS,
            level=LEVEL,
        )
        wrong = "" if result.violated is broken else f"the auditor returns {result.verdict}"
        yield _check("the auditor", member.name, SAMPLED, member.what, wrong)


def _check(aggregate: str, mechanism: str, how: str, text: str, problem: str) -> Check:
    return Check("mechanisms", aggregate, mechanism, "–", how, text, problem)


def _proved(
    name: str, claim: str, mechanism: object, moved: int, epsilon: Fraction, delta: Fraction = Fraction(0)
) -> Check:
    result = exact(mechanism, 0, moved, epsilon, delta)
    problem = "" if result.verdict == HOLDS else f"its delta is {float(result.delta(epsilon)):.6g}"
    return _check("any", name, PROVED, claim, problem)


def _epsilon_problem(randomiser: Finite) -> str:
    values = range(randomiser.inputs)
    ratio = Discrete([randomiser.law(value).low for value in values]).worst().ratio
    if ratio is None:
        return "a report rules a value out"
    return "" if ln_down(ratio) <= ONE else f"its epsilon is {float(ln_down(ratio)):.6g}; the claim is 1"


def _another_law(randomiser: Finite) -> str:
    """The problem if reports do not follow the claimed law; empty if they are compatible with it."""
    for value in (0, randomiser.inputs - 1):
        reports = randomiser.draw(np.full(DRAWS, value, np.int64), system_coins())
        law = np.minimum(np.cumsum([float(p) for p in randomiser.law(value).low]), 1)
        times = np.cumsum(np.bincount(randomiser.numbered(reports), minlength=len(law)))
        for cut in sorted({int(np.searchsorted(law, i / CUTS)) for i in range(1, CUTS)}):
            low, high = success_bounds(int(times[cut]), DRAWS, SURE)
            if not low <= law[cut] <= high:
                often = f"{100 * times[cut] / DRAWS:.2f} %"
                return f"reports up to number {cut} of value {value} have a frequency of {often}; expected: {100 * law[cut]:.2f} %"
    return ""
