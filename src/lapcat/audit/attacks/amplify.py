"""Amplification: joins and sub-queries that produce millions of rows if a guess about one person is right, and none otherwise.

Whether such a query fails, or how long it takes, would reveal whether the guess is right. lapcat bounds one person's rows by
public numbers before a join, or refuses the query for every guess.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from lapcat.audit.attacks.finding import Finding
from lapcat.audit.attacks.worlds import COLUMNS, ROWS_PER_UNIT, Visit, deployed
from lapcat.engines.reference import ReferenceEngine, index_by_column
from lapcat.errors import Error
from lapcat.plan.limits import DEFAULT_LIMITS
from lapcat.plan.nodes import Group, Join
from lapcat.plan.work import stations
from lapcat.session import Session
from lapcat.session.deployment import Deployment
from lapcat.session.files import open_deployment

PEOPLE, TARGET, HEAVY = 60, 1000, 40
"""People with three visits each; one person with many, whose pay the adversary is after."""
PAY, GUESSES = 7, range(20)
LIMITS = 'memory = "512MB"\nthreads = 1'


def attack(epsilon: object) -> Finding:
    visits = _visits()
    with deployed(epsilon, visits, LIMITS) as folder:
        deployment = open_deployment(folder / "lapcat.toml")
        deployment.require_acceptance()
        kinds = [_chain(14), _chain(7), _chain(4), _sub_query(5), _sub_query(3), _many_to_many()]
        price = float(deployment.catalogue.tables["visits"].limit.epsilon or 1) / (len(kinds) * len(GUESSES))
        outcomes = [[_outcome(deployment, kind.format(guess=g), price) for g in GUESSES] for kind in kinds]
        own = [visit for visit in visits if visit["person_id"] == TARGET]
        ranks = index_by_column(own, "person_id", COLUMNS, deployment.ledger.secret())
        reference = ReferenceEngine({"visits": own}, {"visits": ranks})
        rows = max(_rows(deployment, reference, kind.format(guess=PAY)) for kind in kinds)
    differ = sum(len(set(of_kind)) > 1 for of_kind in outcomes)
    refused = sum(set(of_kind) == {"joined-rows"} or set(of_kind) == {"joined-bytes"} for of_kind in outcomes)
    max_rows = DEFAULT_LIMITS.joined_rows
    return Finding(
        "amplify",
        f"{len(kinds)} questions that blow up if one person's pay is guessed right, with {len(GUESSES)} guesses each",
        f"{HEAVY} rows joined with themselves five times are {HEAVY**5:,} for the right guess, and none for the others",
        f"{differ} of {len(kinds)} have another outcome for the right guess; refused for every guess: {refused}; the person "
        f"contributed at most {rows:,} joined rows, {max_rows:,} are allowed",
        differ == 0 and rows <= max_rows,
        {"told": differ, "refused": refused, "rows": rows, "guesses": len(GUESSES)},
    )


def _visits() -> list[Visit]:
    dice = random.Random(3)
    rows = [_visit(n // 3, n % 3, dice.randrange(100)) for n in range(3 * PEOPLE)]
    return rows + [_visit(TARGET, n % 3, PAY) for n in range(HEAVY)]


def _visit(person: int, minutes: int, pay: int) -> Visit:
    return {"person_id": person, "code": person, "minutes": minutes, "pay": pay, "note": f"n{person}"}


def _chain(joins: int) -> str:
    """A distinct number for every choice of a row from each copy of the table."""
    number = " + ".join(f"{ROWS_PER_UNIT**i} * v{i}.minutes" for i in range(joins + 1))
    copies = "".join(f" JOIN visits v{i} ON v{i}.person_id = v0.person_id" for i in range(1, joins + 1))
    guess = f"v0.code = {TARGET} AND v0.pay = {{guess}}"
    return f"SELECT COUNT(DISTINCT {number}) AS n FROM visits v0{copies} WHERE {guess}"


def _sub_query(copies: int) -> str:
    """The same inside a sub-query that counts per person, so the rows themselves are not released."""
    person = f"(SELECT person_id FROM visits WHERE code = {TARGET} AND pay = {{guess}})"
    joined = "".join(f" JOIN {person} AS s{i} ON s0.person_id = s{i}.person_id" for i in range(1, copies))
    inner = f"SELECT s0.person_id, COUNT(*) AS k FROM {person} AS s0{joined} GROUP BY s0.person_id"
    return f"SELECT COUNT(*) AS n FROM ({inner}) AS s WHERE k > 0"


def _many_to_many() -> str:
    """Pairs of a person's rows that agree in another column."""
    return (
        "SELECT COUNT(*) AS n FROM visits a JOIN visits b ON a.person_id = b.person_id AND a.minutes = b.minutes "
        f"WHERE a.code = {TARGET} AND a.pay = {{guess}}"
    )


def _outcome(deployment: Deployment, text: str, price: float) -> str:
    """ "answered", or the error code. Pauses are lifted: the adversary has enough analyst names."""
    try:
        Session(deployment).sql(text).run(epsilon=price)
        return "answered"
    except Error as error:
        table = deployment.catalogue.tables["visits"]
        if deployment.ledger.failed_analysts(deployment.scope(table)):
            deployment.ledger.resume(deployment.scope(table), "another name")
        return error.code


def _rows(deployment: Deployment, reference: ReferenceEngine, text: str) -> int:
    """The largest number of the person's rows after a join; 0 if the question is refused."""
    try:
        plans: Sequence[Group] = Session(deployment).sql(text).prepared.executed_plans
    except Error:
        return 0
    joins = (station.rows for plan in plans for station in stations(plan) if isinstance(station.rows, Join))
    return max((reference.counted(rows)[TARGET] for rows in joins), default=0)
