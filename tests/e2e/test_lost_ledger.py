"""The operator who makes a mistake: each is refused, in words that say what happened, and with a fix that works."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lapcat.ledger import SQLLedger
from lapcat.ledger.store_urls import state_witness
from tests.e2e.kit import Desk, Done

COUNT = "SELECT COUNT(*) AS n FROM staff WHERE age > {}"
ADOPT, NEW = "lapcat ledger adopt --reason", "lapcat ledger new --reason"


class Operator(Desk):
    """Whose commands end, as processes do: no ledger stays open behind the back of whoever copies files."""

    def here(self, *arguments: str, stdin: str = "") -> Done:
        done = super().here(*arguments, stdin=stdin)
        for value in gc.get_objects():
            if isinstance(value, SQLLedger) and hasattr(value, "note"):  # else it was never opened
                value.close()
        return done


def ask(desk: Desk, number: int, *more: str) -> Done:
    return desk.here("ask", COUNT.format(number), "--epsilon", "0.1", *more)


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A deployment with two paid questions, and a backup from between them."""
    desk = Operator(desk.folder)
    assert ask(desk, 20).code == 0
    made = desk.here("ledger", "backup", "backup.ledger")
    assert made.code == 0 and "entries, verified" in made.out, made
    assert ask(desk, 21).code == 0
    return desk


def ledger(desk: Desk) -> Path:
    return desk.folder / "lapcat.ledger"


