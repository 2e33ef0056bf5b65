"""BadQuery: invalid arguments of an audit."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

AUDITS = (
    ErrorCode(
        "audit-epsilon",
        _F,
        "A sampling audit tests claims of epsilon from 0 to 30; samples could hardly ever show a violation of a larger one.",
        "Claim an epsilon in that range, or use lapcat.audit.exact if the distribution of the answers is known.",
        "lapcat.audit(mechanism, 0, 1, epsilon=100)",
    ),
    ErrorCode(
        "audit-probability",
        _F,
        "delta must be a probability below 1. level, the chance of rejecting a true claim, must lie between 0 and 1.",
        "level=0.01",
        "lapcat.audit(mechanism, 0, 1, epsilon=1, level=0)",
    ),
    ErrorCode(
        "audit-samples",
        _F,
        "samples must be a whole number, large enough to choose events first and test them on fresh samples.",
        "samples=100_000",
        "lapcat.audit(mechanism, 0, 1, epsilon=1, samples=10)",
    ),
    ErrorCode(
        "audit-size",
        _F,
        "A mechanism with a `size` parameter must return `size` independent answers, along the first axis of an array.",
        "Return an array of that length, or rename the parameter: the mechanism is then called once per answer.",
    ),
    ErrorCode(
        "audit-raises",
        _F,
        "The mechanism raised an exception in every run on both inputs; it was probably called with the wrong arguments.",
        "Call mechanism(d) by hand to see the error.",
    ),
    ErrorCode(
        "audit-law",
        _F,
        "An exact audit needs the distribution of the answers: a matrix, a mechanism with a known distribution, or "
        "probabilities that add up to 1.",
        "Pass one of these, or use lapcat.audit, which needs only samples.",
        "lapcat.audit.exact([[1, 0], [0.5, 0.5]], 0, 7, epsilon=1)",
    ),
    ErrorCode(
        "audit-grid",
        _F,
        "The noise covers too many grid steps to enumerate them all.",
        "Use a coarser grid for the audit, such as grid=1.",
        "lapcat.audit.exact(m.Laplace(sensitivity=1, epsilon=1), 0, 1, epsilon=1)",
    ),
)
