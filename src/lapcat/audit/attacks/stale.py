"""Stale answers: a repeat that suddenly costs, or a preview that changes, would reveal that rows changed."""

from __future__ import annotations

import json

from lapcat.audit.attacks.arena import arena
from lapcat.audit.attacks.finding import Finding
from lapcat.session import Session

QUESTION = "SELECT COUNT(*) AS n, SUM(salary) AS s FROM people"
OTHER = "SELECT AVG(salary) AS pay FROM people WHERE ill = 1"


def attack(epsilon: object) -> Finding:
    with arena(epsilon) as made:
        half = float(made.epsilon) / 2
        made.session().sql(QUESTION).run(epsilon=half)
        before = _outputs(made.session(), half)
        made.rewrite(made.people[:-1])
        after = _outputs(made.session(), half)
    return Finding(
        "stale",
        "previews, costs and a repeat, before and after somebody left the file",
        "a cache that checks the file answers afresh, which reveals that somebody came or left",
        "the same bytes" if before == after else "different bytes",
        before == after,
        {"same": float(before == after)},
    )


def _outputs(session: Session, price: float) -> list[str]:
    again = session.sql(QUESTION).run(epsilon=price)
    preview = session.sql(OTHER).preview(epsilon=price)
    return [json.dumps(again.as_json(), sort_keys=True), json.dumps(preview.as_json(), sort_keys=True)]