def killed(desk: Desk) -> None:
    """A process that asks and is killed: what it wrote last is in the log beside the ledger."""
    code = f"""import os, signal, lapcat
db = lapcat.open("lapcat.toml")
for number in range(40, 44):
    db.sql({COUNT!r}.format(number)).run(epsilon="0.01")
os.kill(os.getpid(), signal.SIGKILL)"""
    done = subprocess.run([sys.executable, "-c", code], cwd=desk.folder, timeout=120, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done
    assert Path(f"{ledger(desk)}-wal").stat().st_size > 0


def deleted(desk: Desk) -> None:
    ledger(desk).unlink()


def emptied(desk: Desk) -> None:
    ledger(desk).write_bytes(b"")


def older(desk: Desk) -> None:
    shutil.copy(desk.folder / "backup.ledger", ledger(desk))


def shortened(desk: Desk) -> None:
    os.truncate(ledger(desk), ledger(desk).stat().st_size // 2)


def cut_to_its_header(desk: Desk) -> None:
    os.truncate(ledger(desk), 100)


def without_its_log(desk: Desk) -> None:
    killed(desk)
    for end in ("-wal", "-shm"):
        os.remove(f"{ledger(desk)}{end}")


def with_half_its_log(desk: Desk) -> None:
    killed(desk)
    os.remove(f"{ledger(desk)}-shm")
    os.truncate(f"{ledger(desk)}-wal", Path(f"{ledger(desk)}-wal").stat().st_size // 2)


MISTAKES: list[tuple[Callable[[Desk], None], str, str, str]] = [
    (deleted, "ledger-missing", "is missing or empty: its witness has recorded", NEW),
    (emptied, "ledger-missing", "is missing or empty: its witness has recorded", NEW),
    (older, "ledger-rolled-back", "the ledger ends with entry", ADOPT),
    (shortened, "ledger-damaged", "", NEW),
    (cut_to_its_header, "ledger-damaged", "", NEW),
    (without_its_log, "ledger-rolled-back", "the ledger ends with entry", ADOPT),
    (with_half_its_log, "ledger-rolled-back", "the ledger ends with entry", ADOPT),
]


@pytest.mark.parametrize(
    ("mistake", "code", "says", "fix"), MISTAKES, ids=lambda part: getattr(part, "__name__", "")
)
def test_a_lost_older_or_shortened_ledger_is_refused_and_the_fix_works(
    used: Desk, mistake: Callable[[Desk], None], code: str, says: str, fix: str
) -> None:
    before = ledger(used).read_bytes()
    mistake(used)
    after = ledger(used).read_bytes() if ledger(used).exists() else None
    for typed in (
        ("budget",), ("ask", COUNT.format(22), "--epsilon", "0.1"), ("ledger", "verify"),
        ("ledger", "backup", "another.ledger"),
    ):  # fmt: skip
        done = used.here(*typed)
        assert done.code == 5 and code in done.err and says in done.err, (typed, done)
        assert fix in done.err, done
    if mistake not in (without_its_log, with_half_its_log):
        now = ledger(used).read_bytes() if ledger(used).exists() else None
        assert now == after, "it is only named, not changed"
        ledger(used).write_bytes(before)  # the newest copy, put back, is taken at once
        assert used.here("ledger", "verify").code == 0
        mistake(used)
    [command] = re.findall(r"lapcat (ledger \w+) --reason", used.here("budget").err)
    fixed = used.here(*command.split(), "--reason", "the disk died")
    assert fixed.code == 0, fixed
    assert used.here("ledger", "verify").code == 0
    listed = used.here("ledger", "list", "--json").json()["entries"]
    assert [line["kind"] for line in listed if "the disk died" in line["what"]] == [
        command.split()[1].replace("new", "begin")
    ]
    for how in ((), ("--participants",)):
        statement = " ".join(used.here("statement", *how).out.split())
        assert re.search(
            r"was continued without at least [1-9]\d* lost entries \(the disk died\)", statement
        ), statement
    if fix == ADOPT:
        paused = ask(used, 23)
        assert paused.code == 3 and "table-paused" in paused.err and "lost entries" in paused.err
        assert used.here("resume", "staff", "--reason", "lowered the budget by what they asked").code == 0
        assert used.spent() != "0", "what the older copy knows stays spent"
    else:
        assert used.here("refresh", "staff").code == 0, "snapshots belong to a ledger"
    assert ask(used, 23).code == 0


def test_a_new_ledger_does_not_take_the_place_of_one_that_can_be_read(used: Desk) -> None:
    fine = used.here("ledger", "new", "--reason", "a fresh start", "--json")
    assert fine.code == 2 and fine.error()["code"] == "ledger-exists"
    older(used)
    copy = used.here("ledger", "new", "--reason", "a fresh start", "--json")
    assert copy.code == 2 and copy.error()["code"] == "ledger-exists" and ADOPT in copy.error()["fix"]
    text = used.catalogue.read_text(encoding="utf-8")
    used.catalogue.write_text('[ledger]\nstore = "sqlite:visits.csv"\n\n' + text, encoding="utf-8")
    other = used.here("ledger", "new", "--reason", "a slip", "--json")
    assert other.code == 2 and other.error()["code"] == "ledger-exists"
    assert (used.folder / "visits.csv").read_text().startswith("person_id")


def test_nothing_is_adopted_where_nothing_is_lost_and_reasons_are_needed(used: Desk) -> None:
    assert used.here("ledger", "adopt", "--reason", "why", "--json").error()["code"] == "nothing-to-adopt"
    deleted(used)
    for verb in ("new", "adopt"):
        assert used.here("ledger", verb).code == 2
    assert used.here("ledger", "new", "--reason", " ").code == 2
    assert not ledger(used).exists()


def test_a_user_who_has_no_witness_yet_is_told_and_gets_one(used: Desk, tmp_path: Path) -> None:
    elsewhere = {"XDG_STATE_HOME": str(tmp_path / "container")}
    first = used.run("budget", env=elsewhere)
    assert first.code == 0 and first.err.startswith("note: you had no witness of this ledger yet")
    assert used.run("budget", env=elsewhere).err == ""
    older(used)
    assert used.run("budget", env=elsewhere).code == 5


def test_the_state_folder_must_be_writable_or_another_witness_named(used: Desk, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    blocked = {"XDG_STATE_HOME": str(tmp_path / "file")}
    refused = used.run("budget", "--json", env=blocked)
    assert refused.code == 5 and refused.error()["code"] == "witness-failed"
    assert 'witness = "none"' in refused.error()["fix"]
    text = used.catalogue.read_text(encoding="utf-8")
    used.catalogue.write_text('[ledger]\nwitness = "none"\n\n' + text, encoding="utf-8")
    assert used.run("budget", env=blocked).code == 0, "which nobody has to accept"


def own_emptied(desk: Desk) -> Path:
    path = state_witness(ledger(desk)).path
    path.write_bytes(b"")
    return path


def own_pipe(desk: Desk) -> Path:
    path = state_witness(ledger(desk)).path
    path.unlink()
    os.mkfifo(path)
    return path


def own_too_long(desk: Desk) -> Path:
    path = state_witness(ledger(desk)).path
    os.truncate(path, 10**12)
    return path


def own_zeros(desk: Desk) -> Path:
    path = state_witness(ledger(desk)).path
    path.write_bytes(bytes(path.stat().st_size))
    return path


@pytest.mark.parametrize("spoil", [own_emptied, own_pipe, own_too_long, own_zeros])
def test_an_emptied_or_replaced_witness_does_not_agree(used: Desk, spoil: Callable[[Desk], Path]) -> None:
    path = spoil(used)
    for typed in (("budget",), ("ledger", "verify"), ("ask", COUNT.format(22), "--epsilon", "0.1")):
        done = used.here(*typed, "--json")
        assert done.code == 5 and done.error()["code"] in ("witness-emptied", "witness-failed"), done
        assert str(path) in done.error()["message"]
    done = fixed_by(used, done.error()["fix"])
    assert done.returncode == 0, done
    assert used.here("ledger", "verify").code == 0 and ask(used, 22).code == 0


def fixed_by(desk: Desk, fix: str) -> subprocess.CompletedProcess[str]:
    """Types what a fix says last, as a shell would."""
    typed = fix.rpartition("newest: ")[2]
    folder = str(Path(sys.executable).parent)
    path = f"{folder}:{os.environ['PATH']}"
    environment = desk.environment({"PATH": path})
    return subprocess.run(
        typed, shell=True, cwd=desk.folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def watched(used: Desk) -> Desk:
    """With a witness elsewhere."""
    (used.folder / "elsewhere").touch()
    text = used.catalogue.read_text(encoding="utf-8")
    used.catalogue.write_text('[ledger]\nwitness = "elsewhere"\n\n' + text, encoding="utf-8")
    assert used.here("accept", "--reason", "a witness elsewhere").code == 0
    assert ask(used, 30).code == 0
    return used


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda path: path.write_bytes(b""), "witness-emptied"),
        (lambda path: path.write_bytes(b"nothing that lapcat wrote\n"), "witness-emptied"),
        (pipe, "witness-failed"),
        (folder, "witness-failed"),
        (lambda path: os.truncate(path, 1 << 40), "witness-failed"),
    ],
    ids=["emptied", "overwritten", "pipe", "folder", "too long"],
)
def test_a_witness_elsewhere_that_is_no_such_file_is_refused_without_reading_it(
    watched: Desk, spoil: Callable[[Path], None], code: str
) -> None:
    spoil(watched.folder / "elsewhere")
    for typed in (("budget",), ("ledger", "verify"), ("ask", COUNT.format(31), "--epsilon", "0.1")):
        done = watched.here(*typed, "--json")
        assert done.code == 5 and done.error()["code"] == code, done
    fixed = fixed_by(watched, done.error()["fix"])
    assert fixed.returncode == 0, fixed
    assert watched.here("ledger", "verify").code == 0 and ask(watched, 31).code == 0
    older(watched)
    assert watched.here("budget", "--json").error()["code"] == "ledger-rolled-back"


def test_a_device_is_no_witness_and_another_file_can_be_named(watched: Desk) -> None:
    os.remove(watched.folder / "elsewhere")
    os.symlink("/dev/zero", watched.folder / "elsewhere")
    done = watched.here("budget", "--json")
    assert done.code == 5 and "is a device" in done.error()["message"]
    assert "lapcat accept --reason" in done.error()["fix"] and "mv" not in done.error()["fix"]
    (watched.folder / "other").touch()
    text = watched.catalogue.read_text(encoding="utf-8")
    watched.catalogue.write_text(text.replace('"elsewhere"', '"other"'), encoding="utf-8")
    assert watched.here("accept", "--reason", "the mount was wrong").code == 0
    assert ask(watched, 31).code == 0


def test_a_ledger_without_a_catalogue_is_watched_too(tmp_path: Path) -> None:
    code = """import lapcat, pandas
table = lapcat.table(pandas.DataFrame({"age": range(100)}), unit="row", epsilon=1, ledger="own.ledger")
table.sql("SELECT COUNT(*) AS n FROM data").run(epsilon="0.1")"""
    desk = Desk(tmp_path)

    def program() -> subprocess.CompletedProcess[str]:
        environment = desk.environment()
        return subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
        )

    assert program().returncode == 0, program()
    (tmp_path / "own.ledger").unlink()
    lost = program()
    assert lost.returncode != 0 and "ledger-missing" in lost.stderr and f"{NEW}" in lost.stderr
    done = desk.here("ledger", "new", "--reason", "deleted by hand", "--store", "own.ledger", "--json")
    assert done.json()["before"] >= 1
    assert program().returncode == 0


# ------------------------------------------------------------------------------------------------ copies


def test_a_backup_is_whole_private_new_and_opens_as_a_ledger(used: Desk) -> None:
    copy = used.folder / "copy.ledger"
    backup = used.here("ledger", "backup", "copy.ledger", "--json").json()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in used.folder.glob("copy*")) == ["copy.ledger"]
    again = used.here("ledger", "backup", "copy.ledger", "--json")
    assert again.code == 2 and again.error()["code"] == "output-exists"
    assert used.here("ledger", "backup", "no/such/folder", "--json").error()["code"] == "output-failed"
    spent = used.spent()
    shutil.copy(copy, ledger(used))
    assert used.spent() == spent
    assert used.here("ledger", "verify", "--json").json()["entries"] == backup["entries"]


