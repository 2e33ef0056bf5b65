"""A workload through the door: paid, looked at, measured, blurred, answered."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lapcat.core import release as gate
from lapcat.core.event import JointGaussianRelease, JointRelease, KNormRelease
from lapcat.core.loss import ZCDP, ApproxDP, PureDP
from lapcat.core.mechanisms.laplace import Laplace
from lapcat.errors import BadQuery, Bug, Refused
from lapcat.plan.compile import Prepared
from lapcat.plan.nodes import scans_of
from lapcat.testing.coins import SeededCoins
from lapcat.testing.reveal import reveal
from lapcat.workload import nested
from lapcat.workload.linear import BlockSums, IntegerMap
from lapcat.workload.measured import Measured
from lapcat.workload.release import PricedWorkload, agree, compile_workload, farthest, program_of, range_of
from lapcat.workload.workload import Workload
from tests.support import deploy, seeded

SURE = Fraction(95, 100)
RNG = np.random.default_rng(5)
AGES = RNG.integers(0, 64, 5000).tolist()
SEXES = ["f" if age % 3 else "m" for age in AGES]
PEOPLE = [f"p{i}" for i in RNG.integers(0, 900, 5000)]  # some have ten rows and more

CATALOGUE = """
[tables.staff]
source = "staff.parquet"
unit = {unit}
budget = {{ epsilon = 8, delta = 1e-6 }}
{more}
[tables.staff.columns]
age = {{ type = "integer", keys = {{ from = 0, to = 63 }} }}
sex = {{ type = "text", keys = ["f", "m"] }}
"""
TABLES = {
    "row": ('"row"', ""),
    "replace": ('"row"', 'relation = "replace-one"\nunits = 5000'),
    "person": ('{ column = "person" }', "rows_per_unit = 3"),
}


class Book:
    def executing(self, debit_id: int) -> None: ...
    def answered(self, debit_id: int, answer: bytes) -> bytes:
        return answer

    def failed(self, debit_id: int, analyst: str | None = None) -> None: ...


class Paid:
    id = 1
    answer = None


def columns(keep: object = None) -> dict[str, list[object]]:
    """The table, but for the rows of one person."""
    kept = [i for i, person in enumerate(PEOPLE) if person != keep]
    return {
        "age": [AGES[i] for i in kept],
        "sex": [SEXES[i] for i in kept],
        "person": [PEOPLE[i] for i in kept],
    }


def deployed(folder: Path, name: str, keep: object = None) -> Path:
    unit, more = TABLES[name]
    text = CATALOGUE.format(unit=unit, more=more)
    return deploy(folder, text, {"staff.parquet": columns(keep)})


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: deployed(tmp_path_factory.mktemp(name), name) for name in TABLES}


def prepared(path: Path, keys: str = "age") -> Prepared:
    return seeded(path).sql(f"SELECT {keys}, COUNT(*) AS n FROM staff GROUP BY {keys}")._prepared()


def released(path: Path, program: PricedWorkload, seed: int) -> gate.NoisyResult:
    deployment = seeded(path)._deployment
    return gate.release(
        program.plan,
        [program.candidate.measured],
        Paid(),
        ledger=Book(),
        engine=deployment.engine(scans_of(program.plan)),
        coins=SeededCoins(seed),
    )


BUDGETS = [PureDP(Fraction(1)), ZCDP(Fraction(1, 2)), ApproxDP(Fraction(1), Fraction(1, 10**6))]


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: type(budget).__name__)
def test_answers_come_out_of_the_door_near_the_truth(
    staff: dict[str, Path], budget: PureDP | ZCDP | ApproxDP
) -> None:
    program = compile_workload(prepared(staff["row"]), Workload.ranges("age"), budget)
    answers = program.finish(released(staff["row"], program, 7), SURE)
    exact = program.questions.answers(np.bincount(AGES, minlength=64))
    assert len(exact) == 64 * 65 // 2
    assert np.sqrt(np.mean((answers.value - exact) ** 2)) < 3 * program.candidate.expected_rmse
    assert ((answers.low <= exact) & (exact <= answers.high)).mean() > 0.8
    if isinstance(budget, ApproxDP):
        assert program.loss == PureDP(
            budget.epsilon
        )  # on 64 cells Laplace noise does better, and needs no delta
    else:
        assert program.loss == budget


def test_gaussian_noise_is_quoted_where_it_does_better(staff: dict[str, Path]) -> None:
    question, workload = prepared(staff["row"]), Workload.prefixes("age")
    budget = ApproxDP(Fraction(1), Fraction(1, 100))  # a delta that nobody should offer
    program = compile_workload(question, workload, budget)
    assert program.candidate.kind == "gaussian" and isinstance(program.loss, ApproxDP)
    assert Fraction(99, 100) < program.loss.epsilon <= 1 and program.loss.delta == budget.delta
    assert program_of(question, workload, program.event).event == program.event
    kinds = {candidate.kind for candidate in program.others}
    assert kinds == {"laplace", "gaussian"}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "workload",
    [
        Workload.prefixes("age"),
        Workload.ranges("age", [(0, 20), (10, 40), (30, 63)]),
        Workload.marginals(["age", "sex"], ways=[1, 2]),
        Workload.ranges("age") * Workload.marginals(["sex"]),
    ],
    ids=["prefixes", "three", "marginals", "product"],
)
def test_a_paid_workload_is_found_again_by_its_event(
    staff: dict[str, Path], name: str, workload: Workload
) -> None:
    question = prepared(staff[name], ", ".join(workload.columns))
    for budget in BUDGETS:
        program = compile_workload(question, workload, budget)
        again = program_of(question, workload, program.event)
        noisy = released(staff[name], program, 3)
        first, other = program.finish(noisy, SURE), again.finish(noisy, SURE)
        assert np.allclose(first.value, other.value) and np.allclose(first.low, other.low)
        assert again.loss == program.loss and again.plan == program.plan
        rough = program.finish(noisy, SURE).value.reshape(-1)
        assert rough.sum() > 5000 / 2  # rows that are weighed count in fine steps, and people read rows


def test_a_few_questions_have_joint_noise_and_its_shape_is_right(staff: dict[str, Path]) -> None:
    workload = Workload.ranges("age", [(0, 20), (10, 40), (30, 63)])
    for name in TABLES:
        program = compile_workload(prepared(staff[name]), workload, PureDP(Fraction(1)))
        shaped = next(c for c in (program.candidate, *program.others) if c.name == "k-norm")
        ((linear, noise),) = shaped.measured.parts
        assert farthest(noise, linear, range_of(program.prepared.plan)((0,))) == 1  # type: ignore[arg-type]
        if name == "row":
            assert isinstance(program.event, KNormRelease)


@pytest.mark.parametrize("name", ["row", "person"])
def test_one_person_moves_what_is_measured_no_further_than_claimed(
    staff: dict[str, Path], tmp_path: Path, name: str
) -> None:
    """All rows of the person with most rows are removed; the exact numbers behind the noise move within the claim."""
    heavy = max(set(PEOPLE), key=PEOPLE.count)
    without = deployed(tmp_path, name, heavy)
    workload = Workload.ranges("age") * Workload.marginals(["sex"]) + Workload.prefixes("age")
    gone = PEOPLE.count(heavy) if name == "row" else 1
    for budget in BUDGETS:
        program = compile_workload(prepared(staff[name], "age, sex"), workload, budget)
        here, there = (
            reveal(seeded(path)._deployment.engine(scans_of(program.plan)).execute(program.plan))[0]
            for path in (staff[name], without)
        )
        assert (here != there).any()
        for (linear, _), moved in zip(program.candidate.measured.parts, program.candidate.moved, strict=True):
            change = linear.applied(here).astype(object) - linear.applied(there).astype(object)
            assert abs(change).sum() <= gone * moved.l1
            assert (change * change).sum() <= gone**2 * moved.l2_squared


def test_large_tables_are_read_by_their_marginals(
    staff: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a table of all cells forbidden, the engine is asked for grouping sets, and answers are as near."""
    monkeypatch.setattr(nested, "LARGEST", 100)
    workload = Workload.marginals(["age", "sex"], ways=1)
    question = prepared(staff["row"], "age, sex")
    for budget in BUDGETS[:2]:
        program = compile_workload(question, workload, budget)
        assert program.plan.sets == ((0,), (1,)) and program.plan.cells == 66
        answers = program.finish(released(staff["row"], program, 1), SURE)
        exact = [*np.bincount(AGES, minlength=64), SEXES.count("f"), SEXES.count("m")]
        assert np.abs(answers.value - exact).max() < 60
        assert program_of(question, workload, program.event).plan == program.plan


