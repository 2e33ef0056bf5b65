"""Timing: a filter outside the column's range may be faster, since an engine can skip blocks without such rows."""

from __future__ import annotations

import time

import numpy as np

from lapcat.audit.attacks.arena import arena, fixture_people
from lapcat.audit.attacks.finding import Finding
from lapcat.session import Session

TRIALS = 60
PEOPLE = 2000


def attack(epsilon: object) -> Finding:
    """A classifier that learns a cut-off on half of the run times, and is tested on the other half."""
    people = fixture_people(PEOPLE)
    with_outlier = [*people[:-1], {**people[-1], "code": 100_000}]
    seconds = []
    for world in (people, with_outlier):
        with arena(epsilon, world) as made:
            session = made.session()
            price = float(made.epsilon) / (TRIALS + 10)
            seconds.append([_seconds(session, i, price) for i in range(TRIALS)][10:])
    right = _classified(*map(np.array, seconds))
    return Finding(
        "timing",
        f"the run times of {2 * TRIALS} questions, with and without a row outside the range of all others",
        "a classifier that beats 50 % reveals whether the row is in the table",
        f"right in {100 * right:.0f} %; the library and the command line do not hide run times: their users can read the files anyway",
        None,
        {"right": right},
    )


def _seconds(session: Session, number: int, price: float) -> float:
    question = session.sql(f"SELECT COUNT(*) AS n FROM people WHERE code > {90_000 + number}")
    started = time.perf_counter()
    question.run(epsilon=price)
    return time.perf_counter() - started


def _classified(first: np.ndarray, second: np.ndarray) -> float:
    cuts = np.unique(np.concatenate([first, second]))
    learned = first[::2], second[::2]
    scores = [((learned[0] <= cut).mean() + (learned[1] > cut).mean()) / 2 for cut in cuts]
    best = int(np.argmax(np.abs(np.array(scores) - 0.5)))
    right = ((first[1::2] <= cuts[best]).mean() + (second[1::2] > cuts[best]).mean()) / 2
    return float(right if scores[best] >= 0.5 else 1 - right)