def test_a_ledger_on_a_server_says_how_it_is_backed_up(desk: Desk, postgres: str) -> None:
    text = desk.catalogue.read_text(encoding="utf-8")
    secret = postgres.replace("steward@", "steward:hunter2@")
    desk.catalogue.write_text(f'[ledger]\nstore = "{secret}"\n\n' + text, encoding="utf-8")
    done = desk.here("ledger", "backup", "copy", "--json")
    assert done.code == 2 and done.error()["code"] == "backup-server" and "hunter2" not in done.err
    assert done.error()["fix"].startswith("pg_dump --format=custom --schema=lapcat --file=copy ")


def test_a_ledger_that_vanished_from_its_server_is_refused(desk: Desk, postgres: str) -> None:
    import psycopg

    text = desk.catalogue.read_text(encoding="utf-8")
    desk.catalogue.write_text(f'[ledger]\nstore = "{postgres}"\n\n' + text, encoding="utf-8")
    assert desk.here("refresh", "staff").code == 0 and ask(desk, 20).code == 0
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA lapcat CASCADE")
    for typed in (("budget",), ("ledger", "verify")):
        done = desk.here(*typed)
        assert done.code == 5 and "ledger-missing" in done.err and NEW in done.err, done
    with psycopg.connect(postgres, autocommit=True) as connection:
        assert connection.execute("SELECT to_regnamespace('lapcat')").fetchone() == (None,)
    assert desk.here("ledger", "new", "--reason", "dropped by mistake").code == 0
    assert desk.here("refresh", "staff").code == 0
    assert ask(desk, 20).code == 0


