"""How a stored question is asked: the same words for who writes fixtures and who asks them again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import lapcat
from lapcat.plan.cached_statistics import content_of
from lapcat.session import Session
from lapcat.session.bounds import find_bounds
from lapcat.workload.workload import Workload

Asked = dict[str, Any]
PRICES = ("epsilon", "delta", "rho", "error", "confidence", "simultaneous", "key")


def ask(session: Session, asked: Asked) -> list[Any]:
    """The answers to a question as expected.json writes it."""
    price = {name: asked[name] for name in PRICES if name in asked}
    if "together" in asked:
        return list(session.workload(asked["together"]).run(**price))
    if "batch" in asked:
        return list(session.batch(asked["batch"], **price).run())
    if "bounds" in asked:
        return [find_bounds(session, asked["bounds"], asked["epsilon"]).answer]
    if "workload" in asked:
        question = session.workload(
            workload_of(asked["workload"]), table=asked["table"], where=asked.get("where")
        )
        return [question.run(**price)]
    if "frame" in asked:
        rows = session.table(asked["frame"]).group_by("region")
        return [rows.agg(n=lapcat.count(), age=lapcat.mean("age")).run(**price)]
    return [session.sql(asked["sql"]).run(**price)]


def rows_json(answer: Any) -> Any:
    """The rows of an answer; of many rows the digest. Floats have nine digits: the last ones depend on the machine's exp."""
    rows = _rounded(answer.as_json()["rows"])
    text = json.dumps(rows, ensure_ascii=False, default=str)
    return json.loads(text) if len(rows) <= 40 else hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.9g}")
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [_rounded(item) for item in value]
    return value


def workload_of(description: dict[str, Any]) -> Workload:
    match description["kind"]:
        case "ranges":
            bounds = description.get("bounds")
            return Workload.ranges(description["column"], bounds and [tuple(pair) for pair in bounds])
        case "prefixes":
            return Workload.prefixes(description["column"])
        case "marginals":
            return Workload.marginals(description["columns"], ways=description["ways"])
        case "queries":
            return Workload.queries(description["column"], description["rows"])
        case _:
            left, right = map(workload_of, description["of"])
            return left * right


def held_frame(folder: Path) -> Session:
    """The table of the deployment `frames`, whose ledger lasts."""
    import pandas as pd

    return lapcat.table(
        pd.read_csv(folder / "staff.csv"),
        unit="person",
        epsilon=3,
        rows_per_unit=2,
        bounds={"pay": (0, 100)},
        keys={"region": ["N", "S"]},
        ledger=folder / "lapcat.ledger",
        version=1,
    )


def identities_of(schema: Any, question: str) -> list[str]:
    """What a question is known by, and a digest of what its answer would hold for others."""
    prepared = schema.prepared(question)
    content = content_of(prepared)
    held = content and [
        content.statistics,
        [[key.identity, key.size, key.total, key.listed] for key in content.keys],
        content.sets,
        [[choice.identity, choice.rows] for choice in content.choices],
    ]
    return [prepared.identity, hashlib.sha256(json.dumps(held).encode()).hexdigest()[:16]]


def estimate_json(estimate: Any) -> Any:
    """An estimate as plain numbers."""
    if isinstance(estimate, (list, tuple)):
        return [estimate_json(part) for part in estimate]
    if hasattr(estimate, "text"):
        return [estimate.text, *estimate_json(estimate.share)]
    if hasattr(estimate, "value"):
        return [float(estimate.value), float(estimate.low), float(estimate.high)]
    return [estimate_json(share) for share in estimate.estimates]
