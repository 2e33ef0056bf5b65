"""Canaries: a text in every row, for which every answer, error, receipt and file of the ledger is searched."""

from __future__ import annotations

import json

from lapcat.audit.attacks.arena import CANARY, arena
from lapcat.audit.attacks.finding import Finding
from lapcat.errors import Error

QUESTIONS = (
    "SELECT COUNT(*) AS n FROM people",
    "SELECT note, COUNT(*) AS n FROM people GROUP BY note",
    "SELECT MIN(note) AS n FROM people",
    "SELECT * FROM people",
    "SELECT COUNT(*) AS n FROM people WHERE CAST(note AS INTEGER) = 1",
    "SELECT SUM(CAST(note AS INTEGER)) AS n FROM people",
    "SELECT COUNT(DISTINCT note) AS n FROM people",
)


def attack(epsilon: object) -> Finding:
    outputs: dict[str, bytes] = {}
    with arena(epsilon) as made:
        session = made.session()
        price = float(made.epsilon) / len(QUESTIONS)
        for i, text in enumerate(QUESTIONS):
            try:
                answer = session.sql(text).run(epsilon=price)
                outputs[f"answer {i}"] = (json.dumps(answer.as_json()) + repr(answer)).encode()
            except Error as error:
                outputs[f"error {i}"] = (str(error) + json.dumps(error.as_json())).encode()
        for path in made.folder.glob("lapcat.*"):
            if path.is_file():
                outputs[path.name] = path.read_bytes()
    hits = [name for name, text in outputs.items() if CANARY.encode() in text]
    return Finding(
        "canaries",
        f"{CANARY!r} in every row; {len(outputs)} answers, errors and files of the ledger searched for it",
        "SELECT * shows it",
        f"{len(hits)} hits" + (f": {', '.join(hits)}" if hits else ""),
        not hits,
        {"hits": len(hits), "searched": len(outputs)},
    )
