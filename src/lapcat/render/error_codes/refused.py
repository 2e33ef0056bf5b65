"""Refused and BudgetExceeded: a privacy rule says no."""

from lapcat.render.error_codes.entry import ErrorCode

REFUSED = (
    ErrorCode(
        "table-gone",
        "Refused",
        "A table that has spent is gone from the catalogue while another appears. If it is the same data, its budget would begin anew.",
        'lapcat accept --renamed OLD=NEW --reason "…" if it is the same data; lapcat accept --forget OLD --reason "…" if it is not. The ledger and the privacy statement show for ever what was given up.',
    ),
    ErrorCode(
        "renamed-spent",
        "Refused",
        "Both tables of --renamed have spent, and a book holds one amount.",
        "Give the old one up: lapcat accept --forget OLD.",
    ),
    ErrorCode(
        "spent-otherwise",
        "Refused",
        "The unit or the relation of a table changed after something was spent: an epsilon for each row says nothing "
        "about each person.",
        "Keep the unit and the relation, or begin a new ledger, knowing that what was spent before comes on top.",
    ),
    ErrorCode(
        "snapshot-there",
        "Refused",
        "`lapcat refresh --same-version` writes a snapshot that is missing, and this version has its own. Other rows under the "
        "same version would be answered from stored answers about the first.",
        "lapcat refresh TABLE, which declares a new version.",
    ),
    ErrorCode(
        "engine-differs",
        "Refused",
        "lapcat check --engine found that this engine means something else by an operator than lapcat does. What one unit can do to an answer is proved for lapcat's meaning.",
        "Write the question without it; or install another version of the engine, then lapcat check --engine.",
    ),
    ErrorCode(
        "engine-unchecked",
        "Refused",
        "This version of the engine is none that lapcat was tested with, and nobody has checked yet what it means by its operators. What one unit can do to an answer is proved for lapcat's meaning.",
        "lapcat check --engine, as the steward; it reads no row, and what it finds is kept for this version. The next refresh does it by itself.",
    ),
    ErrorCode(
        "parser-differs",
        "Refused",
        "The installed version of SQLGlot, which takes SQL apart, reads some construct in another way than the versions that lapcat was tested with. What a question asks is decided there.",
        "pip install the versions that the error names; a newer lapcat may know yours.",
    ),
    ErrorCode(
        "bounds-missing",
        "Refused",
        "SUM and AVG need bounds: without them one person could move the result without limit.",
        "CLAMP(salary, LOW, HIGH) in the question, or salary = { low = LOW, high = HIGH } under [tables.staff.columns]; for a "
        'data frame, lapcat.table(..., bounds={"salary": (LOW, HIGH)}). Choose LOW and HIGH from what you know of the '
        "world, not from the rows.",
        "SELECT AVG(bonus) FROM staff",
    ),
    ErrorCode(
        "bounds-narrow",
        "Refused",
        "The bounds are narrower than 2^-300, about 5e-91: floating-point numbers could not tell squares of such values from 0, "
        "so a variance would be wrong.",
        "Ask for it in a smaller unit of measure: VAR_POP(x * 1e100), with bounds for that.",
        "SELECT VAR_POP(CLAMP(salary, 0, 1e-320)) AS v FROM staff",
    ),
    ErrorCode(
        "keys-missing",
        "Refused",
        "The groups are not public: a group that appears only because one person is in it would reveal that they are in the "
        "data.",
        'region = { type = "text", keys = ["north", "south"] } in the catalogue, keys={"region": ["north", "south"]} for a data '
        "frame; or other groups: BUCKETS(age) of a bounded column, or CASE with constant values.",
        "SELECT city, COUNT(*) FROM staff GROUP BY city",
    ),
    ErrorCode(
        "row-level",
        "Refused",
        "The question would show single rows, or a value that is neither an aggregate nor a group key. A row is somebody.",
        "SELECT COUNT(*) AS n FROM staff, or GROUP BY the column.",
        "SELECT salary FROM staff",
    ),
    ErrorCode(
        "too-many-groups",
        "Refused",
        "The declared keys make more groups than lapcat answers at once; every group gets its own noise, also empty ones.",
        "Group by fewer columns, or by wider buckets: FLOOR(x / 100).",
    ),
    ErrorCode(
        "statement-too-large",
        "Refused",
        "PostgreSQL takes at most 1664 columns in a statement, and every value of a row that a question uses more than once is one. "
        "The server says so before anything is spent, by the question alone.",
        "Ask for less at once: fewer aggregates, conditions or products of computed numbers.",
    ),
    ErrorCode(
        "like-length",
        "Refused",
        "The pattern of a LIKE is longer than [limits] like_length allows, 256 characters by default. Matching takes up to the "
        "length of the pattern times that of the text, and the work for each row must stay bounded.",
        "Shorten the pattern; or the steward raises like_length under [limits].",
    ),
    ErrorCode(
        "like-wildcards",
        "Refused",
        "The pattern of a LIKE has more % than [limits] like_wildcards allows, 8 by default; %% counts as one. Each % is "
        "searched for in every text, and the work for each row must not depend on what it holds.",
        "Leave out some of them; or the steward raises like_wildcards under [limits].",
    ),
    ErrorCode(
        "text-too-long",
        "Refused",
        "A text of the question is longer than [limits] max_length allows, 4096 characters by default. No column holds a longer "
        "text, since it does not fit its type, and no expression makes one.",
        "Compare with its first characters, by LIKE; or the steward raises max_length under [limits].",
    ),
    ErrorCode(
        "joined-rows",
        "Refused",
        "One person's rows could become more rows than [limits] joined_rows allows, 10 000 by default: joins of a person's rows "
        "multiply them, and unions of one table repeat them. Whether a question fails must not depend on one person, so the "
        "work that one person can cause is limited by public numbers.",
        "Join fewer tables; or make one row of each person on one side first, with GROUP BY in a sub-query; or the steward "
        "lowers rows_per_unit, or raises joined_rows under [limits].",
    ),
    ErrorCode(
        "joined-bytes",
        "Refused",
        "One person's joined rows could take more than 1 % of the engine's memory: the most rows, times the bytes of the "
        "columns that the question reads. A text counts for max_length characters of 4 bytes.",
        "Read fewer texts of the joined tables, or make one row of each person on one side first; or the steward lowers "
        "rows_per_unit, lowers max_length under [limits], or raises memory under [engine] (4 GB where nothing is declared).",
    ),
    ErrorCode(
        "beyond-limit",
        "Refused",
        "The question is larger than [limits] allows: in aggregates, conditions, tables, groups, or in the size or depth of one "
        "expression. The work of a question is limited by public numbers, so that no row decides whether it fails.",
        "Ask for less at once; or the steward raises the limit that the refusal names: aggregates = 300 under [limits].",
    ),
    ErrorCode(
        "price-below-floor",
        "Refused",
        "The price is below the least of a question that reads rows, [limits] min_epsilon (half its square for a budget of "
        "rho). A question can fail, and a failure must not be cheaper than an answer.",
        "epsilon=0.0001, or what the refusal says; the steward sets it: min_epsilon = 0.0001 under [limits].",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.00001",
    ),
    ErrorCode(
        "protects-nobody",
        "Refused",
        "An epsilon above 10 or a delta above 1e-6 is a promise in name only: an attacker could become all but certain "
        "that somebody is in the data.",
        'Lower it; or the steward writes the reason into the budget: i_understand = "why".',
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1000",
    ),
    ErrorCode(
        "budget-without-delta",
        "BudgetExceeded",
        "Groups by private keys are shown by a threshold, which fails with probability delta, and a budget that the question "
        "debits has no delta.",
        'The steward adds it: budget = { epsilon = 3, delta = 1e-7 }, then lapcat accept --reason "why".',
    ),
    ErrorCode(
        "rho-against-epsilon",
        "Refused",
        "The table has a budget of epsilon, and rho does not convert into it: rho bounds an average of the loss, epsilon its worst case.",
        "--epsilon 0.1",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --rho 0.01",
    ),
    ErrorCode(
        "loss-kind",
        "Refused",
        "The question's loss cannot be stated in the kind of the budget, and no theorem turns rho into a sum of epsilons.",
        "Ask with the budget's own kind, --epsilon or --rho.",
    ),
    ErrorCode(
        "error-relative",
        "Refused",
        "A relative error refers to an answer of which nothing public or released says how large it is at least.",
        "Ask with --epsilon 0.1 first and then with the error again, or name an absolute error: --error 500.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --error 5%",
    ),
    ErrorCode(
        "error-unknown-n",
        "Refused",
        "The error of an average depends on how many rows there are, and that number is private too.",
        "Ask with --epsilon 0.1 first, or COUNT over the same rows, and then with the error again; preview shows the "
        "margin for n = 100, 1 000 and 10 000.",
        "lapcat ask 'SELECT AVG(salary) FROM staff' --error 500",
    ),
    ErrorCode(
        "error-too-small",
        "Refused",
        "So small an error would need an epsilon that protects nobody.",
        "A larger error, or narrower bounds.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --error 0.001",
    ),
    ErrorCode(
        "amount-too-large",
        "Refused",
        "The sum of what was spent would not fit into the ledger's 64-bit integers.",
        "A smaller epsilon.",
    ),
    ErrorCode(
        "units-differ",
        "Refused",
        "Under replace-one the number of units is public and declared, and the data have another number.",
        'units = the true number under [tables.…], then lapcat accept --reason "why"',
    ),
    ErrorCode(
        "choice-too-wide",
        "Refused",
        "A quantile, extreme or mode is chosen in each group among many candidates, and all groups together have too many.",
        "Group by fewer columns, or ask for AVG.",
    ),
    ErrorCode(
        "mode-of-private",
        "Refused",
        "MODE chooses among public values; where the values are private, those that few people have must stay hidden.",
        "GROUP BY the column, ORDER BY the count, LIMIT 1.",
    ),
    ErrorCode(
        "key-not-unique",
        "Refused",
        "A column is declared unique, and rows of the new version have the same value. The version is not declared.",
        "Remove the repetitions from the source, or `unique = true` from the column.",
    ),
    ErrorCode(
        "not-parallel",
        "Refused",
        "The blocks of a table may have budgets of their own only where each unit lies in one block, and only under add-remove: "
        "then a unit pays what its block has spent, and nothing for the others (parallel composition). Somebody with rows in "
        "twelve months is in twelve blocks; and to replace a unit's rows may move it to another block.",
        'unit = "row", or unit = { column = "person_month", within = "month" } where nobody has rows in two blocks, without '
        '`of` and `through`, and relation = "add-remove"; or leave blocks out.',
    ),
    ErrorCode(
        "unit-in-two-blocks",
        "Refused",
        "The catalogue says that all rows of a unit are in one block, and rows of the new version are not. The version is not "
        "declared.",
        "A unit column that names person and block together, or leave blocks out of the table.",
    ),
    ErrorCode(
        "debit-voided",
        "Refused",
        "The steward took the debit back between its payment and the look. Nothing was read.",
        "Ask the question again: it pays anew.",
    ),
    ErrorCode(
        "key-reused",
        "Refused",
        "A key names one request. It was used for another question, price or version of the data before; nothing was spent.",
        "Use a new key for a new question, for example one made by: uuidgen",
    ),
    ErrorCode(
        "void-late",
        "Refused",
        "A debit can be taken back only while nobody looked: a later refund would tell what came of the question.",
        'To let analysts ask more, raise the budget in lapcat.toml and run: lapcat accept --reason "why"',
    ),
    ErrorCode(
        "timeout-long",
        "Refused",
        "The question asks for more seconds than an analyst may have for it; nothing was spent.",
        "A smaller timeout; or the steward raises max_timeout of the table.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.1 --timeout 86400 --as ana",
    ),
    ErrorCode(
        "analyst-paused",
        "Refused",
        "A question of this analyst about the table failed, and each failure may tell one bit. Others may ask.",
        'The steward sees to the source, then: lapcat resume TABLE --analyst NAME --reason "why"',
    ),
    ErrorCode(
        "table-paused",
        "Refused",
        "The steward has paused the table; or questions of three analysts failed, and each failure may tell one bit. Where nobody "
        "asks by name, one failure is enough.",
        'The steward sees to the source, then: lapcat resume TABLE --reason "why"',
    ),
)

BUDGET = (
    ErrorCode(
        "batch-exceeded",
        "BudgetExceeded",
        "The questions of a batch need more than its limit for the errors that they name, or more together than a budget has "
        "left. None of them was asked.",
        "A larger epsilon for the batch, larger errors, or fewer questions; the message says what is missing.",
        "db.batch([('SELECT COUNT(*) FROM staff', 5)], epsilon=0.01).run()",
    ),
    ErrorCode(
        "budget-exceeded",
        "BudgetExceeded",
        "The question would cost more than the table, its population or the analyst has left. The message says exactly how much that is.",
        "Ask at a smaller epsilon (a wider margin), or ask a question that was answered before: repeats are free.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 9",
    ),
    ErrorCode(
        "per-query-exceeded",
        "BudgetExceeded",
        "The question costs more than one question may cost (per_query in the catalogue).",
        "Ask at a smaller epsilon.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.5 --as ana",
    ),
)
