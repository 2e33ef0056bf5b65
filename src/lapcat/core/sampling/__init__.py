"""Exact vectorised samplers (discrete Laplace, discrete Gaussian, Bernoulli, selection): no floats, no truncation, no delta."""

from lapcat.core.sampling.bernoulli import bernoulli, bernoulli_exp
from lapcat.core.sampling.gaussian import checked_sigma_squared, discrete_gaussian, discrete_gaussian_one
from lapcat.core.sampling.laplace import checked_scale, discrete_laplace, discrete_laplace_one
from lapcat.core.sampling.saturating import FARTHEST, saturating_add
from lapcat.core.sampling.uniform import uniform_below

__all__ = [
    "FARTHEST",
    "bernoulli",
    "bernoulli_exp",
    "checked_scale",
    "checked_sigma_squared",
    "discrete_gaussian",
    "discrete_gaussian_one",
    "discrete_laplace",
    "discrete_laplace_one",
    "saturating_add",
    "uniform_below",
]
