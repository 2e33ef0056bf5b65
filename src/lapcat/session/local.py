"""The local model with files: encodes a table into reports with a secret key, and estimates from files of reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lapcat.core.exact import exact
from lapcat.core.sampling import FARTHEST
from lapcat.engines.backends import parse_source
from lapcat.errors import BadQuery, Refused
from lapcat.frontend.catalogue import protects_nobody, read_catalogue, read_cluster
from lapcat.local.base import Randomiser, SetBits, possible
from lapcat.local.domain import Domain, Numbers, Texts, Values
from lapcat.local.key_file import open_key
from lapcat.local.laplace import Laplace
from lapcat.local.permanent import Permanent
from lapcat.local.prefixes import Prefixes, find
from lapcat.local.protocol import Estimate, Protocol, protocol_from_json
from lapcat.local.survey import Survey, read_survey
from lapcat.plan.schema import Bounds, ListedKeys, RangeKeys, SpendingLimit, Table
from lapcat.stored.json_once import read_json

if TYPE_CHECKING:
    from lapcat.engines.duckdb.reports import ReportFile

ROW = "row"
"""Identifies a person by the position of their row."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The result of `encode_file`."""

    protocol: Protocol
    n: int
    key_made: bool


def encode_file(
    source: str,
    column: str,
    protocol: Protocol,
    *,
    person: str,
    key: Path,
    to: Path,
    missing: str | None = None,
) -> Encoded:
    """Writes a report for each person of a table, in random order; a repetition requires the same values.

    If the values have changed, the question needs a new wave (local/key_file.py).
    """
    from lapcat.engines.duckdb.reports import read_people, write_reports

    require_protection(protocol.epsilon, "--epsilon 1")
    if isinstance(protocol.randomiser, Permanent):
        require_protection(protocol.randomiser.permanent, "--permanent 3")
    numbers = isinstance(protocol.domain, Numbers)
    people = read_people(
        parse_source(source, Path.cwd()), column, None if person == ROW else person, numbers=numbers
    )
    if numbers:
        values = people.values
        if np.isnan(values).any():
            if missing is None:
                raise BadQuery(
                    "local-missing",
                    f"some rows of {column} hold no number, and everybody reports",
                    why="a missing report would reveal that the person has no number",
                    fix="--missing 0, or the number that stands for none",
                )
            values = np.where(np.isnan(values), float(exact(missing)), values)
        assert isinstance(protocol.domain, Numbers)
        places = protocol.domain.places(values)
    else:
        places = protocol.places(["" if value is None else value for value in people.values.tolist()])
    held = open_key(key)
    coins = held.coins_for(protocol, people.names, places)
    reports, order = coins.reports(people.names, places), coins.order(people.names)
    write_reports({name: part[order] for name, part in reports.items()}, protocol.as_json(), to)
    return Encoded(protocol, len(places), held.made)


def estimate_file(path: Path, confidence: object = "0.95") -> tuple[Protocol, int, Estimate]:
    """The estimate from a file of reports: the engine counts, lapcat estimates."""
    from lapcat.engines.duckdb.reports import reports

    if not path.is_file():
        raise BadQuery(
            "reports-unreadable",
            f"there is no file {path}",
            fix="lapcat local encode writes one: -o reports.parquet",
        )
    with reports(path) as file:
        protocol = protocol_from_json(file.header())
        n = file.checked(spans(protocol.randomiser))
        if isinstance(protocol.randomiser, Prefixes):
            return protocol, n, find(protocol.randomiser, file.about, confidence=exact(confidence))
        counts = [_counted(file, tally) for tally in protocol.randomiser.tallies]
        return protocol, n, protocol.estimate_counts(counts, n, confidence)


def spans(randomiser: Randomiser) -> dict[str, tuple[int, int]]:
    """The columns of a report, with the minimum and maximum of each."""
    if isinstance(randomiser, Laplace):
        return {"said": (-FARTHEST, FARTHEST)}
    ranges = {name: (0, end - 1) for name, end in randomiser.ranges.items()}  # type: ignore[attr-defined]
    return ranges | {"told": (1, ranges["told"][1])} if isinstance(randomiser, Prefixes) else ranges


def _counted(file: ReportFile, tally: object) -> tuple[np.ndarray, np.ndarray]:
    return file.by_bit(tally) if isinstance(tally, SetBits) else file.by_place(tally)  # type: ignore[arg-type]


