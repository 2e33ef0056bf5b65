"""BadQuery: the local model: domains, report files and surveys."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

LOCAL = (
    ErrorCode(
        "local-domain-missing",
        _F,
        "The set of values that people can report is not declared. It is never read from the data, because which values occur "
        "is private.",
        "Give --low and --high, or --value for each value, or declare the column in the catalogue.",
        "lapcat local encode in.csv --column age --epsilon 1 -o reports.parquet, without a catalogue",
    ),
    ErrorCode(
        "local-person-missing",
        _F,
        "Nothing identifies the person of a row. A person encoded again under another name draws fresh randomness and spends "
        "epsilon again.",
        "--person COLUMN, or --person row if rows never change position.",
    ),
    ErrorCode(
        "local-person",
        _F,
        "The person column is empty in some row, or names the same person twice, who would then report twice.",
        "Keep one row per person, or name another column.",
    ),
    ErrorCode(
        "local-column",
        _F,
        "The source has no column of this name.",
        "Use one of the columns that the message lists.",
        "--column aeg",
    ),
    ErrorCode(
        "local-missing",
        _F,
        "Some rows have no number. Everybody must report: a missing report would reveal a missing value.",
        "--missing with the number that stands for a missing value.",
    ),
    ErrorCode(
        "local-values",
        _F,
        'Values must be distinct texts, and the value for missing data must be one of them; "(other)" is reserved for all other '
        "values.",
        "--value yes --value no",
    ),
    ErrorCode(
        "local-values-file",
        _F,
        "The file of values cannot be read.",
        "Use a UTF-8 file with one value per line.",
    ),
    ErrorCode(
        "local-numbers",
        _F,
        "The lower bound is not below the upper bound, or the steps between them are too small for floating-point numbers.",
        "--low 18 --high 100; far from zero, subtract the lower bound first",
    ),
    ErrorCode(
        "local-steps",
        _F,
        "A bounded number is rounded to between 1 and 65536 steps.",
        "steps = 1000",
    ),
    ErrorCode(
        "local-alphabet",
        _F,
        "The alphabet is empty or contains a letter twice.",
        "--alphabet abcdefghijklmnopqrstuvwxyz",
    ),
    ErrorCode(
        "local-length",
        _F,
        "A text must fit into 62 bits: its length times the bits per letter.",
        "--length 8; a smaller alphabet allows longer texts",
    ),
    ErrorCode(
        "local-protocol",
        _F,
        "No protocol has this name, or it does not support this domain.",
        "Use one that the message lists, or none: lapcat then chooses the protocol with the smallest error.",
        "--protocol unary for numbers",
    ),
    ErrorCode(
        "local-header",
        _F,
        "The file does not say how its reports were made, or was written by an incompatible version. Wrong probabilities would "
        "give a wrong estimate without any sign.",
        "Estimate with the version that wrote the file, or encode the reports again.",
    ),
    ErrorCode(
        "local-key",
        _F,
        "The file named as the secret key is not one. With another key everybody would report afresh and spend epsilon again.",
        "Use the file that the first reports were made with, or the name of a new file.",
    ),
    ErrorCode(
        "local-told",
        _F,
        "This question was already encoded with this key, and a value, a person, the domain, the protocol or epsilon has "
        "changed since. Comparing both files would reveal who changed, whatever epsilon is. Keys of version 0.1.0 do not record "
        "what was encoded with them.",
        "--wave NAME, with a new name each time the question is asked; each wave costs everybody epsilon again.",
    ),
    ErrorCode(
        "local-wave",
        _F,
        "A wave needs a name of 1 to 200 characters, and --permanent needs a wave.",
        '--wave 2026, or wave = "2026" in a survey.',
        "--permanent 3 without --wave",
    ),
    ErrorCode(
        "local-permanent",
        _F,
        "A permanent report needs a protocol that reports one symbol; these reports are texts, bit vectors, or one of thousands "
        "of positions.",
        "For values use response, hashing or hadamard, for numbers duchi; or use --wave without --permanent, which draws afresh "
        "each time.",
        "--permanent 3 --protocol unary",
    ),
    ErrorCode(
        "local-number",
        _F,
        "An answer to a numeric question is not a number. The message does not show it, because it is private.",
        "Give a number for each person.",
    ),
    ErrorCode(
        "law-too-long",
        _F,
        "The distribution has too many outcomes to list.",
        "Use fewer values.",
    ),
    ErrorCode(
        "report-too-long",
        _F,
        "No protocol for this many values has reports as short as requested.",
        "Raise longest_report.",
    ),
    ErrorCode(
        "reports-foreign",
        _F,
        "A report cannot come from this protocol.",
        "Estimate it with the protocol that made it.",
    ),
    ErrorCode(
        "reports-unreadable",
        _F,
        "The file does not exist or is not a file of reports.",
        "Write one with `lapcat local encode`.",
        "lapcat local estimate staff.csv",
    ),
    ErrorCode(
        "answer-foreign",
        _F,
        "None of the answers belongs to these questions. Individual foreign answers are skipped and counted.",
        "--questions with the unchanged file that the page was made from.",
    ),
    ErrorCode(
        "rows-range",
        _F,
        "Local hashing uses 1 to 8 rows; 0 selects the best number.",
        "rows = 0",
    ),
    ErrorCode(
        "questions-range",
        _F,
        "At most 32 yes-or-no questions can be answered together.",
        "questions = 10, or use several surveys.",
    ),
    ErrorCode(
        "questions-way",
        _F,
        "Several questions either split epsilon, or each person answers one random question.",
        'way = "split" or way = "one"',
    ),
    ErrorCode(
        "survey",
        _F,
        "A key of the questions file is missing, misspelt or has an invalid value.",
        "Follow the fix; docs/local.md shows a complete file.",
    ),
    ErrorCode(
        "survey-syntax",
        _F,
        "The questions file is not valid TOML.",
        'A line looks like `title = "Habits"`, a question begins with `[[questions]]`.',
    ),
    ErrorCode(
        "survey-missing",
        _F,
        "The questions file does not exist.",
        "lapcat local survey questions.toml -o survey.html",
    ),
)
LOCAL_FILES = (
    ErrorCode(
        "reports-unwritten",
        "EngineFailed",
        "The file of reports could not be written.",
        "Use a folder that exists and is writable.",
    ),
    ErrorCode(
        "local-key-unwritten",
        "EngineFailed",
        "The file for the secret key could not be written.",
        "--key FILE in a writable folder.",
    ),
)
