"""The numbers of every golden question: what it is known by, how far a unit moves it, its price, its margins, its exact
integers, and its answer under seeded coins.

`python -m tests.oracle.oracle` writes them. They are compared bit for bit; sentences are compared elsewhere (tests/golden), so
that new words cannot hide a changed number. Floats have nine digits: the last ones depend on the machine's exp.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lapcat.core.exact import exact_text
from lapcat.core.release import ExactResult
from lapcat.engines.base.engine import FIRST, Attempt
from lapcat.ledger.sqlite import SQLiteLedger
from lapcat.plan.cached_statistics import content_of
from lapcat.plan.nodes import Group
from lapcat.plan.schema import Catalogue
from lapcat.session import Session
from lapcat.session.deployment import Deployment, Engine
from lapcat.testing.coins import SeededCoins
from tests.engines.family import seen
from tests.engines.golden_rows import golden_reference, golden_rows
from tests.golden.corpus import UNDERSTOOD, Case, Unread, schema_of

FOLDER = Path(__file__).parent
SCHEMAS = sorted({case.folder.parent.name for case in UNDERSTOOD})


class Specified(Unread):
    """The made-up rows of a golden catalogue, as the reference reads them."""

    name = "the reference"

    def __init__(self, schema: str) -> None:
        self.schema = schema

    def open(self, catalogue: Catalogue, versions: Mapping[str, int], booked: Mapping[str, str]) -> Engine:
        return Opened(reference(self.schema))


class Opened:
    """The reference as an engine of questions: it is always ready."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def ready(self, plan: Group) -> None:
        pass

    def execute(self, plan: Group, attempt: Attempt = FIRST) -> ExactResult:
        return self.engine.execute(plan)  # type: ignore[no-any-return]

    def close(self) -> None:
        pass


@cache
def reference(schema: str) -> Any:
    return golden_reference(golden_rows(schema_of(schema).catalogue, seed=SCHEMAS.index(schema)))


def numbers_of(case: Case) -> dict[str, Any]:
    """What the oracle holds about one question."""
    schema, prepared = case.folder.parent.name, case.prepared
    session = Session(
        Deployment(case.schema.catalogue, Specified(schema), SQLiteLedger(":memory:"), coins=SeededCoins(1))
    )
    asked = session.sql(case.question)
    price: dict[str, Any] = {"epsilon": 1} | ({"delta": "1e-7"} if prepared.plan.private_keys else {})
    content, preview = content_of(prepared), asked.preview(**price).as_json()
    answer = asked.run(**price)
    rows = [list(row.values()) for row in answer]
    return {
        "identity": prepared.identity,
        "held": digest([content.statistics, [key.identity for key in content.keys], content.sets]),
        "sensitivities": [
            list(map(exact_text, (s.l1, s.l2_squared, s.linf))) for s in prepared.sensitivities
        ],
        "preview": list(numbers(preview)),
        "measurements": answer.receipt.as_json()["measurements"],
        "integers": [digest(seen(reference(schema), look)) for look in prepared.executed_plans],
        "rows": rows if len(rows) <= 12 else digest(rows),
    }


def numbers(value: Any, path: str = "") -> Iterator[str]:
    """The numbers of a JSON document, with their places; no sentence."""
    match value:
        case dict():
            for key, held in value.items():
                yield from numbers(held, f"{path}.{key}")
        case list() | tuple():
            for place, held in enumerate(value):
                yield from numbers(held, f"{path}[{place}]")
        case bool() | int():
            yield f"{path} = {value}"
        case float():
            yield f"{path} = {value:.9g}"
        case str() if value.replace(".", "").replace("/", "").replace("-", "").replace("e", "").isdigit():
            yield f"{path} = {value}"


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(plain(value), default=str).encode()).hexdigest()[:16]


def plain(value: Any) -> Any:
    """A JSON value in which floats have nine digits and everything else is exact."""
    match value:
        case float():
            return f"{value:.9g}"
        case dict():
            return {str(key): plain(held) for key, held in value.items()}
        case list() | tuple():
            return [plain(held) for held in value]
        case _ if hasattr(value, "tolist"):
            return plain(value.tolist())
    return value


def written(schema: str) -> dict[str, Any]:
    return {
        case.folder.name: json.loads(json.dumps(plain(numbers_of(case)), default=str))
        for case in UNDERSTOOD
        if case.folder.parent.name == schema
    }


if __name__ == "__main__":
    for name in SCHEMAS:
        text = json.dumps(written(name), indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