@pytest.mark.parametrize("left", ["at rest", "with its log", "with its log and index"])
def test_a_read_only_copy_is_verified_and_nothing_is_written_beside_it(
    used: Desk, tmp_path: Path, left: str
) -> None:
    if left != "at rest":
        killed(used)
    copy = tmp_path / "copy"
    copy.mkdir()
    for end in ("", "-wal", "-shm"):
        if Path(f"{ledger(used)}{end}").exists() and (end != "-shm" or left == "with its log and index"):
            shutil.copy(f"{ledger(used)}{end}", copy)
    (copy / "lapcat.toml").write_text('[ledger]\nwitness = "none"\n', encoding="utf-8")
    names = sorted(os.listdir(copy))
    for path in copy.iterdir():
        path.chmod(0o444)
    copy.chmod(0o555)
    try:
        before = (copy / "lapcat.ledger").read_bytes()
        done = Desk(copy).here("ledger", "verify", "--json")
        assert done.json()["entries"] >= 8
        assert sorted(os.listdir(copy)) == names and (copy / "lapcat.ledger").read_bytes() == before
        whole = used.here("ledger", "verify", "--json").json()["entries"]
        assert done.json()["entries"] == whole
        if os.geteuid() == 0:
            assert json.loads(as_nobody(copy))["entries"] == whole
    finally:
        copy.chmod(0o755)


def as_nobody(folder: Path) -> str:
    """`lapcat ledger verify` by a user who may only read; in a fork, for Python itself may lie where only root reads."""
    parents = [path for path in (folder, *folder.parents) if path.stat().st_uid == os.getuid()]
    modes = [(path, path.stat().st_mode & 0o7777) for path in parents]
    reader, tell = os.pipe()
    for path, mode in modes:
        path.chmod(mode | 0o055)
    child = os.fork()
    if child == 0:
        output = "it did not run"
        with contextlib.suppress(BaseException):
            os.setgid(65534)
            os.setuid(65534)
            done = Desk(folder).here("ledger", "verify", "--json")
            output = done.out or done.err
        os.write(tell, output.encode())
        os._exit(0)
    os.waitpid(child, 0)
    for path, mode in modes:
        path.chmod(mode)
    os.close(tell)
    with os.fdopen(reader) as answers:
        return answers.read()
