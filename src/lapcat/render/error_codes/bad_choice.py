"""BadQuery: invalid arguments of selection mechanisms (response, exponential, permute-and-flip, threshold)."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

CHOICES = (
    ErrorCode(
        "candidates-empty",
        _F,
        "The list of candidates is empty.",
        "Pass a score for at least one candidate.",
    ),
    ErrorCode(
        "candidates-many",
        _F,
        "The exact distribution of permute-and-flip is computed for at most 64 candidates.",
        "Draw from the mechanism, or use the distribution of the exponential mechanism.",
    ),
    ErrorCode(
        "delta-zero",
        _F,
        "Groups with private keys cannot be shown at delta 0.",
        "delta=1e-7, or declare public keys",
    ),
    ErrorCode(
        "epsilon-infinite",
        _F,
        "An outcome is possible for one input and impossible for its neighbour; the message names the outcome and both inputs.",
        "Give the outcome a positive probability in every row, or name an epsilon and account for the rest as delta.",
    ),
    ErrorCode(
        "epsilon-too-small",
        _F,
        "At this epsilon the true value is reported no more often than any other, to 64 bits.",
        "Use a larger epsilon or fewer values.",
    ),
    ErrorCode("input-range", _F, "The input is not a row of the matrix.", "Number the inputs from 0."),
    ErrorCode(
        "matrix-empty", _F, "A matrix needs at least one row and one column.", "Give one row per input."
    ),
    ErrorCode(
        "matrix-negative", _F, "The matrix contains a negative probability.", "Use entries from 0 to 1."
    ),
    ErrorCode(
        "matrix-ragged",
        _F,
        "Every row of the matrix needs one entry per outcome.",
        "Write 0 for outcomes that cannot occur.",
    ),
    ErrorCode(
        "matrix-sum",
        _F,
        "Each row of the matrix must add up to exactly 1; numbers are taken literally.",
        "Write thirds as '1/3' or Fraction(1, 3), not 0.333.",
    ),
    ErrorCode(
        "picks-range", _F, "The number of picks must lie between 1 and the number of candidates.", "picks=3"
    ),
    ErrorCode("monotone-flag", _F, "monotone must be True or False.", "monotone=True"),
    ErrorCode(
        "relation-unknown",
        _F,
        "The neighbouring relation must be add-remove or replace-one.",
        'relation="add-remove"',
    ),
    ErrorCode(
        "reports-length",
        _F,
        "An estimate needs the number of reports of every value.",
        "Pass one number per value, including zeros.",
    ),
    ErrorCode(
        "reports-number",
        _F,
        "Report counts must be whole numbers, with at least one report in all.",
        "[400, 600]",
    ),
    ErrorCode(
        "response-value", _F, "A true value lies outside 0 .. values - 1.", "Number the values from 0."
    ),
    ErrorCode("scores-shape", _F, "Scores must be one number per candidate.", "[3, 5, 1]"),
    ErrorCode(
        "scores-span",
        _F,
        "The scores do not fit into 64 bits on a common grid.",
        "Use scores with fewer digits.",
    ),
    ErrorCode(
        "tau-range",
        _F,
        "A threshold must be a whole number of at least 1.",
        "Let Threshold.calibrate find the smallest threshold.",
    ),
    ErrorCode(
        "threshold-keys", _F, "keys, the number of groups a unit can be in, must be at least 1.", "keys=3"
    ),
    ErrorCode("values-range", _F, "Randomised response needs at least 2 values.", "values=2 for yes and no"),
)
