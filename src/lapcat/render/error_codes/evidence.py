"""Signatures, witnesses and receipts: the evidence that a ledger was not changed."""

from lapcat.render.error_codes.entry import ErrorCode

EVIDENCE = (
    ErrorCode(
        "ledger-rolled-back",
        "IntegrityFailed",
        "The ledger is older than its witness or a receipt shows, or has different entries: spending since then is missing.",
        "Restore the newest copy of the ledger, with its -wal file. If there is none, run lapcat ledger adopt --reason …, which "
        "stays on record and pauses every table.",
        "restoring last week's lapcat.ledger from a backup, or deleting lapcat.ledger-wal",
    ),
    ErrorCode(
        "ledger-missing",
        "IntegrityFailed",
        "The ledger is missing or empty, although the witness has seen one: past spending would be forgotten.",
        "Restore the newest copy of the ledger. If there is none, run lapcat ledger new --reason …, which stays on record.",
        "rm lapcat.ledger",
    ),
    ErrorCode(
        "ledger-changed",
        "IntegrityFailed",
        "Another process began to write to the ledger during a read-only command.",
        "Run the same command again.",
    ),
    ErrorCode(
        "ledger-unreadable",
        "IntegrityFailed",
        "This user cannot read the ledger.",
        "Run the command as the owner of the ledger, or make it readable.",
    ),
    ErrorCode(
        "ledger-exists",
        "BadQuery",
        "A ledger that can be read, or another file, already exists at this place. A new ledger would forget what was spent.",
        "To continue with an older copy, run lapcat ledger adopt --reason …; to use another file, set store = … under [ledger].",
        'lapcat ledger new --reason "a fresh start"',
    ),
    ErrorCode(
        "nothing-to-adopt",
        "BadQuery",
        "The ledger agrees with its witness, or has no witness: there is nothing to adopt.",
        "Check it with lapcat ledger verify.",
    ),
    ErrorCode(
        "backup-server",
        "BadQuery",
        "A ledger on a server is backed up with pg_dump, which takes a consistent copy even while others write.",
        "Run the pg_dump command shown in the error.",
    ),
    ErrorCode(
        "witness-failed",
        "IntegrityFailed",
        "The witness is missing, cannot be read or written, or is not a file that lapcat wrote (a pipe, a device, a folder, or "
        "too long). Nothing is released until the witness has recorded the ledger.",
        "Mount its storage, or correct its permissions. To start a new witness, create an empty file (touch FILE). For the one "
        "in the user's state folder set XDG_STATE_HOME, or witness = … under [ledger].",
        'witness = "/mnt/elsewhere/lapcat.witness" while nothing is mounted there',
    ),
    ErrorCode(
        "witness-emptied",
        "IntegrityFailed",
        "The witness recorded this ledger before and is now empty, so missing entries cannot be detected.",
        "Restore its newest copy; or, if the ledger is known to be the newest, run lapcat ledger adopt --reason ….",
        "truncate --size 0 /mnt/elsewhere/lapcat.witness",
    ),
    ErrorCode(
        "checkpoint-missing",
        "IntegrityFailed",
        "The ledger is signed, but its last hundred entries contain no checkpoint signed by this key: they were written without "
        "it.",
        "Restore the ledger from the last backup; or, if you wrote it without the key yourself, start signing anew: mv "
        "lapcat.pub lapcat.pub.old.",
    ),
    ErrorCode(
        "key-missing",
        "IntegrityFailed",
        "lapcat.pub shows that this ledger is signed, but the signing key is missing, or lapcat.toml no longer declares it.",
        "Restore the key, or the line key = … under [ledger]. If the key is lost, or signing is to end: mv lapcat.pub "
        "lapcat.pub.old.",
        "deleting ~/.config/lapcat/key",
    ),
    ErrorCode(
        "key-differs",
        "IntegrityFailed",
        "The signing key does not match lapcat.pub, so nobody could verify its signatures.",
        "Restore the right key; or, to change the key from now on: mv lapcat.pub lapcat.pub.old.",
    ),
    ErrorCode(
        "key-unsafe",
        "IntegrityFailed",
        "Other users can read the signing key, or it is a symbolic link, or it is in the same folder as the ledger it signs.",
        "chmod 600 KEY; keep it in a separate folder, such as ~/.config/lapcat.",
        'key = "key" under [ledger]',
    ),
    ErrorCode(
        "key-unreadable",
        "IntegrityFailed",
        "This user cannot read the signing key, or it is not an Ed25519 key. The process that writes the ledger signs it, so "
        "every question needs the key.",
        "Ask as the owner of the key, or name another: key = … under [ledger].",
    ),
    ErrorCode(
        "key-unwritable",
        "IntegrityFailed",
        "The signing key, or lapcat.pub, cannot be created.",
        "Make the folder writable, or name another key under [ledger].",
    ),
    ErrorCode(
        "public-key-missing",
        "IntegrityFailed",
        "The public key does not exist, or the file is not one.",
        "--key lapcat.pub, the file beside the catalogue.",
        "lapcat receipt verify receipt.json --key nothing.pub",
    ),
    ErrorCode(
        "receipt-unreadable",
        "IntegrityFailed",
        "The file is not a complete lapcat receipt.",
        "Ask the question again: the repeat is free and returns the same receipt.",
    ),
    ErrorCode(
        "receipt-unsigned",
        "IntegrityFailed",
        "The receipt has no signature, so anybody could have written it. A ledger with a key signs its receipts.",
        "Ask for the receipt again; without a key, compare it with the ledger: lapcat receipt verify FILE --ledger lapcat.toml.",
    ),
    ErrorCode(
        "receipt-key",
        "IntegrityFailed",
        "The receipt is signed by a different key than the one used to verify it.",
        "--key FILE with the public key of the issuer of the receipt.",
    ),
    ErrorCode(
        "receipt-signature",
        "IntegrityFailed",
        "The signature does not match the receipt: it was changed after it was signed.",
        "Ask the question again: the repeat is free and returns the same receipt.",
    ),
    ErrorCode(
        "receipt-entry",
        "IntegrityFailed",
        "The entry in the receipt was changed: its hash does not match its text.",
        "Ask the question again: the repeat is free and returns the same receipt.",
    ),
    ErrorCode(
        "receipt-fields",
        "IntegrityFailed",
        "The receipt contradicts the ledger entry it contains, or adds to it; the message names the field.",
        "Ask the question again: the repeat is free and returns the same receipt.",
    ),
    ErrorCode(
        "receipt-answer",
        "IntegrityFailed",
        "The ledger stores a different answer under the receipt's entry than the one the receipt was issued for.",
        "Run lapcat ledger verify; if the ledger is intact, the receipt was changed.",
        "lapcat receipt verify receipt.json --ledger lapcat.toml, after somebody wrote another answer into the ledger",
    ),
    ErrorCode(
        "receipt-derived",
        "IntegrityFailed",
        "This receipt for an answer derived from stored answers is unsigned, and it does not follow from them now: the receipt "
        "was changed, or the catalogue, the version of the data or the wording of notes changed since.",
        "Ask the question again without a price: it is free and returns its receipt.",
        "lapcat receipt verify receipt.json --ledger lapcat.toml, after somebody wrote another question into the receipt",
    ),
    ErrorCode(
        "public-key-unnamed",
        "BadQuery",
        "A receipt must be verified with the issuer's public key; the key inside the receipt proves nothing.",
        "--key FILE with that key, such as lapcat.pub beside the catalogue.",
        "lapcat receipt verify receipt.json, where there is no lapcat.pub",
    ),
    ErrorCode(
        "ledger-none",
        "BadQuery",
        "There is no ledger yet; it is created when the catalogue is first used.",
        "Create it with lapcat tables.",
        "lapcat ledger list in a new folder",
    ),
    ErrorCode(
        "output-exists",
        "BadQuery",
        "An export is written to a new file and never overwrites one.",
        "-o with the name of a new file.",
        "lapcat ledger export -o lapcat.toml",
    ),
    ErrorCode(
        "ledger-unsigned", "Bug", "A ledger without a key tried to sign a checkpoint.", "Please report it."
    ),
)
