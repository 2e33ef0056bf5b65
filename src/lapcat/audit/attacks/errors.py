"""Error oracles: an expression that fails on one person's row, so that a failure reveals the row."""

from __future__ import annotations

from lapcat.audit.attacks.arena import arena, fixture_people
from lapcat.audit.attacks.finding import Finding
from lapcat.errors import Error
from lapcat.session import Session

TARGET = 77
TRAPS = (
    f"SELECT SUM(CLAMP(1 / (code - {TARGET}), 0, 1)) AS s FROM people",
    f"SELECT COUNT(*) AS n FROM people WHERE 1 / (code - {TARGET}) > 0",
    "SELECT COUNT(*) AS n FROM people WHERE CAST(note AS INTEGER) > 0",
    f"SELECT SUM(CLAMP(code * 9223372036854775807 / {TARGET}, 0, 1)) AS s FROM people",
    "SELECT COUNT(*) AS n FROM people WHERE CAST(note AS DATE) < DATE '2020-01-01'",
)


def attack(epsilon: object) -> Finding:
    with_person = fixture_people()
    without = [person for person in with_person if person["code"] != TARGET]
    outcomes = []
    for people in (with_person, without):
        with arena(epsilon, people) as made:
            session = made.session()
            outcomes.append([_outcome(session, trap, float(made.epsilon) / len(TRAPS)) for trap in TRAPS])
    differ = sum(first != second for first, second in zip(*outcomes, strict=True))
    return Finding(
        "errors",
        f"{len(TRAPS)} expressions that fail on one row: 1/(code − {TARGET}), bad casts, overflow",
        "division by zero if and only if the person is in the table",
        f"{differ} of {len(TRAPS)} have different outcomes with and without the person: "
        + ", ".join(sorted({text for texts in outcomes for text in texts})),
        differ == 0,
        {"differ": differ},
    )


def _outcome(session: Session, text: str, price: float) -> str:
    """All that an analyst learns besides the noisy number: "answered", or the error."""
    try:
        session.sql(text).run(epsilon=price)
        return "answered"
    except Error as error:
        return f"{error.family} [{error.code}]"
