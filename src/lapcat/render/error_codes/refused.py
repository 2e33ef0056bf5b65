"""Refused and BudgetExceeded: privacy rules and budgets."""

from lapcat.render.error_codes.entry import ErrorCode

REFUSED = (
    ErrorCode(
        "table-gone",
        "Refused",
        "A table with spending disappeared from the catalogue and another appeared. If it is the same data, its budget would "
        "start from zero.",
        'lapcat accept --renamed OLD=NEW --reason "…" if it is the same data; lapcat accept --forget OLD --reason "…" if it is '
        "not. The ledger and the privacy statement show forgotten spending permanently.",
    ),
    ErrorCode(
        "renamed-spent",
        "Refused",
        "Both tables of --renamed have spending, which cannot be merged into one budget.",
        "Give up the old one: lapcat accept --forget OLD.",
    ),
    ErrorCode(
        "spent-otherwise",
        "Refused",
        "The unit or the relation of a table changed after spending: an epsilon per row says nothing about an epsilon per "
        "person.",
        "Keep the unit and the relation, or start a new ledger; what was spent before then adds to what it records.",
    ),
    ErrorCode(
        "snapshot-there",
        "Refused",
        "`lapcat refresh --same-version` only writes a missing snapshot, and this version has one. With other rows under the "
        "same version, stored answers about the first rows would be reused.",
        "lapcat refresh TABLE, which declares a new version.",
    ),
    ErrorCode(
        "engine-differs",
        "Refused",
        "lapcat check --engine found that this engine evaluates an operator differently from lapcat. Sensitivity is proved for "
        "lapcat's semantics.",
        "Avoid the operator; or install another version of the engine, then run lapcat check --engine.",
    ),
    ErrorCode(
        "engine-unchecked",
        "Refused",
        "This version of the engine was neither tested with lapcat nor checked since. Sensitivity is proved for lapcat's "
        "semantics of the operators.",
        "The steward runs lapcat check --engine, which reads no row and stores the result for this version. The next refresh "
        "also runs it.",
    ),
    ErrorCode(
        "parser-differs",
        "Refused",
        "The installed SQLGlot parses some construct differently from the versions lapcat was tested with, so a question could "
        "mean something else.",
        "Install a version named in the error with pip; a newer lapcat may support yours.",
    ),
    ErrorCode(
        "bounds-missing",
        "Refused",
        "SUM and AVG need bounds: without them one person could change the result without limit.",
        "CLAMP(salary, LOW, HIGH) in the question, or salary = { low = LOW, high = HIGH } under [tables.staff.columns]; for a "
        'data frame, lapcat.table(..., bounds={"salary": (LOW, HIGH)}). Choose LOW and HIGH from general knowledge, not from '
        "the rows.",
        "SELECT AVG(bonus) FROM staff",
    ),
    ErrorCode(
        "bounds-narrow",
        "Refused",
        "The bounds are narrower than 2^-300 (about 5e-91): squares of such values underflow to 0 in floating point, so a "
        "variance would be wrong.",
        "Use a smaller unit of measure: VAR_POP(x * 1e100), with bounds to match.",
        "SELECT VAR_POP(CLAMP(salary, 0, 1e-320)) AS v FROM staff",
    ),
    ErrorCode(
        "keys-missing",
        "Refused",
        "The group keys are not public: a group that appears because of one person would reveal that they are in the data.",
        'region = { type = "text", keys = ["north", "south"] } in the catalogue, keys={"region": ["north", "south"]} for a data '
        "frame; or other groups: BUCKETS(age) of a bounded column, or CASE with constant values.",
        "SELECT city, COUNT(*) FROM staff GROUP BY city",
    ),
    ErrorCode(
        "row-level",
        "Refused",
        "The question would return individual rows.",
        "SELECT COUNT(*) AS n FROM staff, or GROUP BY the column.",
        "SELECT salary FROM staff",
    ),
    ErrorCode(
        "too-many-groups",
        "Refused",
        "The declared keys make more groups than lapcat answers at once; every group gets noise, including empty ones.",
        "Group by fewer columns, or by wider buckets: FLOOR(x / 100).",
    ),
    ErrorCode(
        "statement-too-large",
        "Refused",
        "PostgreSQL allows 1664 columns per statement, and every row value that the question uses more than once takes one. The "
        "server reports this before anything is spent, from the question alone.",
        "Ask for less at once: fewer aggregates, conditions or products of computed numbers.",
    ),
    ErrorCode(
        "like-length",
        "Refused",
        "The LIKE pattern, or a text to search for, is longer than [limits] like_length allows, 256 characters by default. "
        "Searching costs up to its length times that of the text, and the work per row must stay bounded.",
        "Shorten it; or the steward raises like_length under [limits].",
    ),
    ErrorCode(
        "like-wildcards",
        "Refused",
        "The LIKE pattern has more % than [limits] like_wildcards allows, 8 by default; %% counts as one. Every text is "
        "searched for each %, and the work per row must not depend on its content.",
        "Use fewer; or the steward raises like_wildcards under [limits].",
    ),
    ErrorCode(
        "text-too-long",
        "Refused",
        "A text in the question is longer than [limits] max_length allows, 4096 characters by default. No column holds a longer "
        "text and no expression produces one.",
        "Compare with its first characters, using LIKE; or the steward raises max_length under [limits].",
    ),
    ErrorCode(
        "joined-rows",
        "Refused",
        "One person's rows could become more rows than [limits] joined_rows allows, 10 000 by default: joins multiply a "
        "person's rows and unions of one table repeat them. Whether a question fails must not depend on one person, so public "
        "limits bound the work one person can cause.",
        "Join fewer tables; or aggregate one side to one row per person first, with GROUP BY in a sub-query; or the steward "
        "lowers rows_per_unit, or raises joined_rows under [limits].",
    ),
    ErrorCode(
        "joined-bytes",
        "Refused",
        "One person's joined rows could take more than 1 % of the engine's memory: the maximum number of rows times the bytes "
        "of the columns read. A text counts for max_length characters of 4 bytes.",
        "Read fewer texts from the joined tables, or aggregate one side to one row per person first; or the steward lowers "
        "rows_per_unit, lowers max_length under [limits], or raises memory under [engine] (4 GB by default).",
    ),
    ErrorCode(
        "beyond-limit",
        "Refused",
        "The question exceeds a limit in [limits]: on aggregates, conditions, tables, groups, or the size or depth of an "
        "expression. Public limits bound the work of a question, so that no row decides whether it fails.",
        "Ask for less at once; or the steward raises the limit named in the refusal: aggregates = 300 under [limits].",
    ),
    ErrorCode(
        "price-below-floor",
        "Refused",
        "The price is below [limits] min_epsilon, the minimum for a question that reads rows (half its square for a budget in "
        "rho). A question can fail, and a failure must not be cheaper than an answer.",
        "epsilon=0.0001, or the amount in the refusal; the steward sets it: min_epsilon = 0.0001 under [limits].",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.00001",
    ),
    ErrorCode(
        "protects-nobody",
        "Refused",
        "An epsilon above 10 or a delta above 1e-6 gives no meaningful protection: an attacker could become almost certain that "
        "somebody is in the data.",
        'Lower it; or the steward records a reason in the budget: i_understand = "why".',
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 1000",
    ),
    ErrorCode(
        "budget-without-delta",
        "BudgetExceeded",
        "Groups with private keys are shown by a threshold, which fails with probability delta, and a budget charged by this "
        "question has no delta.",
        'The steward adds it: budget = { epsilon = 3, delta = 1e-7 }, then lapcat accept --reason "why".',
    ),
    ErrorCode(
        "rho-against-epsilon",
        "Refused",
        "The table's budget is in epsilon, and rho cannot be converted into it: rho bounds an average of the loss, epsilon its "
        "worst case.",
        "--epsilon 0.1",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --rho 0.01",
    ),
    ErrorCode(
        "loss-kind",
        "Refused",
        "The loss of this question cannot be expressed in the budget's kind: no theorem turns rho into a sum of epsilons.",
        "Use the budget's own kind, --epsilon or --rho.",
    ),
    ErrorCode(
        "error-relative",
        "Refused",
        "A relative error needs a lower bound on the answer, and nothing public or released gives one.",
        "Ask with --epsilon 0.1 first and then with the error again, or name an absolute error: --error 500.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --error 5%",
    ),
    ErrorCode(
        "error-unknown-n",
        "Refused",
        "The error of an average depends on the number of rows, which is private too.",
        "Ask with --epsilon 0.1 first, or COUNT over the same rows, and then with the error again; preview shows the "
        "margin for n = 100, 1 000 and 10 000.",
        "lapcat ask 'SELECT AVG(salary) FROM staff' --error 500",
    ),
    ErrorCode(
        "error-too-small",
        "Refused",
        "An error this small needs an epsilon that protects nobody.",
        "Allow a larger error, or use narrower bounds.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --error 0.001",
    ),
    ErrorCode(
        "amount-too-large",
        "Refused",
        "Total spending would not fit into the ledger's 64-bit integers.",
        "Use a smaller epsilon.",
    ),
    ErrorCode(
        "units-differ",
        "Refused",
        "Under replace-one the number of units is public and declared, and the data have a different number.",
        'Set units to the true number under [tables.…], then lapcat accept --reason "why"',
    ),
    ErrorCode(
        "choice-too-wide",
        "Refused",
        "A quantile, extreme or mode is selected from many candidates in each group, and all groups together have too many.",
        "Group by fewer columns, or ask for AVG.",
    ),
    ErrorCode(
        "mode-of-private",
        "Refused",
        "MODE selects among public values; private values held by few people must stay hidden.",
        "GROUP BY the column, ORDER BY the count, LIMIT 1.",
    ),
    ErrorCode(
        "key-not-unique",
        "Refused",
        "A column is declared unique, but the new version has duplicate values. The version was not declared.",
        "Remove the duplicates from the source, or `unique = true` from the column.",
    ),
    ErrorCode(
        "not-parallel",
        "Refused",
        "Blocks of a table may have separate budgets only if each unit is in one block, under add-remove: a unit is then "
        "charged only for its own block (parallel composition). A person with rows in twelve months is in twelve blocks, and "
        "replacing a unit's rows may move it to another block.",
        'unit = "row", or unit = { column = "person_month", within = "month" } if nobody has rows in two blocks, without `of` '
        'and `through`, and relation = "add-remove"; or remove blocks.',
    ),
    ErrorCode(
        "unit-in-two-blocks",
        "Refused",
        "The catalogue declares that each unit is in one block, but some unit of the new version is in two. The version was not "
        "declared.",
        "Use a unit column that combines person and block, or remove blocks from the table.",
    ),
    ErrorCode(
        "debit-voided",
        "Refused",
        "The steward voided the debit before the query was executed. No row was read.",
        "Ask the question again: it is charged anew.",
    ),
    ErrorCode(
        "key-reused",
        "Refused",
        "An idempotency key names one request. This one was used for another question, price or version of the data. Nothing "
        "was spent.",
        "Use a new key for a new question, for example one made by: uuidgen",
    ),
    ErrorCode(
        "void-late",
        "Refused",
        "A debit can be voided only before its query is executed: a later refund would reveal the outcome.",
        'To let analysts ask more, raise the budget in lapcat.toml and run: lapcat accept --reason "why"',
    ),
    ErrorCode(
        "timeout-long",
        "Refused",
        "The timeout exceeds the maximum for analysts. Nothing was spent.",
        "Use a shorter timeout; or the steward raises max_timeout of the table.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.1 --timeout 86400 --as ana",
    ),
    ErrorCode(
        "analyst-paused",
        "Refused",
        "A question of this analyst about the table failed, and each failure may reveal one bit. Other analysts may still ask.",
        'The steward checks the source, then runs: lapcat resume TABLE --analyst NAME --reason "why"',
    ),
    ErrorCode(
        "table-paused",
        "Refused",
        "The steward paused the table, or questions of three analysts failed; each failure may reveal one bit. Without named "
        "analysts one failure is enough.",
        'The steward checks the source, then runs: lapcat resume TABLE --reason "why"',
    ),
)

BUDGET = (
    ErrorCode(
        "batch-exceeded",
        "BudgetExceeded",
        "The batch needs more than its limit for the requested errors, or more than a budget has left. None of its questions "
        "was asked.",
        "Use a larger epsilon for the batch, larger errors, or fewer questions; the message says what is missing.",
        "db.batch([('SELECT COUNT(*) FROM staff', 5)], epsilon=0.01).run()",
    ),
    ErrorCode(
        "budget-exceeded",
        "BudgetExceeded",
        "The question costs more than the table, its population or the analyst has left. The message gives the exact amount "
        "left.",
        "Ask at a smaller epsilon (with a wider margin), or repeat an answered question, which is free.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 9",
    ),
    ErrorCode(
        "per-query-exceeded",
        "BudgetExceeded",
        "The question costs more than per_query, the catalogue's limit for a single question.",
        "Ask at a smaller epsilon.",
        "lapcat ask 'SELECT COUNT(*) FROM staff' --epsilon 0.5 --as ana",
    ),
)
