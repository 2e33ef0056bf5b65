"""Sources of the engine, as the catalogue writes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lapcat.engines.base import sources
from lapcat.engines.base.sources import ANY_CLUSTER, Source, absolute
from lapcat.plan.schema import Cluster

PREFIX = "quack:"


@dataclass(frozen=True, slots=True)
class QuackFile(Source):
    package: ClassVar[str] = "tests.extending.quack"


def parse(text: str, base_dir: Path, cluster: Cluster = ANY_CLUSTER) -> Source | None:
    if not text.startswith(PREFIX):
        return None
    return QuackFile("quack", absolute(text.removeprefix(PREFIX), base_dir), server="quack")


def relative(text: str, folder: Path) -> str | None:
    return PREFIX + sources.relative(text.removeprefix(PREFIX), folder) if text.startswith(PREFIX) else None
