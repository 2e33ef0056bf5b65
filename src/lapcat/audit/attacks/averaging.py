"""Averaging: the same query many times, to average the noise away."""

from __future__ import annotations

import numpy as np

from lapcat import mechanisms as m
from lapcat.audit.attacks.arena import arena
from lapcat.audit.attacks.finding import Finding

REPEATS = 1000
QUESTION = "SELECT COUNT(*) AS n FROM people WHERE ill = 1"


def attack(epsilon: object) -> Finding:
    with arena(epsilon) as made:
        truth = sum(int(str(person["ill"])) for person in made.people)
        session = made.session()
        answers = [session.sql(QUESTION).run(epsilon=made.epsilon) for _ in range(REPEATS)]
        values = {answer["n"][0] for answer in answers}
        debits = sum(not answer.free for answer in answers)
    noise = m.Laplace(sensitivity=1, epsilon=epsilon, grid=1)
    averaged = float(np.mean([noise.release(truth) for _ in range(REPEATS)]))
    return Finding(
        "averaging",
        f"the same count, {REPEATS} times",
        f"{truth} at once; with fresh noise for each repeat the average is {averaged:.2f}",
        f"{len(values)} value and {debits} debit: a repeat returns the stored answer, for free",
        len(values) == 1 and debits == 1,
        {"values": len(values), "debits": debits, "averaged_error": abs(averaged - truth)},
    )
