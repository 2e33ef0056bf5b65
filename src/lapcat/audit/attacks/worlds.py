"""A deployment of synthetic people with several visits each, for attacks on the work that a query causes."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lapcat.plan.schema import Type
from lapcat.session.files import open_deployment, refresh

COLUMNS = {
    "person_id": Type.INTEGER,
    "code": Type.INTEGER,
    "minutes": Type.INTEGER,
    "pay": Type.INTEGER,
    "note": Type.TEXT,
}
ROWS_PER_UNIT = 3
Visit = dict[str, object]


@contextmanager
def deployed(epsilon: object, visits: Sequence[Visit], engine: str = "") -> Iterator[Path]:
    """The folder of a temporary deployment of these visits with this budget; `engine` goes below [engine]."""
    with tempfile.TemporaryDirectory(prefix="lapcat-attack-") as name:
        folder = Path(name)
        _write(folder, visits)
        (folder / "lapcat.toml").write_text(catalogue_of(epsilon, engine), encoding="utf-8")
        deployment = open_deployment(folder / "lapcat.toml")
        deployment.require_acceptance()
        refresh(deployment, "visits")
        yield folder


def catalogue_of(epsilon: object, engine: str = "", source: str = "visits.csv") -> str:
    """The catalogue of such a deployment."""
    from lapcat.core.exact import exact, exact_text

    written = exact_text(exact(epsilon))
    reason = ', i_understand = "synthetic people"' if float(written) > 10 else ""
    return f"""\
[ledger]
witness = "none"
[engine]
{engine}
[limits]
max_length = 64
[tables.visits]
source = "{source}"
unit = "person_id"
rows_per_unit = {ROWS_PER_UNIT}
budget = {{ epsilon = {written}{reason} }}
[tables.visits.columns]
person_id = {{ type = "integer" }}
code = {{ type = "integer", low = 0, high = 1000000 }}
minutes = {{ type = "integer", low = 0, high = 120 }}
pay = {{ type = "integer", low = 0, high = 99 }}
note = {{ type = "text" }}
"""


@contextmanager
def changed(folder: Path, visits: Sequence[Visit]) -> Iterator[Path]:
    """A copy of a deployment over other visits. It shares the ledger, and so the key that orders rows."""
    with tempfile.TemporaryDirectory(prefix="lapcat-attack-") as name:
        copy = Path(name) / "copy"
        shutil.copytree(folder, copy)
        _write(copy, visits)
        deployment = open_deployment(copy / "lapcat.toml")
        deployment.require_acceptance()
        refresh(deployment, "visits")
        yield copy


def _write(folder: Path, visits: Sequence[Visit]) -> None:
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, list(COLUMNS))
        rows.writeheader()
        rows.writerows(visits)
