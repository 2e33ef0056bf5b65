"""Ed25519 signatures: the signing key of the process that writes the ledger, and its public key.

The writer of the ledger signs, since a writer could forge an entry anyway: a signature proves that nothing was changed
afterwards without the key. So with `[ledger] key` every process that asks needs the key, and is refused without it;
unsigned receipts among signed ones would be no evidence. Analysts who must not hold the key ask through a process that
does. Reading (`lapcat ledger …`, `lapcat receipt verify`) needs only the public key.

The signed text is always the canonical JSON of a value (chain.canonical). Ed25519 is deterministic: the same value always
has the same signature.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from lapcat.errors import IntegrityFailed
from lapcat.ledger.chain import canonical

LONGEST_KEY = 65536  # bytes; lapcat's keys have 119
_PUBLIC = re.compile(rb"-----BEGIN PUBLIC KEY-----.+?-----END PUBLIC KEY-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs values. `public` is the public key: 64 hex digits."""

    public: str
    key: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"<signer {self.public[:8]}…>"

    def sign(self, value: object) -> str:
        """The signature of a value's canonical JSON: 128 hex digits."""
        return self.key.sign(canonical(value).encode()).hex()


def is_signed(value: object, signature: object, public: object) -> bool:
    """Whether `signature` is a signature of `value` that verifies with the public key."""
    if not isinstance(signature, str) or not isinstance(public, str):
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), canonical(value).encode())
    except (ValueError, InvalidSignature):
        return False
    return True


def read_public(path: Path) -> tuple[str, ...]:
    """The public keys in a file: the current one first, then former ones, which are trusted too."""
    try:
        text = path.read_bytes()
    except OSError:
        raise IntegrityFailed(
            "public-key-missing",
            f"there is no readable public key at {path}",
            why="a signature is verified with the public key of its signer",
            fix="--key lapcat.pub, the file beside the deployment's catalogue",
        ) from None
    keys = tuple(_public_of(block, path) for block in _PUBLIC.findall(text))
    if not keys:
        raise _unreadable_public(path)
    return keys


def open_signer(key: Path, public: Path, ledger_folder: Path) -> Signer:
    """The signer of a deployment. If it has neither key nor public key yet, a key is created (`publish` writes the public one)."""
    _require_apart(key, ledger_folder)
    signer = _read(key)
    if signer is None:
        if os.path.lexists(public):
            raise IntegrityFailed(
                "key-missing",
                f"there is no signing key at {key}, but {public} is its public key",
                why="a new key could not be distinguished from a stranger's",
                fix=f"restore the key from your copy; if it is lost, start a new one: {_moved_away(public)}",
            )
        _make(key, _private_pem(Ed25519PrivateKey.generate()), 0o600, "signing key")
        signer = _read(key)  # another process may have been faster: its key counts
        assert signer is not None
    if os.path.lexists(public) and read_public(public)[0] != signer.public:
        raise IntegrityFailed(
            "key-differs",
            f"the signing key {key} does not match {public}",
            why="holders of that public key could not verify what this key signs",
            fix=f"restore the right key; or, to switch to this key: {_moved_away(public)}",
        )
    return signer


def publish(signer: Signer, public: Path) -> None:
    """Writes the public key, once the ledger has been signed: from then on signing is mandatory."""
    _make(public, _public_pem(signer.key), 0o644, "public key")


def require_unsigned(public: Path) -> None:
    """Raises if a public key exists, so that this deployment signs, but its catalogue declares no key."""
    if os.path.lexists(public):
        raise IntegrityFailed(
            "key-missing",
            f"lapcat.toml declares no signing key, but {public} is the public key of one",
            why="an accidental edit must not turn signing off",
            fix=f'put it back: key = "~/.config/lapcat/key" under [ledger]; or stop signing: {_moved_away(public)}',
        )


def _moved_away(public: Path) -> str:
    old = shlex.quote(f"{public}.old")
    return f"mv {shlex.quote(str(public))} {old}  (what was signed before verifies with --key {old})"


def _require_apart(key: Path, ledger_folder: Path) -> None:
    if key.parent.resolve() == ledger_folder.resolve():
        raise _unsafe(
            f"the signing key {key} lies beside the ledger",
            "a copy of that folder would contain both, and allow writing a history that verifies",
            f"mkdir -p -m 700 ~/.config/lapcat && mv {shlex.quote(str(key))} ~/.config/lapcat/key; "
            'and in lapcat.toml: key = "~/.config/lapcat/key"',
        )


def _read(path: Path) -> Signer | None:
    """The key at a path; None if there is no file. Links are not followed: their target could be exchanged."""
    quoted = shlex.quote(str(path))
    if path.is_symlink():
        raise _unsafe(
            f"the signing key {path} is a symbolic link",
            "changing the link would change the key that signs",
            f"cp --remove-destination $(readlink -f {quoted}) {quoted} && chmod 600 {quoted}",
        )
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        raise IntegrityFailed(
            "key-unreadable",
            f"the signing key {path} cannot be read by this user",
            why="every question is signed by the process that asks it, which needs the key",
            fix=f"ask as the user who owns it; to see who that is: ls -l {quoted}",
        ) from None
    try:
        mode = os.fstat(opened).st_mode
        if not stat.S_ISREG(mode):
            raise _no_key(path)
        if mode & 0o077:
            raise _unsafe(
                f"the signing key {path} is open to other users (mode {stat.S_IMODE(mode):o})",
                "any user who can read it can sign in your name",
                f"chmod 600 {quoted}",
            )
        text = os.read(opened, LONGEST_KEY)
    finally:
        os.close(opened)
    try:
        key = load_pem_private_key(text, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise _no_key(path) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _no_key(path)
    return Signer(_hex_of(key.public_key()), key)


def _make(path: Path, content: bytes, mode: int, what: str) -> None:
    """Creates a file atomically and never replaces one: written beside it, synced, linked."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(beside, path, follow_symlinks=False)
        finally:
            os.unlink(beside)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as problem:
        raise IntegrityFailed(
            "key-unwritable",
            f"the {what} cannot be written to {path}: {problem.strerror}",
            fix=f"make its folder writable: mkdir -p {shlex.quote(str(path.parent))} && "
            f"chmod u+rwx {shlex.quote(str(path.parent))}; or name another key under [ledger] in lapcat.toml",
        ) from None


def _private_pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _public_pem(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _public_of(block: bytes, path: Path) -> str:
    try:
        key = load_pem_public_key(block)
    except (ValueError, UnsupportedAlgorithm):
        raise _unreadable_public(path) from None
    if not isinstance(key, Ed25519PublicKey):
        raise _unreadable_public(path)
    return _hex_of(key)


def _hex_of(key: Ed25519PublicKey) -> str:
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def _unreadable_public(path: Path) -> IntegrityFailed:
    return IntegrityFailed(
        "public-key-missing",
        f"{path} holds no public key of lapcat (Ed25519, PEM)",
        why="a signature is verified with the public key of its signer",
        fix="--key lapcat.pub, the file beside the deployment's catalogue",
    )


def _no_key(path: Path) -> IntegrityFailed:
    return IntegrityFailed(
        "key-unreadable",
        f"{path} is not a signing key of lapcat (Ed25519, PEM, without a password)",
        fix='name another file under [ledger] in lapcat.toml, and the key is created: key = "~/.config/lapcat/key"',
    )


def _unsafe(message: str, why: str, fix: str) -> IntegrityFailed:
    return IntegrityFailed("key-unsafe", message, why=why, fix=fix)
