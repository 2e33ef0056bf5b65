"""Signatures, witnesses and receipts: what shows that a ledger was not changed."""

from lapcat.story.error_codes.entry import ErrorCode

EVIDENCE = (
    ErrorCode(
        "ledger-rolled-back",
        "IntegrityFailed",
        "The ledger is older than its witness or a receipt shows, or has another entry in the place of one of theirs: what was spent since is missing.",
        "Put the newest copy of the ledger back in its place.",
        "restoring last week's lapcat.ledger from a backup",
    ),
    ErrorCode(
        "witness-failed",
        "IntegrityFailed",
        "The witness cannot be read or written, or is not there. Nothing is released before it has seen the ledger.",
        "Mount the place where it lies, or see to its permissions; a new witness begins as an empty file (touch FILE).",
        'witness = "/mnt/elsewhere/lapcat.witness" while nothing is mounted there',
    ),
    ErrorCode(
        "checkpoint-missing",
        "IntegrityFailed",
        "The ledger has a key, and its last hundred entries hold no checkpoint that this key signed: somebody wrote them without it.",
        "Restore the ledger from the last backup; or, if you wrote it without the key yourself, begin to sign anew: mv lapcat.pub lapcat.pub.old.",
    ),
    ErrorCode(
        "key-missing",
        "IntegrityFailed",
        "lapcat.pub shows that this ledger is signed, and the key is not there, or lapcat.toml declares none any more.",
        "Put the key back, or the line key = … under [ledger]. If the key is lost, or signing is to end: mv lapcat.pub lapcat.pub.old.",
        "deleting ~/.config/lapcat/key",
    ),
    ErrorCode(
        "key-differs",
        "IntegrityFailed",
        "The signing key is not the other half of lapcat.pub, so nobody could verify what it signs.",
        "Put the right key back; or, if it is meant to be another from now on: mv lapcat.pub lapcat.pub.old.",
    ),
    ErrorCode(
        "key-unsafe",
        "IntegrityFailed",
        "Others can read the signing key, or it is a symbolic link, or it lies beside the ledger that it signs.",
        "chmod 600 KEY; keep it in a folder of its own, such as ~/.config/lapcat.",
        'key = "key" under [ledger]',
    ),
    ErrorCode(
        "key-unreadable",
        "IntegrityFailed",
        "The signing key cannot be read by this user, or is no Ed25519 key. The process that holds the ledger signs, so with a key every question needs it.",
        "Ask as the user who owns it, or name another: key = … under [ledger].",
    ),
    ErrorCode(
        "key-unwritable",
        "IntegrityFailed",
        "The signing key, or lapcat.pub, was to be made and cannot be written.",
        "Make the folder writable, or name another key under [ledger].",
    ),
    ErrorCode(
        "public-key-missing",
        "IntegrityFailed",
        "There is no public key at that place, or something else.",
        "--key lapcat.pub, the file beside the catalogue.",
        "lapcat receipt verify receipt.json --key nothing.pub",
    ),
    ErrorCode(
        "receipt-unreadable",
        "IntegrityFailed",
        "The file holds no receipt of lapcat, or not the whole of one.",
        "Ask for the receipt again: the same question is free, and has the same receipt.",
    ),
    ErrorCode(
        "receipt-unsigned",
        "IntegrityFailed",
        "The receipt has no signature: [ledger] key was not declared. Anybody could have written it.",
        "Compare it with the ledger: lapcat receipt verify FILE --ledger lapcat.toml.",
    ),
    ErrorCode(
        "receipt-key",
        "IntegrityFailed",
        "The receipt is signed by another key than the one it is verified with.",
        "--key FILE with the public key of whoever gave you the receipt.",
    ),
    ErrorCode(
        "receipt-signature",
        "IntegrityFailed",
        "The signature is not of what the receipt says: something was changed after it was signed.",
        "Ask for the receipt again: the same question is free, and has the same receipt.",
    ),
    ErrorCode(
        "receipt-entry",
        "IntegrityFailed",
        "The entry in the receipt was changed: its hash is that of another text.",
        "Ask for the receipt again: the same question is free, and has the same receipt.",
    ),
    ErrorCode(
        "receipt-fields",
        "IntegrityFailed",
        "The receipt says otherwise than the ledger entry that it holds; the message names the field.",
        "Ask for the receipt again: the same question is free, and has the same receipt.",
    ),
    ErrorCode(
        "receipt-answer",
        "IntegrityFailed",
        "The ledger stores another answer under the receipt's entry than the one that the receipt was given for.",
        "lapcat ledger verify shows whether the ledger was changed; if it is whole, the receipt was.",
        "lapcat receipt verify receipt.json --ledger lapcat.toml, after somebody wrote another answer into the ledger",
    ),
    ErrorCode(
        "public-key-unnamed",
        "BadQuery",
        "A receipt is verified with the public key of whoever gave it; the key inside it proves nothing.",
        "--key lapcat.pub, or --ledger lapcat.toml.",
        "lapcat receipt verify receipt.json, where there is no lapcat.pub",
    ),
    ErrorCode(
        "ledger-none",
        "BadQuery",
        "There is no ledger yet: it is made when the catalogue is first used.",
        "lapcat tables makes it.",
        "lapcat ledger list in a new folder",
    ),
    ErrorCode(
        "output-exists",
        "BadQuery",
        "An export is written to a new file, never over another.",
        "-o with the name of a new file.",
        "lapcat ledger export -o lapcat.toml",
    ),
    ErrorCode(
        "ledger-unsigned", "Bug", "A ledger without a key was to sign a checkpoint.", "Please report it."
    ),
)
