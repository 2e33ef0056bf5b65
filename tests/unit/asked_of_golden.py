"""What golden questions ask, by the SQLGlot that is installed: the same for every version that is supported."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from lapcat.engines.duckdb.dialect import DUCKDB
from lapcat.engines.postgres.dialect import POSTGRES
from lapcat.engines.spark.dialect import SPARK
from lapcat.errors import Error
from lapcat.frontend.sql import understand
from tests.golden.corpus import CASES, UNDERSTOOD, Case

PRINTED = UNDERSTOOD[::12]
"""Whose statements for engines are compared too: SQLGlot prints them."""


def asked_of_golden() -> dict[str, str]:
    """For each golden question a digest of what it asks, and for some of the statements; or the code of its refusal."""
    return {case.name: _asked(case) for case in CASES}


def _asked(case: Case) -> str:
    deployment = case.schema.session()._deployment
    try:
        asked = understand(case.question, case.schema.catalogue, deployment.scan, deployment.public)
    except Error as error:
        return error.code
    texts = [re.sub(r" at 0x[0-9a-f]+", "", repr(replace(asked, offer=None)))]
    if case in PRINTED:
        plan = case.prepared.plan
        texts += [case.schema.sql_of(plan, dialect) for dialect in (DUCKDB, POSTGRES, SPARK)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
