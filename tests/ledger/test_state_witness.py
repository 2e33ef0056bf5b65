"""The witness in the user's state folder: made by itself, durable, and never behind what it once said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ledger_kit import ask, finish

from lapcat.errors import IntegrityFailed
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.chain import GENESIS, Head
from lapcat.ledger.guards import Guards
from lapcat.ledger.state_witness import HEADS, SECTOR, StateWitness, state_folder
from lapcat.ledger.store_urls import open_read_only, state_witness


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "lapcat"


def opened(path: str) -> SQLiteLedger:
    return SQLiteLedger(path, guards=Guards(witness=state_witness(path)))


def head(id: int) -> Head:
    return (id, f"{id:064x}")


def said(path: str) -> Head:
    return state_witness(path).read().last


def test_every_commit_is_in_the_state_folder_before_it_returns(path: str, state: Path) -> None:
    with opened(path) as ledger:
        assert ledger.note is None, "a ledger that begins has nothing to note"
        for number in range(5):
            debit = ledger.debit(ask(f"q{number}"))
            assert said(path) == ledger.head()
            finish(ledger, debit.id)
            assert said(path) == ledger.head()
    [file] = state.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and state.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_size == 2 * SECTOR + HEADS - SECTOR, "it does not grow"
    assert path in file.read_text()


def test_without_xdg_state_home_it_lies_where_it_does_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert state_folder() == Path("/home/ana/.local/state/lapcat")


def test_a_server_s_witness_is_named_without_user_and_password() -> None:
    witness = state_witness("postgresql://ana:secret@db.example/books")
    other = state_witness("postgresql://bob@db.example/books")
    assert witness.path == other.path != state_witness("postgresql://ana@db.example/other").path
    assert "secret" not in repr(witness.__dict__)


def test_an_existing_ledger_gets_a_witness_and_a_note_and_a_look_makes_none(path: str, state: Path) -> None:
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask("a"))
    with open_read_only(path, Guards(witness=state_witness(path))) as looked:
        assert looked.verify() == 1
    assert not state.exists()
    with opened(path) as ledger:
        assert ledger.note is not None and "at entry 1" in ledger.note
    with opened(path) as ledger:
        assert ledger.note is None
    assert said(path)[0] == 1


def test_another_ledger_in_the_same_place_is_refused(path: str) -> None:
    """Even one with no entry yet, of which no hash could tell."""
    opened(path).close()
    os.remove(path)
    SQLiteLedger(path).close()
    with pytest.raises(IntegrityFailed, match="is not the one recorded by its witness") as caught:
        opened(path)
    assert caught.value.code == "ledger-rolled-back" and "lapcat ledger adopt" in caught.value.fix


def test_a_ledger_that_the_witness_is_behind_is_no_rollback(path: str) -> None:
    """A crash between the commit and the witness."""
    with opened(path) as ledger:
        ledger.debit(ask("a"))
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask("b"))
    with opened(path) as ledger:
        assert ledger.verify() == 2
        ledger.debit(ask("b"))  # free; but it leaves only when the witness knows the entry
        assert said(path) == ledger.head()


def test_a_torn_head_leaves_the_other(path: str) -> None:
    with opened(path) as ledger:
        for number in range(4):
            ledger.debit(ask(f"q{number}"))
    witness = state_witness(path)
    data = bytearray(witness.path.read_bytes())
    places = [len(data) - HEADS, len(data) - SECTOR]
    newest = max(places, key=lambda at: int(data[at : at + SECTOR].split(b'"id":')[1].split(b"}")[0]))
    data[newest + 20 : newest + SECTOR] = bytes(SECTOR - 20)
    witness.path.write_bytes(data)
    assert witness.read().last[0] == 3 and witness.read().torn == 1
    with opened(path) as ledger:
        ledger.debit(ask("new"))
    assert said(path)[0] == 5


def test_heads_never_go_back_whoever_writes(path: str) -> None:
    opened(path).close()
    witnesses = [state_witness(path) for _ in range(4)]
    seen: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.append(said(path)[0])

    def settle(witness: StateWitness, first: int) -> None:
        for id in range(first, 400, 4):
            witness.settle(head(id))

    watcher = threading.Thread(target=watch)
    watcher.start()
    writers = [threading.Thread(target=settle, args=(w, i + 1)) for i, w in enumerate(witnesses)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    watcher.join()
    assert seen == sorted(seen) and said(path) == head(399)
    witnesses[0].settle(head(7))
    state_witness(path).settle(head(8))
    assert said(path)[0] == 399


def test_processes_share_a_witness(path: str) -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[2])
from ledger_kit import ask
from lapcat.ledger import SQLiteLedger
from lapcat.ledger.guards import Guards
from lapcat.ledger.store_urls import state_witness
path, name = sys.argv[1], sys.argv[3]
with SQLiteLedger(path, guards=Guards(witness=state_witness(path))) as ledger:
    for number in range(15):
        ledger.debit(ask(f"{name}{number}", "0.001"))
"""
    here = str(Path(__file__).parent)
    children = [
        subprocess.Popen([sys.executable, "-c", code, path, here, name], stderr=subprocess.PIPE)
        for name in "abc"
    ]
    for child in children:
        assert child.wait(120) == 0, child.stderr and child.stderr.read()
    with opened(path) as ledger:
        assert ledger.verify() == 45 and said(path) == ledger.head()


def test_a_witness_that_is_removed_while_a_process_runs_begins_anew(path: str, state: Path) -> None:
    with opened(path) as ledger:
        ledger.debit(ask("a"))
        shutil.rmtree(state)
        ledger.debit(ask("b"))
        assert said(path) == ledger.head()


def test_two_that_start_at_once_do_not_undo_each_other(path: str) -> None:
    with SQLiteLedger(path) as ledger:
        ledger.debit(ask("a"))
        begun = ledger.begun()
    slow, fast = state_witness(path), state_witness(path)
    nothing = slow.read()
    assert nothing.absent
    fast.attend(fast.read(), begun)
    fast.settle(head(9))
    slow.attend(nothing, begun)
    assert said(path) == head(9)


def test_a_folder_that_cannot_be_written_lets_nothing_out(path: str, state: Path) -> None:
    state.parent.mkdir()
    state.write_text("a file where the folder should be")
    with pytest.raises(IntegrityFailed) as caught:
        opened(path)
    assert caught.value.code == "witness-failed" and "XDG_STATE_HOME" in caught.value.fix


def test_what_was_adopted_stays_in_the_witness(path: str) -> None:
    with opened(path) as ledger:
        ledger.debit(ask("a"))
        witness = state_witness(path)
        for number in range(3):
            witness.begin(ledger.begun(f"reason {number}", before=head(9)))
        assert witness.read().last == ledger.head() != GENESIS
        ledger.debit(ask("b"))
        assert said(path) == ledger.head()
    text = witness.path.read_text()
    assert all(f"reason {number}" in text for number in range(3)) and len(text) % SECTOR == 0
    os.truncate(witness.path, SECTOR // 2)
    with pytest.raises(IntegrityFailed) as caught:
        opened(path)
    assert caught.value.code == "witness-emptied"
