"""The planted bugs that the audit of a deployment finds: on which table of tests/audit/schema.toml, and which part of it does.

Most of the others it cannot see, for no question and no book of a deployment's audit would differ: bugs of intervals and of what
an answer means though it is private, of the local model, of evidence that only somebody who tampers meets, of servers that fail.
Some it does not reach: docs/audit.md says which. Their named tests catch them all.
"""

from __future__ import annotations

AUDITED: dict[str, tuple[str, str]] = {
    "ranks-at-twice-the-rate": ("visits", "choice"),
    "rows-of-a-pick-in-both-halves": ("visits", "choice"),
    "ranks-that-end-at-the-last-row": ("visits", "choice"),
    "windows-with-half-the-noise": ("visits", "choice"),
    "half-scale": ("beds", "law"),
    "zero-twice": ("beds", "law"),
    "event-forgotten": ("visits", "integers"),
    "stream-shared-after-fork": ("beds", "coins"),
    "threshold-for-one-key": ("visits", "threshold"),
    "groups-below-tau-kept": ("visits", "threshold"),
    "contrast-moves-one": ("hours", "integers"),
    "noise-before-measuring": ("hours", "law"),
    "maximum-for-conditions": ("beds", "integers"),
    "maximum-for-groups": ("beds", "integers"),
    "unit-join-called-unique": ("orders", "integers"),
    "grouping-sets-counted-once": ("visits", "integers"),
    "units-moved-by-rows": ("visits", "integers"),
    "keys-of-a-unit-forgotten": ("visits", "threshold"),
    "split-that-exceeds": ("visits", "integers"),
    "l1-for-l2-squared": ("stays", "integers"),
    "or-names-a-block": ("claims", "integers"),
    "undeclared-blocks-read": ("claims", "integers"),
    "clamp-after-the-sum": ("visits", "integers"),
    "nan-through-the-clamp": ("beds", "integers"),
    "half-even": ("visits", "integers"),
    "bound-forgotten": ("visits", "integers"),
    "weights-rounded-down": ("visits", "integers"),
    "weight-of-an-older-version": ("visits", "integers"),
    "ready-whatever-was-written": ("visits", "versions"),
    "groups-not-bounded": ("visits", "integers"),
    "groups-that-tie-kept": ("orders", "integers"),
    "per-unit-not-folded": ("visits", "integers"),
    "one-side-not-bounded": ("orders", "integers"),
    "rows-of-private-groups-counted": ("trips", "threshold"),
    "two-blocks-unseen": ("claims", "versions"),
    "refund": ("beds", "books"),
    "continuous-sigma": ("beds", "mechanisms"),
    "the-true-bit-always-set": ("beds", "mechanisms"),
    "coins-of-two-epsilons-alike": ("beds", "mechanisms"),
    "unknown-taken-as-proof": ("visits", "conditions"),
    "largest-amount-alone": ("beds", "conditions"),
    "opposed-columns-ignored": ("beds", "strategies"),
    "rounded-root-unclaimed": ("concentrated", "strategies"),
    "weights-on-top": ("concentrated", "strategies"),
    "public-number-of-a-union": ("pupils", "integers"),
    "differing-operators-pass": ("beds", "operators"),
    "any-version-believed": ("beds", "operators"),
    "old-findings-believed": ("beds", "operators"),
    "nan-by-comparison": ("beds", "integers"),
    "null-of-a-pair-forgotten": ("fish", "meaning"),
    "other-rows-forgotten": ("visits", "meaning"),
    "conditions-lost-together": ("beds", "meaning"),
}
"""Table and part, by the name of the bug."""

ON_A_SERVER: dict[str, tuple[str, str]] = {
    "digests-from-their-first-byte": ("postgresql", "integers"),
    "collation-of-the-database": ("postgresql", "integers"),
    "products-that-tie-are-zero": ("postgresql", "operators"),
    "settings-are-put-into-texts": ("spark", "operators"),
    "sums-wrap-on-spark": ("spark", "operators"),
}
"""Engine and part, of bugs that one engine alone has: they are looked for in a catalogue whose tables are there."""
