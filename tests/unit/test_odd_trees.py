"""What the parser lets pass in a form that nobody writes is refused by a check, and a mistake of lapcat's own is called one."""

from __future__ import annotations

import pytest

from lapcat.errors import BadQuery, Bug
from lapcat.frontend.sql.scalars import Scalars
from tests.golden.corpus import schema_of

ODD = [
    "SELECT COUNT() AS n FROM staff",
    "SELECT MODE() AS m FROM staff",
    "SELECT COUNT(DISTINCT) AS n FROM staff",
    "SELECT FROM staff",
    "SELECT DISTINCT FROM staff",
    "SELECT region, COUNT(*) AS n FROM staff GROUP BY",
    "SELECT region, COUNT(*) AS n FROM staff GROUP BY HAVING n > 3",
    "SELECT AVG(WIDTH_BUCKET(1)) AS a FROM staff",
    "SELECT QUANTILE_CONT(salary) AS q FROM staff",
    "SELECT region $1, COUNT(*) AS n FROM staff GROUP BY region",
    "SELECT COUNT(*) AS n FROM (SELECT person_id, AVG(DISTINCT) AS a FROM staff GROUP BY person_id)",
    "SELECT COUNT(*) AS n FROM (SELECT person_id, SUM(*) AS a FROM staff GROUP BY person_id)",
    "SELECT COUNT(*) AS n FROM (SELECT person_id, COUNT(*) AS a FROM staff GROUP BY WHERE age > 3)",
]


@pytest.mark.parametrize("question", ODD)
def test_an_odd_tree_is_refused_by_a_check(question: str) -> None:
    with pytest.raises(BadQuery) as refused:
        schema_of("basics").prepared(question)
    assert refused.value.code in ("syntax", "unsupported") and refused.value.fix


def test_a_mistake_of_the_front_end_is_a_bug_with_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(*_: object) -> None:
        raise TypeError("not what the analyst wrote")

    monkeypatch.setattr(Scalars, "predicate", mistaken)
    with pytest.raises(Bug) as raised:
        schema_of("basics").prepared("SELECT COUNT(*) AS n FROM staff WHERE age > 3")
    assert raised.value.code == "front-end" and isinstance(raised.value.__cause__, TypeError)
    assert "not what the analyst wrote" not in str(raised.value)
