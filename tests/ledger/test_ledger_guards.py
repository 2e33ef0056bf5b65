"""What hashes alone cannot show: a book that was rewritten whole, or put back from an older copy."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from evidence_kit import Place, Rows, asked, forge, made
from ledger_kit import STAFF, ask, faulty, finish, kinds, raw, spent

from lapcat.core.exact import exact
from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.chain import canonical
from lapcat.ledger.checkpoints import EVERY
from lapcat.ledger.guards import Guards
from lapcat.ledger.receipts import Proved, receipt_of
from lapcat.ledger.witness import Witness

MANY = [f"q{i}" for i in range(75)]  # 225 entries and two checkpoints


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return made(tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = made(tmp_path_factory.mktemp("template"))
    with place.open() as ledger:
        asked(ledger, *MANY)
    return place


@pytest.fixture
def book(template: Place, tmp_path: Path) -> Place:
    """A signed and witnessed ledger of more than two hundred entries, closed."""
    shutil.copytree(template.folder, tmp_path / "book")
    return Place(tmp_path / "book")


def refused(act: Callable[[], object]) -> IntegrityFailed:
    try:
        act()
    except IntegrityFailed as error:
        assert error.fix
        return error
    raise AssertionError("assert that it is refused: it passed")


def opened(place: Place, *, signed: bool = True, witnessed: bool = True) -> Callable[[], None]:
    """Opening it, as every command does."""
    return lambda: place.open(signed=signed, witnessed=witnessed).close()


# ------------------------------------------------------------------------------------------------ checkpoints


def test_every_hundred_entries_are_signed(book: Place) -> None:
    with book.open() as ledger:
        signed = [entry.id for entry in ledger.entries() if entry.kind == "checkpoint"]
        verification = ledger.verified()
    assert [id // EVERY for id in signed] == [1, 2]
    assert (verification.checkpoints, verification.last_checkpoint) == (2, signed[-1])
    assert verification.witness is not None and verification.witness.last[0] == verification.entries


def test_a_book_without_a_key_has_no_checkpoint(place: Place) -> None:
    with place.open(signed=False) as ledger:
        asked(ledger, *MANY[:40])
        assert "checkpoint" not in kinds(ledger)


def cheaper(rows: Rows) -> Rows:
    """A debit near the beginning cost next to nothing."""
    id, kind, body = rows[30]
    assert kind == "debit"
    cheap = body.replace('"epsilon":10000000,', '"epsilon":1,').replace('"l1":"0.01"', '"l1":"0.000000001"')
    assert cheap != body
    return [*rows[:30], (id, kind, cheap), *rows[31:]]


def without_checkpoints(rows: Rows) -> Rows:
    return [row for row in cheaper(rows) if row[1] != "checkpoint"]


def test_a_book_rewritten_below_a_checkpoint_is_found_at_start_up(book: Place) -> None:
    forge(book.ledger, cheaper)
    error = refused(opened(book, witnessed=False))
    assert error.code == "ledger-damaged" and "checkpoint whose signature" in error.message


def test_a_book_rewritten_without_its_checkpoints_is_found_at_start_up(book: Place) -> None:
    forge(book.ledger, without_checkpoints)
    assert refused(opened(book, witnessed=False)).code == "checkpoint-missing"


def test_a_book_signed_by_somebody_else_is_found(book: Place) -> None:
    """Whoever has no key of ours may have one of their own."""
    os.rename(book.key, f"{book.key}.ours")
    os.rename(book.public, f"{book.public}.ours")
    other = book.signer()

    def signed_anew(rows: Rows) -> Rows:
        return [
            (
                id,
                kind,
                canonical({"public_key": other.public, "signature": "00" * 64})
                if kind == "checkpoint"
                else body,
            )
            for id, kind, body in cheaper(rows)
        ]

    forge(book.ledger, signed_anew)
    os.replace(f"{book.key}.ours", book.key)
    os.replace(f"{book.public}.ours", book.public)
    assert refused(opened(book, witnessed=False)).code == "checkpoint-missing"


def test_a_book_from_before_the_key_is_signed_once_and_then_must_stay_so(place: Place) -> None:
    with place.open(signed=False) as ledger:
        asked(ledger, *MANY)
    assert refused(opened(place)).code == "checkpoint-missing"  # lapcat.pub stands for a signed book
    with SQLiteLedger(place.ledger, guards=Guards(place.signer(), (), None)) as ledger:
        ledger.checkpoint()
    opened(place, witnessed=False)()


def test_what_hashes_alone_cannot_show_is_not_shown(book: Place) -> None:
    """Without a key and a witness a book rewritten whole passes at start-up: that is what they are for."""
    shorter = lambda rows: rows[:30]  # noqa: E731
    with book.open(signed=False, witnessed=False) as ledger:
        before = spent(ledger)
    forge(book.ledger, shorter)
    with book.open(signed=False, witnessed=False) as ledger:
        assert spent(ledger) < before


# ------------------------------------------------------------------------------------------------ start-up


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        ("UPDATE entries SET body = replace(body, 'q10', 'q11') WHERE id = 31", "entry 31"),
        ("DELETE FROM entries WHERE id = 77", "entry 77"),
        ("UPDATE entries SET id = 9000 WHERE id = 40; UPDATE entries SET id = 40 WHERE id = 41; "
         "UPDATE entries SET id = 41 WHERE id = 9000", "entry 40"),
        ("UPDATE entries SET kind = CAST(x'ff' AS TEXT) WHERE id = 12", "entry 12"),
        ("UPDATE spent SET epsilon = 0 WHERE scope = 'table:staff.parquet'", "spent from table:staff.parquet"),
        ("UPDATE spent SET epsilon = NULL", "spent from analyst:ana@staff.parquet"),
        ("DELETE FROM spent", "spent from analyst:ana@staff.parquet"),
        ("INSERT INTO spent VALUES ('table:other', 1, 0, 0)", "spent from table:other"),
    ],
)  # fmt: skip
def test_an_edited_removed_or_reordered_entry_is_named_at_start_up(
    book: Place, damage: str, named: str
) -> None:
    connection = raw(str(book.ledger))
    connection.executescript(damage)
    connection.close()
    for guarded in (True, False):
        error = refused(opened(book, signed=guarded, witnessed=guarded))
        assert error.code == "ledger-damaged" and named in error.message


def test_start_up_knows_what_was_taken_back(place: Place) -> None:
    with place.open() as ledger:
        asked(ledger, "a")
        ledger.void(ledger.debit(ask("b")).id, "a slip")
    with place.open() as ledger:
        assert spent(ledger) == exact("0.01")


# ------------------------------------------------------------------------------------------------ the witness


def test_every_commit_is_witnessed_before_it_returns(place: Place) -> None:
    with place.open() as ledger:
        for act in (
            lambda: ledger.debit(ask("q")).id,
            lambda: ledger.executing(1),
            lambda: ledger.answered(1, b"answer"),
            lambda: ledger.failed(1),
            lambda: ledger.resume(STAFF, "why"),
        ):
            act()
            id, hash = Witness(place.witness).read().last
            assert (id, hash) == ledger.head()


def test_an_older_copy_of_the_ledger_is_refused_at_start_up(place: Place) -> None:
    older = place.folder / "backup"
    with place.open() as ledger:
        asked(ledger, "a", "b")
    shutil.copy(place.ledger, older)
    with place.open() as ledger:
        asked(ledger, "c")
    shutil.copy(older, place.ledger)
    for guarded in (True, False):  # with a key or without
        error = refused(opened(place, signed=guarded))
        assert error.code == "ledger-rolled-back"
        assert "ends with entry 6" in error.message and "recorded entry 9" in error.message
    opened(place, witnessed=False)()  # which is what a witness is for


def test_an_older_copy_that_was_written_on_is_refused_too(place: Place) -> None:
    with place.open() as ledger:
        asked(ledger, "a")
    shutil.copy(place.ledger, place.folder / "backup")
    with place.open() as ledger:
        asked(ledger, "b")
    shutil.copy(place.folder / "backup", place.ledger)
    with place.open(witnessed=False) as ledger:
        asked(ledger, "c", "d")
    error = refused(opened(place))
    assert error.code == "ledger-rolled-back" and "entry 4 of the ledger is not the one" in error.message


def test_a_line_that_was_cut_short_is_passed_over_and_those_before_it_bind(place: Place) -> None:
    with place.open() as ledger:
        asked(ledger, "a", "b")
    shutil.copy(place.ledger, place.folder / "backup")
    with place.open() as ledger:
        asked(ledger, "c")
    whole = place.witness.read_bytes()
    lines = whole.splitlines(keepends=True)
    place.witness.write_bytes(whole[:-20])
    with place.open() as ledger:
        verification = ledger.verified()
        assert verification.witness is not None and verification.witness.torn == 1
        assert verification.witness.last == (8, json.loads(lines[-2])["hash"])
        asked(ledger, "d")  # goes on in a line of its own
        assert ledger.verified().witness.torn == 1  # type: ignore[union-attr]
        assert Witness(place.witness).read().last == ledger.head()
    place.witness.write_bytes(b"".join(lines[:-1]) + lines[-1][:-20])
    shutil.copy(place.folder / "backup", place.ledger)
    assert refused(opened(place)).code == "ledger-rolled-back", "the last whole line is of entry 8"


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xff\x00 no line of lapcat\n"])
def test_a_witness_that_says_nothing_begins_with_the_book_as_it_is(place: Place, text: bytes) -> None:
    with place.open(witnessed=False) as ledger:
        asked(ledger, "a")
    place.witness.write_bytes(text)
    with place.open() as ledger:
        asked(ledger, "a")  # free; but the answer leaves only when the witness knows the entry
        assert Witness(place.witness).read().last == ledger.head()


def test_without_the_witness_nothing_is_released_and_afterwards_the_same_question_finishes(
    place: Place,
) -> None:
    with place.open() as ledger:
        asked(ledger, "a")
        hidden = place.folder / "elsewhere" / "hidden"
        os.rename(place.witness, hidden)
        error = refused(lambda: ledger.debit(ask("b")))
        assert error.code == "witness-failed" and "the charge stands" in error.why
        assert refused(lambda: ledger.debit(ask("b"))).code == "witness-failed"
        assert not place.witness.exists(), "a missing mount must not be papered over"
        assert refused(opened(place)).code == "witness-failed"
        os.rename(hidden, place.witness)
        debit = ledger.debit(ask("b"))
        finish(ledger, debit.id)
        assert debit.free and spent(ledger) == exact("0.11")
        ledger.verify()


def test_an_answer_that_is_stored_leaves_only_when_it_is_witnessed(place: Place) -> None:
    """The witness fails after the answer was stored; the repeat, which writes nothing, must not slip past it."""
    with place.open() as ledger:
        debit = ledger.debit(ask("a"))
        ledger.executing(debit.id)
        hidden = place.folder / "elsewhere" / "hidden"
        os.rename(place.witness, hidden)
        refused(lambda: ledger.answered(debit.id, b"answer"))
        assert refused(lambda: ledger.debit(ask("a"))).code == "witness-failed"
        os.rename(hidden, place.witness)
        assert ledger.debit(ask("a")).answer == b"answer"
        assert Witness(place.witness).read().last == ledger.head()


def test_a_full_disk_under_the_witness_is_no_success(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with place.open() as ledger:
        asked(ledger, "a")
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:40]))
        assert refused(lambda: ledger.debit(ask("b"))).code == "witness-failed"
        monkeypatch.undo()
        assert ledger.debit(ask("b")).free
        assert Witness(place.witness).read().last == ledger.head()


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "too long"])
def test_a_witness_that_is_no_file_of_lapcat_is_refused_without_reading_it(place: Place, kind: str) -> None:
    place.witness.unlink()
    match kind:
        case "pipe":
            os.mkfifo(place.witness)  # which would be waited for for ever
        case "folder":
            place.witness.mkdir()
        case "device":
            place.witness.symlink_to("/dev/zero")  # which never ends
        case "too long":
            place.witness.touch()
            os.truncate(place.witness, 1 << 40)
    for act in (opened(place), lambda: Witness(place.witness).settle((1, "a" * 64))):
        error = refused(act)
        assert error.code == "witness-failed" and "it was not read" in error.message


def test_racing_threads_and_ledgers_share_a_witness(place: Place) -> None:
    ledgers = [place.open() for _ in range(3)]
    threads = [
        threading.Thread(target=asked, args=(ledger, f"{name}{number}a", f"{name}{number}b"))
        for name, ledger in enumerate(ledgers)
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    head = ledgers[0].head()
    verification = ledgers[0].verified()
    for ledger in ledgers:
        ledger.close()
    assert verification.entries == head[0] >= 3 * 4 * 2 * 3
    assert (
        verification.witness is not None
        and verification.witness.torn == 0
        and verification.witness.last == head
    )


def test_a_ledger_is_opened_and_verified_while_others_write(place: Place) -> None:
    """What somebody adds to the book and the witness after the one was read must not look like a rollback."""
    busy = False

    def meanwhile(sql: str) -> None:
        if busy and sql.startswith("SELECT id, CAST(kind"):
            asked(other, f"q{len(kinds(other))}")

    with place.open() as other:
        asked(other, "a")
        busy = True
        with SQLiteLedger(
            place.ledger, connect=faulty(lambda sql: None, meanwhile), guards=place.guards()
        ) as ledger:
            before = ledger.head()[0]
            assert ledger.verified().entries >= before
            busy = False
            assert ledger.head()[0] > before > 3
        assert Witness(place.witness).read().last == other.head()


def test_only_the_end_of_a_long_witness_is_read_at_start_up(place: Place) -> None:
    witness = Witness(place.witness)
    with place.witness.open("w") as file:
        for id in range(1, 3001):
            file.write(canonical({"id": id, "hash": f"{id:064x}"}) + "\n")
    reading = witness.read(2000)
    assert reading.torn == 0 and reading.last == (3000, f"{3000:064x}") and 15 <= len(reading.heads) <= 25
    assert len(witness.read().heads) == 3000


# ------------------------------------------------------------------------------------------------ the world


@pytest.fixture
def public_place() -> Iterator[Place]:
    """Where another user may enter, unlike pytest's own folder."""
    folder = Path(tempfile.mkdtemp(prefix="lapcat-test-"))
    folder.chmod(0o755)
    yield made(folder)
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o755)
    shutil.rmtree(folder)


