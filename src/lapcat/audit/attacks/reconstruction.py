"""Reconstruction: many counts of random subsets determine every bit (Dinur & Nissim 2003), unless a cap limits their total cost.

Three adversaries with the same subsets: exact answers; noisy answers without a cap, at a large epsilon each; and lapcat, where
the total cost is capped by the budget.
"""

from __future__ import annotations

import math

import numpy as np

from lapcat import mechanisms as m
from lapcat.audit.attacks.arena import arena
from lapcat.audit.attacks.decoding import decode
from lapcat.audit.attacks.finding import Finding
from lapcat.core.coins import CoinSource
from lapcat.core.exact import exact, exact_text
from lapcat.drawing.secrets import secrets_svg
from lapcat.errors import BudgetExceeded
from lapcat.mechanisms.odds import worst_posterior
from lapcat.session import with_coins

SUBSETS = 512
UNCAPPED = "2"
"""The epsilon of each answer without a cap."""


def attack(epsilon: object, subsets: int = SUBSETS, coins: CoinSource | None = None) -> Finding:
    """coins: for reproducible tests."""
    with arena(epsilon) as made:
        secret = np.array([int(str(person["ill"])) for person in made.people], np.float64)
        chosen = np.random.default_rng(3).integers(0, 2, (subsets, len(secret))).astype(np.float64)
        price = exact_text(exact(made.epsilon) / subsets)
        session = made.session() if coins is None else with_coins(made.session(), coins)
        noisy = np.array(
            [session.sql(_question(row)).run(epsilon=price)["n"][0] for row in chosen], np.float64
        )
        try:
            session.sql(_question(1 - chosen[0])).run(epsilon=price)
            refused = False
        except BudgetExceeded:
            refused = True
    exactly = chosen @ secret
    uncapped = m.Laplace(sensitivity=1, epsilon=UNCAPPED, grid=1).release(exactly.astype(np.int64))
    guesses = {
        "exact": decode(chosen, exactly),
        "uncapped": decode(chosen, np.asarray(uncapped, np.float64)),
        "lapcat": decode(chosen, noisy),
    }
    shares = {name: float(((guess > 0.5) == (secret > 0.5)).mean()) for name, guess in guesses.items()}
    # The total epsilon bounds the success of guessing one person's bit from all answers; plus five standard errors.
    allowed = worst_posterior(float(made.epsilon), 0.5) + 5 * math.sqrt(0.25 / len(secret))
    return Finding(
        "reconstruction",
        f"{subsets} counts of random subsets of {len(secret)} people, decoded to everybody's bit",
        f"{_percent(shares['exact'])} of the bits; with noise of ε = {UNCAPPED} per answer and no cap {_percent(shares['uncapped'])}",
        f"{_percent(shares['lapcat'])} of the bits at a total of ε = {made.epsilon} (chance: 50 %); "
        + ("one more question is refused" if refused else "one more question was answered"),
        refused and shares["lapcat"] <= allowed,
        {**shares, "refused": float(refused)},
        {
            f"reconstruction-{name}.svg": secrets_svg(
                secret.tolist(), guess.tolist(), f"{_percent(shares[name])} of the bits: {_TITLES[name]}"
            )
            for name, guess in guesses.items()
        },
    )


_TITLES = {"exact": "exact answers", "uncapped": "noise without a cap", "lapcat": "lapcat"}


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _question(subset: np.ndarray) -> str:
    codes = ", ".join(str(code) for code in np.flatnonzero(subset))
    return f"SELECT COUNT(*) AS n FROM people WHERE ill = 1 AND code IN ({codes})"
