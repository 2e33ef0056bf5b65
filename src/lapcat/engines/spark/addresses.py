"""Tables on Spark, as the catalogue writes them: spark:warehouse.staff, or a folder of Parquet files, spark:lake/staff/"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lapcat.engines.base import sources
from lapcat.engines.base.sources import ANY_CLUSTER, Source, absolute
from lapcat.errors import BadQuery
from lapcat.plan.schema import Cluster

PREFIX = "spark:"


@dataclass(frozen=True, slots=True)
class SparkTable(Source):
    """A table in Spark's catalogue, or a folder of Parquet files."""

    package: ClassVar[str] = "lapcat.engines.spark"
    driver: ClassVar[str] = "pyspark"

    @property
    def name(self) -> str:
        return self.path.name if self.table is None else self.table

    def identity(self, root: Path) -> str:
        return Source.identity(self, root) if self.table is None else f"spark:{self.table.lower()}"


def parse(text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER) -> Source | None:
    """A table as the catalogue writes it, or, if the text has a slash or starts with a dot, a folder; None if it is not on
    Spark."""
    if not text.startswith(PREFIX):
        return None
    text = text.removeprefix(PREFIX)
    if not text:
        raise BadQuery("source-unknown", "spark: names no table", fix='source = "spark:warehouse.staff"')
    if "/" in text or text.startswith("."):
        return SparkTable("spark", absolute(text, base_dir), server="spark", cluster=cluster)
    return SparkTable("spark", Path(), "", text, "spark", cluster=cluster)


def relative(text: str, folder: Path) -> str | None:
    """The text as the catalogue in this folder writes it; None if it is not on Spark."""
    if not text.startswith(PREFIX):
        return None
    path = text.removeprefix(PREFIX)
    return f"{PREFIX}{sources.relative(path, folder)}/" if "/" in path else text
