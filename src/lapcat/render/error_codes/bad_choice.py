"""Errors of the mechanisms that choose: a value to report, an outcome, a candidate, the keys to show."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

CHOICES = (
    ErrorCode(
        "candidates-empty",
        _F,
        "There is nothing to choose from.",
        "A score for each of at least one candidate.",
    ),
    ErrorCode(
        "candidates-many",
        _F,
        "The exact law of permute-and-flip is computed for at most 64 candidates.",
        "Draw from it, or take the exponential mechanism's law.",
    ),
    ErrorCode("delta-zero", _F, "Private keys cannot be shown at delta 0.", "delta=1e-7, or public keys"),
    ErrorCode(
        "epsilon-infinite",
        _F,
        "An outcome is possible for one input and impossible for its neighbour; the message names the three.",
        "Give the outcome a chance in every row, or an epsilon, to pay the rest as delta.",
    ),
    ErrorCode(
        "epsilon-too-small",
        _F,
        "A report would name the true value no more often than any other, to 64 bits.",
        "A larger epsilon, or fewer values.",
    ),
    ErrorCode("input-range", _F, "An input is none of the rows of the matrix.", "Number the inputs from 0."),
    ErrorCode("matrix-empty", _F, "A matrix has at least one row and one column.", "One row for each input."),
    ErrorCode("matrix-negative", _F, "A probability is not negative.", "Entries from 0 to 1."),
    ErrorCode(
        "matrix-ragged", _F, "All rows have an entry for each outcome.", "Write 0 where there is no chance."
    ),
    ErrorCode(
        "matrix-sum",
        _F,
        "Each row adds up to exactly 1; numbers are read as they are written.",
        "Thirds as '1/3' or Fraction(1, 3), not 0.333.",
    ),
    ErrorCode("picks-range", _F, "At least one candidate is picked, and no more than there are.", "picks=3"),
    ErrorCode("monotone-flag", _F, "Whether scores are monotone is True or False.", "monotone=True"),
    ErrorCode("relation-unknown", _F, "Neighbours differ by add-remove or by replace-one.", "add-remove"),
    ErrorCode(
        "reports-length",
        _F,
        "An estimate needs the number of reports of every value.",
        "As many numbers as values, 0 included.",
    ),
    ErrorCode(
        "reports-number", _F, "Numbers of reports are whole, and there is at least one report.", "[400, 600]"
    ),
    ErrorCode("response-value", _F, "A true value is none of 0 .. values - 1.", "Number the values from 0."),
    ErrorCode("scores-shape", _F, "Scores are one number for each candidate.", "[3, 5, 1]"),
    ErrorCode("scores-span", _F, "Scores on their common grid exceed 64 bits.", "Scores with fewer digits."),
    ErrorCode(
        "tau-range", _F, "A threshold is a whole number, 1 or more.", "Threshold.calibrate finds the least."
    ),
    ErrorCode("threshold-keys", _F, "A unit is in at least one key.", "keys=3"),
    ErrorCode("values-range", _F, "A response has 2 values or more.", "values=2 for yes and no"),
)