def test_the_price_is_derived_twice(staff: dict[str, Path]) -> None:
    program = compile_workload(prepared(staff["row"]), Workload.prefixes("age"), PureDP(Fraction(1)))
    agree(program, PureDP(Fraction(1)))
    with pytest.raises(Bug, match="costs"):
        agree(program, PureDP(Fraction(99, 100)))
    parts = tuple((linear, Laplace(noise.scale / 2)) for linear, noise in program.candidate.measured.parts)  # type: ignore[union-attr]
    louder = replace(program, candidate=replace(program.candidate, measured=Measured(parts)))
    with pytest.raises(Bug, match="costs"):
        agree(louder, PureDP(Fraction(1)))
    small = tuple(
        replace(moved, l1=moved.l1 / 2, linf=moved.linf / 2, l2_squared=moved.l2_squared / 4)
        for moved in program.candidate.moved
    )
    with pytest.raises(Bug, match="costs"):
        agree(replace(program, candidate=replace(program.candidate, moved=small)), PureDP(Fraction(1)))


def test_a_map_that_understates_its_norms_is_a_bug(
    staff: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compile_workload(prepared(staff["row"]), Workload.prefixes("age"), PureDP(Fraction(1)))
    monkeypatch.setattr(IntegerMap, "l2_squared", Fraction(1, 2))
    with pytest.raises(Bug, match="more than its map states"):
        agree(program, PureDP(Fraction(1)))


def test_events_of_other_questions_are_not_taken_for_a_workload(staff: dict[str, Path]) -> None:
    question, workload = prepared(staff["row"]), Workload.prefixes("age")
    for event in (JointRelease((), 0), JointGaussianRelease((), 0), KNormRelease("x", 3, Fraction(1))):
        with pytest.raises(Bug, match="stored debit"):
            program_of(question, workload, event)


def test_answers_that_are_not_negative_have_the_same_total(staff: dict[str, Path]) -> None:
    workload = Workload.marginals(["age"]) + Workload.marginals(["age"], ways=0)
    program = compile_workload(prepared(staff["row"]), workload, PureDP(Fraction(1, 100)))
    noisy = released(staff["row"], program, 2)
    plain, least = program.finish(noisy, SURE), program.finish(noisy, SURE, at_least_zero=True)
    assert plain.value.min() < 0 <= least.value.min() and least.low.min() >= 0
    assert least.value[-1] == pytest.approx(plain.value[-1])
    assert least.value[:-1].sum() == pytest.approx(least.value[-1])
    assert (least.low <= least.value).all() and (least.value <= least.high).all()
    taken = Workload.queries("age", [[1] + 62 * [0] + [-1]])
    program = compile_workload(prepared(staff["row"]), taken, PureDP(Fraction(1, 100)))
    assert program.finish(released(staff["row"], program, 2), SURE, at_least_zero=True).low.min() < 0


def test_too_many_cells_to_make_answers_nonnegative_are_refused(
    staff: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compile_workload(prepared(staff["row"]), Workload.prefixes("age"), PureDP(Fraction(1)))
    noisy = released(staff["row"], program, 2)
    monkeypatch.setattr("lapcat.workload.release.LARGEST", 10)
    with pytest.raises(BadQuery) as refusal:
        program.finish(noisy, SURE, at_least_zero=True)
    assert refusal.value.code == "workload-nonnegative"


def test_more_answers_than_anybody_reads_are_refused(
    staff: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lapcat.workload.release.MAX_ANSWERS", 2000)
    with pytest.raises(Refused) as refusal:
        compile_workload(prepared(staff["row"]), Workload.ranges("age"), PureDP(Fraction(1)))
    assert refusal.value.code == "workload-too-large"


def test_the_same_workload_of_the_same_rows_has_one_identity(staff: dict[str, Path]) -> None:
    first = compile_workload(prepared(staff["row"]), Workload.prefixes("age"), PureDP(Fraction(1)))
    other = compile_workload(prepared(staff["row"]), Workload.prefixes("age"), ZCDP(Fraction(1)))
    third = compile_workload(prepared(staff["row"]), Workload.ranges("age"), PureDP(Fraction(1)))
    assert first.identity == other.identity != third.identity


def test_the_empty_part_of_a_padded_table_is_empty() -> None:
    assert BlockSums(5, 2, 4).applied(np.ones(5, np.int64)).tolist() == [2, 2, 1, 0]
