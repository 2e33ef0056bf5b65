"""Mechanisms that satisfy their claim, tightly if possible: the auditor must pass them. Structured like BROKEN."""

from __future__ import annotations

from lapcat.audit.member import Member
from lapcat.audit.sound import (
    gaussian,
    histogram,
    laplace,
    noisy_max,
    rare_leak,
    response,
    sparse,
    text,
)

SOUND: tuple[Member, ...] = (
    laplace.MEMBER,
    response.MEMBER,
    noisy_max.MEMBER,
    histogram.MEMBER,
    sparse.MEMBER,
    gaussian.MEMBER,
    rare_leak.MEMBER,
    text.MEMBER,
)
