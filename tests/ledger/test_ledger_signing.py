"""The key is made once, for its owner alone, and nothing is signed with one that others could use."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from evidence_kit import Place, made

from lapcat.errors import IntegrityFailed
from lapcat.ledger.signing import is_signed, open_signer, publish, read_public, require_unsigned


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return made(tmp_path)


def refused(act: Callable[[], object]) -> IntegrityFailed:
    with pytest.raises(IntegrityFailed) as caught:
        act()
    assert caught.value.fix
    return caught.value


def test_a_declared_key_is_made_for_its_owner_alone_and_stays(place: Place) -> None:
    first = place.signer()
    assert stat.S_IMODE(place.key.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.key.parent.stat().st_mode) == 0o700
    publish(first, place.public)
    before = place.key.read_bytes(), place.public.read_bytes()
    again = place.signer()
    assert again.public == first.public and read_public(place.public) == (first.public,)
    assert (place.key.read_bytes(), place.public.read_bytes()) == before
    assert os.listdir(place.key.parent) == ["key"], "nothing is left beside it"


def test_a_signature_is_of_one_value_by_one_key_and_the_same_for_ever(place: Place) -> None:
    signer = place.signer()
    value = {"b": [1, "ε", None], "a": {"c": True}}
    signature = signer.sign(value)
    assert signature == place.signer().sign({"a": {"c": True}, "b": [1, "ε", None]})
    assert is_signed(value, signature, signer.public)
    other = open_signer(place.folder / "other" / "key", place.folder / "other.pub", place.ledger.parent)
    assert not is_signed({**value, "a": 1}, signature, signer.public)
    assert not is_signed(value, signature, other.public)
    assert not is_signed(value, "00" * 64, signer.public)
    for strange in (None, "", "zz", "ab", 7):
        assert not is_signed(value, strange, signer.public) and not is_signed(value, signature, strange)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_can_use_is_refused_and_the_fix_works(place: Place, mode: int) -> None:
    place.signer()
    place.key.chmod(mode)
    error = refused(place.signer)
    assert error.code == "key-unsafe" and f"mode {mode:o}" in error.message
    assert os.system(error.fix) == 0
    place.signer()


def test_a_key_behind_a_link_is_refused_and_the_fix_works(place: Place) -> None:
    place.signer()
    real = place.folder / "real"
    os.rename(place.key, real)
    place.key.symlink_to(real)
    error = refused(place.signer)
    assert error.code == "key-unsafe" and "symbolic link" in error.message
    assert os.system(error.fix) == 0
    assert not place.key.is_symlink()
    place.signer()


def test_a_key_is_never_made_through_a_dangling_link(place: Place) -> None:
    place.key.parent.mkdir()
    place.key.symlink_to(place.folder / "elsewhere" / "planted")
    assert refused(place.signer).code == "key-unsafe"
    assert not (place.folder / "elsewhere" / "planted").exists()


def test_a_key_beside_the_ledger_is_refused(place: Place) -> None:
    beside = place.ledger.parent / "key"
    error = refused(lambda: open_signer(beside, place.public, place.ledger.parent))
    assert error.code == "key-unsafe" and not beside.exists()
    (place.folder / "link").symlink_to(place.ledger.parent)
    through = place.folder / "link" / "key"
    assert refused(lambda: open_signer(through, place.public, place.ledger.parent)).code == "key-unsafe"


def test_a_key_that_is_gone_is_not_made_anew_while_its_public_half_is_there(place: Place) -> None:
    publish(place.signer(), place.public)
    os.remove(place.key)
    error = refused(place.signer)
    assert error.code == "key-missing" and not place.key.exists()
    assert os.system(error.fix.split(": ")[1].split("  (")[0]) == 0  # the mv
    assert place.signer().public != read_public(Path(f"{place.public}.old"))[0]


def test_a_key_that_does_not_match_its_public_half_is_refused(place: Place) -> None:
    publish(place.signer(), place.public)
    os.remove(place.key)
    open_signer(place.key, place.folder / "unrelated.pub", place.ledger.parent)
    assert refused(place.signer).code == "key-differs"


def test_a_public_half_without_a_declared_key_is_refused(place: Place) -> None:
    require_unsigned(place.public)
    publish(place.signer(), place.public)
    assert refused(lambda: require_unsigned(place.public)).code == "key-missing"


def test_something_that_is_no_key_is_refused_and_left_alone(place: Place) -> None:
    place.key.parent.mkdir()
    for text in (b"", b"not a key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"):
        place.key.write_bytes(text)
        place.key.chmod(0o600)
        assert refused(place.signer).code == "key-unreadable"
        assert place.key.read_bytes() == text
    os.remove(place.key)
    place.key.mkdir(0o700)
    assert refused(place.signer).code == "key-unreadable"


def test_a_public_file_that_holds_no_key_is_refused(place: Place) -> None:
    for text in (None, b"", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"):
        if text is not None:
            place.public.write_bytes(text)
        assert refused(lambda: read_public(place.public)).code == "public-key-missing"


def test_keys_that_signed_before_stand_below_the_one_that_signs_now(place: Place) -> None:
    old = open_signer(place.folder / "old" / "key", place.folder / "old.pub", place.ledger.parent)
    publish(old, place.folder / "old.pub")
    new = place.signer()
    publish(new, place.public)
    with place.public.open("ab") as file:
        file.write((place.folder / "old.pub").read_bytes())
    assert read_public(place.public) == (new.public, old.public)
    assert place.signer().public == new.public


def test_a_folder_that_cannot_be_written_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.folder / "file").write_text("in the way")
    key = place.folder / "file" / "key"
    with pytest.raises(IntegrityFailed) as caught:
        open_signer(key, place.public, place.ledger.parent)
    assert caught.value.code in ("key-unwritable", "key-unreadable")


def test_racing_starts_make_one_key(place: Place) -> None:
    keys = []

    def start() -> None:
        signer = place.signer()
        publish(signer, place.public)
        keys.append(signer.public)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(keys)) == 1 and len(keys) == 8
    assert read_public(place.public) == (keys[0],)
    shutil.rmtree(place.key.parent)
