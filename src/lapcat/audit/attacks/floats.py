"""Floats: the last bits of a noisy number reveal which sums are possible (Mironov 2012; Haney et al. 2022)."""

from __future__ import annotations

import numpy as np

from lapcat import mechanisms as m
from lapcat.audit.attacks.finding import Finding
from lapcat.audit.auditing import audit

DRAWS = 200_000


def attack(epsilon: object) -> Finding:
    noise = m.Laplace(sensitivity=1, epsilon=epsilon)
    rng = np.random.default_rng()

    def ours(value: float, size: int) -> np.ndarray:
        return np.asarray(
            m.Laplace(sensitivity=1, scale=noise.scale, grid=noise.grid).release(np.full(size, value))
        )

    careless = audit(lambda x, size: x + rng.laplace(0, float(noise.scale), size), 0.0, 1.0, epsilon)
    careful = audit(ours, 0.0, 1.0, epsilon, samples=DRAWS)
    return Finding(
        "floats",
        "the lowest set bits of noisy numbers, alone and together with their size",
        f"float noise: {careless.verdict} after {careless.samples} draws ({careless.witness.words})",
        f"{careful.verdict} in {careful.samples} draws on each side",
        not careful.violated,
        {"careless_draws": careless.samples, "draws": careful.samples, "violated": float(careful.violated)},
    )
