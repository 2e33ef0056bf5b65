"""Differencing: two totals, one with and one without a person."""

from __future__ import annotations

from lapcat.audit.attacks.arena import arena
from lapcat.audit.attacks.finding import Finding

TARGET = 77
SALARIES = 200_000 - 20_000


def attack(epsilon: object) -> Finding:
    with arena(epsilon) as made:
        secret = int(str(made.people[TARGET]["salary"]))
        session = made.session()
        half = float(made.epsilon) / 2
        totals = [
            session.sql(f"SELECT SUM(salary) AS total FROM people{without}").run(epsilon=half)
            for without in ("", f" WHERE code <> {TARGET}")
        ]
    difference = totals[0]["total"][0] - totals[1]["total"][0]
    reach = sum(answer["total_high"][0] - answer["total_low"][0] for answer in totals) / 2
    return Finding(
        "differencing",
        "the total of all salaries, and the total without one person",
        f"the person earns {secret}",
        f"{difference:.0f} ± {reach:.0f}, for a salary in a public range of width {SALARIES}",
        reach >= SALARIES / 2,
        {"error": abs(difference - secret), "reach": reach},
    )