def as_somebody_else(act: Callable[[], object]) -> str:
    """The code of the error that a user without rights gets (root may read and write anything)."""
    reader, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            act()
            code = "it passed"
        except IntegrityFailed as error:
            code = error.code
        except BaseException as error:
            code = repr(error)
        os.write(tell, code.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(tell)
    with os.fdopen(reader) as answers:
        return answers.read()


def test_a_witness_that_cannot_be_written_lets_nothing_out(public_place: Place) -> None:
    place = public_place

    def ask_there() -> None:
        with SQLiteLedger(
            place.folder / "open" / "lapcat.ledger", guards=Guards(witness=Witness(place.witness))
        ) as book:
            book.debit(ask("q"))

    (place.folder / "open").mkdir()
    (place.folder / "open").chmod(0o777)
    if os.geteuid() != 0:
        place.witness.chmod(0o444)
    place.witness.parent.chmod(0o555)
    assert as_somebody_else(ask_there) == "witness-failed"
    place.witness.parent.chmod(0o000)
    assert as_somebody_else(ask_there) == "witness-failed"


def test_a_key_of_another_user_or_in_a_folder_of_theirs_is_refused(public_place: Place) -> None:
    place = public_place
    place.key.parent.mkdir()
    place.key.parent.chmod(0o555)
    assert as_somebody_else(place.signer) == "key-unwritable"
    place.key.parent.chmod(0o755)
    place.signer()
    place.key.chmod(0o000 if os.geteuid() != 0 else 0o600)
    assert as_somebody_else(place.signer) == "key-unreadable"


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_that_is_years_off_changes_no_receipt_checkpoint_or_witness(place: Place, years: int) -> None:
    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(days=365 * years)

    with place.open() as ledger:
        id = asked(ledger, "a")[0]
        before = receipt_of(Proved(*ledger.paid(id)), {}, ledger.signer)
    with SQLiteLedger(place.ledger, clock=clock, guards=place.guards()) as ledger:
        assert asked(ledger, "a") == [id]
        assert receipt_of(Proved(*ledger.paid(id)), {}, ledger.signer) == before
        asked(ledger, *MANY[:34])
    with place.open() as ledger:
        verification = ledger.verified()
        assert (
            verification.checkpoints == 1
            and verification.witness is not None
            and verification.witness.last == ledger.head()
        )


def test_an_entry_of_a_newer_lapcat_is_not_guessed(place: Place) -> None:
    with place.open() as ledger:
        ledger._write(lambda transaction: transaction.append("prophecy", {}))
    with place.open() as ledger:
        assert refused(ledger.verify).code == "entry-unknown"
