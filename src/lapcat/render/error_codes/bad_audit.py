"""BadQuery: an audit cannot be made of what was given."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

AUDITS = (
    ErrorCode(
        "audit-epsilon",
        _F,
        "A claim is audited by samples for an epsilon from 0 to 30: a breach of more would hardly ever be seen.",
        "Claim an epsilon in that range, or take lapcat.audit.exact where the law is known.",
        "lapcat.audit(mechanism, 0, 1, epsilon=100)",
    ),
    ErrorCode(
        "audit-probability",
        _F,
        "delta is a probability below 1, and the level, at which a true claim may be contradicted, lies between 0 and 1.",
        "level=0.01",
        "lapcat.audit(mechanism, 0, 1, epsilon=1, level=0)",
    ),
    ErrorCode(
        "audit-samples",
        _F,
        "Samples are a whole number: some to choose events by, and as many to bet on.",
        "samples=100_000",
        "lapcat.audit(mechanism, 0, 1, epsilon=1, samples=10)",
    ),
    ErrorCode(
        "audit-size",
        _F,
        "A mechanism that takes `size` returns so many independent answers, along the first axis of an array.",
        "Return an array of that length, or name the parameter otherwise: one answer is then asked for at a time.",
    ),
    ErrorCode(
        "audit-raises",
        _F,
        "The mechanism raised an exception in every run on both sides: it is rather called in a wrong way.",
        "Call mechanism(d) by hand to see the error.",
    ),
    ErrorCode(
        "audit-law",
        _F,
        "An exact audit needs the law of the answers: a matrix, a mechanism with a law, or probabilities that add up to 1.",
        "Give one of these, or take lapcat.audit, which needs samples alone.",
        "lapcat.audit.exact([[1, 0], [0.5, 0.5]], 0, 7, epsilon=1)",
    ),
    ErrorCode(
        "audit-grid",
        _F,
        "The noise spans too many steps of its grid to look at each of them.",
        "Take a coarser grid for the audit, such as grid=1.",
        "lapcat.audit.exact(m.Laplace(sensitivity=1, epsilon=1), 0, 1, epsilon=1)",
    ),
)
