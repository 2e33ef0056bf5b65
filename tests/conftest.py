"""What every suite shares: repeatable property tests, golden files, planted bugs, and skips that cannot go unseen."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import spark_session
from tests.debian import Missing
from tests.postgres_cluster import Cluster

# The witness of every ledger lies in the user's state folder: here and in every process that a test starts, in one that is
# removed. Nothing of a test may reach the folder of whoever runs it.
STATE = tempfile.TemporaryDirectory(prefix="lapcat-state-")
os.environ["XDG_STATE_HOME"] = STATE.name

# Hypothesis begins with the same examples on every run, so that a red test mostly stays red until it is fixed (which
# examples follow also hangs on the tests that ran before in the process); `make slow` sets LAPCAT_ENTROPY=fresh and
# looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile("fresh" if os.environ.get("LAPCAT_ENTROPY") == "fresh" else "repeatable")

# A planted bug (lapcat/testing/mutants) is put in before any test is imported; only tests/mutants sets the variable.
if planted := os.environ.get("LAPCAT_MUTANT"):
    from lapcat.testing.mutants import plant

    plant(planted)

IMPOSSIBLE = "impossible here: "
"""How the reason of a skip begins that no machine of this kind could run (another operating system, not root)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden, and the outputs that docs show; read the diff like code",
    )


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server of our own, started by the first test that needs it."""
    try:
        made = Cluster()
    except Missing as missing:
        pytest.skip(str(missing))
    _checked(made)
    yield made
    made.remove()


def _checked(cluster: Cluster) -> None:
    """A server of a version that lapcat does not list is checked before tests ask it, as a steward does, or is no use."""
    from lapcat.engines import checked
    from lapcat.engines.backends import backend_of, parse_source
    from lapcat.engines.router import engine_of

    source = parse_source(f"{cluster.url()}#nothing", Path())
    name = engine_of(source)
    if not checked.is_known(name):
        unlike = [
            each.operator
            for each in backend_of(source).probe(source, lambda _: None)
            if each.result != "same"
        ]
        assert not unlike, f"{name} means something else by {unlike}"
        checked.CHECKED |= {name.partition(" at ")[0]}


@pytest.fixture
def postgres(cluster: Cluster) -> str:
    """The address of a database that has no ledger yet."""
    return cluster.emptied()


@pytest.fixture(scope="session")
def spark() -> Iterator[spark_session.Spark]:
    """A Spark of our own, started by the first test that needs it."""
    try:
        made = spark_session.Spark()
    except Missing as missing:
        pytest.skip(str(missing))
    yield made
    made.remove()


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C interrupts this process and those it starts, also where SIGINT is ignored, as in a shell's background job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


SLOW = 7200
"""Seconds for a test that is marked slow."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


class Skips:
    """Lists what did not run at the very end; in CI a skip that could have run is a failure."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    @property
    def avoidable(self) -> bool:
        return any(not reason.startswith(IMPOSSIBLE) for reason in self.found)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.note(report.longrepr, report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.note(report.longrepr, report.nodeid)

    def note(self, why: object, test: str) -> None:
        reason = str(why[2] if isinstance(why, tuple) else why).removeprefix("Skipped: ")
        self.found.setdefault(reason, []).append(test)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.avoidable and _in_ci() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.found:
            return
        count = sum(len(tests) for tests in self.found.values())
        terminalreporter.section(f"NOT RUN: {count} skipped", sep="!", red=True, bold=True)
        for reason, tests in self.found.items():
            terminalreporter.write_line(reason, yellow=True)
            for test in tests:
                terminalreporter.write_line(f"    {test}")
        if self.avoidable and _in_ci():
            terminalreporter.write_line("CI could have run these: this is a failure", red=True)


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Skips(), "lapcat-skips")
