"""BadQuery: the local model, its domains, files of reports and surveys."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

LOCAL = (
    ErrorCode(
        "local-domain-missing",
        _F,
        "Nothing says which values people can report. A domain is never read from the data: which values occur is somebody's "
        "answer.",
        "Give --low and --high, or --value for each value, or declare the column in the catalogue.",
        "lapcat local encode in.csv --column age --epsilon 1 -o reports.parquet, without a catalogue",
    ),
    ErrorCode(
        "local-person-missing",
        _F,
        "Nothing says which person a row belongs to. Somebody who is encoded again under another name gets fresh coins, and pays "
        "epsilon again.",
        "--person COLUMN, or --person row where rows never change their places.",
    ),
    ErrorCode(
        "local-person",
        _F,
        "The column that names people is empty in some row, or names somebody twice, who would report twice.",
        "Keep one row of each person, or name another column.",
    ),
    ErrorCode(
        "local-column",
        _F,
        "The source has no column of this name.",
        "One of those that the message lists.",
        "--column aeg",
    ),
    ErrorCode(
        "local-missing",
        _F,
        "Some rows hold no number. Everybody reports: who stays away would tell that they have none.",
        "--missing with the number that stands for none.",
    ),
    ErrorCode(
        "local-values",
        _F,
        'Values are several different texts; what counts as missing is one of them, and "(other)" is what all the rest is.',
        "--value yes --value no",
    ),
    ErrorCode(
        "local-values-file",
        _F,
        "The file of values cannot be read.",
        "A UTF-8 file with a value in each line.",
    ),
    ErrorCode(
        "local-numbers",
        _F,
        "The least number that anybody can have is not below the largest, or floats cannot tell the steps between them apart.",
        "--low 18 --high 100; far from zero, subtract the least number first",
    ),
    ErrorCode(
        "local-steps",
        _F,
        "A bounded number is reported in whole steps, 1 to 65536 of them.",
        "steps = 1000",
    ),
    ErrorCode(
        "local-alphabet",
        _F,
        "The alphabet of texts has no letter, or one twice.",
        "--alphabet abcdefghijklmnopqrstuvwxyz",
    ),
    ErrorCode(
        "local-length",
        _F,
        "A text and its letters' bits must fit 62 bits: a smaller alphabet allows longer texts.",
        "--length 8",
    ),
    ErrorCode(
        "local-protocol",
        _F,
        "There is no protocol of this name, or it is not for such a domain.",
        "One of those that the message lists, or none: lapcat takes the one with the least error.",
        "--protocol unary for numbers",
    ),
    ErrorCode(
        "local-header",
        _F,
        "A file of reports does not say how they were made, or not as this version makes them; with other probabilities the "
        "estimate would be wrong without showing it.",
        "Estimate them with the version that wrote them, or encode them again.",
    ),
    ErrorCode(
        "local-key",
        _F,
        "The file of the secret key holds something else. With another key everybody would report anew, and pay again.",
        "The file that the first reports were made with, or one that is not there yet.",
    ),
    ErrorCode(
        "local-told",
        _F,
        "The question was told before with this key, and something has changed since: a value, a person, the domain, the protocol "
        "or epsilon. Beside the first file a second one would tell who has changed, whatever epsilon is. Keys of 0.1.0 do not "
        "say what was told with them.",
        "--wave NAME, another name each time the question is asked; each wave costs everybody epsilon again.",
    ),
    ErrorCode(
        "local-wave",
        _F,
        "A wave has a name of 1 to 200 characters, and a permanent report is for a question that is asked in waves.",
        '--wave 2026, or wave = "2026" in a survey.',
        "--permanent 3 without --wave",
    ),
    ErrorCode(
        "local-permanent",
        _F,
        "A wave is a response to one symbol, and these reports are texts, many bits or one of thousands of places.",
        "Values told by response, hashing or hadamard, numbers by duchi; or --wave without --permanent, a fresh draw each time.",
        "--permanent 3 --protocol unary",
    ),
    ErrorCode(
        "local-number",
        _F,
        "An answer to a question about numbers is none. The message does not say which: it is somebody's answer.",
        "A number for each person.",
    ),
    ErrorCode(
        "law-too-long",
        _F,
        "A law is written out, outcome by outcome, only where there are not too many.",
        "Look at it with fewer values.",
    ),
    ErrorCode(
        "report-too-long",
        _F,
        "No protocol's report about so many values is as short as was asked for.",
        "A larger longest_report.",
    ),
    ErrorCode(
        "reports-foreign",
        _F,
        "A report is none that this protocol can make.",
        "Estimate it with the protocol that made it.",
    ),
    ErrorCode(
        "reports-unreadable",
        _F,
        "The file is not one of reports, or is not there.",
        "`lapcat local encode` writes one.",
        "lapcat local estimate staff.csv",
    ),
    ErrorCode(
        "answer-foreign",
        _F,
        "None of the answers is to these questions. Single ones that are not are left out and counted.",
        "--questions with the file that the page was made from, unchanged.",
    ),
    ErrorCode(
        "rows-range",
        _F,
        "Local hashing takes 1 to 8 rows, or 0 for the best number of them.",
        "rows = 0",
    ),
    ErrorCode(
        "questions-range",
        _F,
        "Up to 32 yes-or-no questions are answered together.",
        "questions = 10, or several surveys.",
    ),
    ErrorCode(
        "questions-way",
        _F,
        "Several questions are answered with epsilon split over them, or one random question each.",
        'way = "split" or way = "one"',
    ),
    ErrorCode(
        "survey",
        _F,
        "A key of the file of questions is missing, misspelt or has a value that cannot be.",
        "As the fix says; docs/local.md has a whole file.",
    ),
    ErrorCode(
        "survey-syntax",
        _F,
        "The file of questions is not valid TOML.",
        'A line looks like `title = "Habits"`, a question begins with `[[questions]]`.',
    ),
    ErrorCode(
        "survey-missing",
        _F,
        "There is no file of questions where it was looked for.",
        "lapcat local survey questions.toml -o survey.html",
    ),
)
LOCAL_FILES = (
    ErrorCode(
        "reports-unwritten",
        "EngineFailed",
        "The file of reports could not be written.",
        "A folder that exists and may be written to.",
    ),
    ErrorCode(
        "local-key-unwritten",
        "EngineFailed",
        "The file of the secret key could not be written.",
        "--key FILE in a folder that may be written to.",
    ),
)