def open_survey(path: Path) -> Survey:
    """The survey in a file of questions."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadQuery(
            "survey-missing",
            f"there is no readable file of questions at {path}",
            fix="questions.toml, a text in UTF-8",
        ) from None
    survey = read_survey(text)
    require_protection(survey.epsilon, "epsilon = 1, or fewer questions")
    lasting = [p.randomiser.permanent for p in survey.protocols if isinstance(p.randomiser, Permanent)]
    if lasting:
        require_protection(sum(lasting, Fraction(0)), "permanent = 3, or fewer questions")
    return survey


def require_protection(epsilon: Fraction, fix: str) -> None:
    """Refuses an epsilon that protects nobody: there is no steward who could override it."""
    danger = protects_nobody(SpendingLimit(epsilon))
    if danger:
        raise Refused("protects-nobody", danger, fix=fix)


@dataclass(frozen=True, slots=True)
class Answered:
    """The estimates of a survey, and the number of answers left out."""

    estimates: list[tuple[Protocol, int, Estimate]]
    left_out: int


def estimate_answers(paths: Sequence[Path], questions: Path, confidence: object = "0.95") -> Answered:
    """Estimates from the answers sent by a survey page: JSON, one answer per line or per file.

    Anybody can send anything. Answers that no page of these questions could send are left out and counted, so that they cannot
    block the estimate.
    """
    survey = open_survey(questions)
    given = [line for path in paths for line in _lines(path)]
    answers = [answer for line in given if (answer := _answer(line, survey)) is not None]
    if not answers:
        raise BadQuery(
            "answer-foreign",
            f"none of {len(given)} answers is to these questions",
            why="an estimate with other probabilities than those used for the reports would be silently wrong",
            fix="--questions with the file that the page was made from, unchanged",
        )
    estimates: list[tuple[Protocol, int, Estimate]] = []
    for protocol in survey.protocols:
        reports = [answer[protocol.question] for answer in answers]
        columns = {name: np.array([report[name] for report in reports], np.int64) for name in reports[0]}
        estimates.append((protocol, len(answers), protocol.estimate(columns, confidence)))
    return Answered(estimates, len(given) - len(answers))


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise BadQuery(
            "reports-unreadable",
            f"{path} cannot be read: {problem.strerror}",
            fix="a file that people's answers are in",
        ) from None
    return [line for line in text.split("\n") if line.strip()]


def _answer(line: str, survey: Survey) -> dict[str, dict[str, int]] | None:
    """The reports of an answer, if the page could have sent it."""
    try:
        answer = read_json(line)
    except ValueError:
        return None
    match answer:
        case {"survey": survey.id, "reports": dict(reports)} if len(answer) == 2:
            names = {protocol.question for protocol in survey.protocols}
            if reports.keys() == names and all(
                possible(protocol.randomiser, reports[protocol.question])  # type: ignore[arg-type]
                for protocol in survey.protocols
            ):
                return reports
    return None


@dataclass(frozen=True, slots=True)
class DeclaredDomain:
    """The domain that a catalogue declares for a column."""

    domain: Domain
    person: str | None


def declared_in(catalogue: Path, source: str, column: str) -> DeclaredDomain | None:
    """The domain and the unit of a column, if the catalogue has a table over this source; reads no row."""
    from lapcat.session.files import describe_types

    if not catalogue.is_file():
        return None
    folder = catalogue.resolve().parent
    text = catalogue.read_text(encoding="utf-8")
    declared = read_catalogue(
        text, lambda name: describe_types(parse_source(name, folder, read_cluster(text)))
    )
    wanted = parse_source(source, Path.cwd())
    for table in declared.tables.values():
        held = parse_source(table.source, folder)
        if held == wanted and column in table.columns:
            return _declared(table, column)
    return None


def _declared(table: Table, column: str) -> DeclaredDomain | None:
    spec = table.columns[column]
    person = ROW if table.unit.is_row else table.unit.column if table.unit.through is None else None
    match spec.keys, spec.bounds:
        case ListedKeys(values=keys), _:
            return DeclaredDomain(Values(tuple(str(key) for key in keys)), person)
        case RangeKeys(low=low, high=high), _:
            return DeclaredDomain(Values(tuple(str(key) for key in range(low, high + 1))), person)
        case _, Bounds(low=low, high=high):
            return DeclaredDomain(Numbers(low, high), person)
    return None


def the_domain(
    values: Sequence[str],
    low: str | None,
    high: str | None,
    alphabet: str | None,
    length: int | None,
    missing: str | None,
) -> Domain | None:
    """The domain given by command options, if any."""
    if alphabet is not None and length is not None:
        return Texts(alphabet, length)
    if low is not None and high is not None:
        return Numbers(exact(low), exact(high))
    return Values(tuple(values), missing) if values else None
