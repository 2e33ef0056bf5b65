"""Joins, sub-queries and groups about people: what is refused because it would let one person reach another's rows."""

from lapcat.render.error_codes.entry import ErrorCode

PEOPLE = (
    ErrorCode(
        "different-people",
        "Refused",
        "The tables are about different people: a unit of one could touch the rows of many units of the other.",
        'If they are the same people, the steward says so with unit = { column = "person_id", of = "people" } in both '
        "tables. If one of them is about nobody, it is public = true.",
    ),
    ErrorCode(
        "join-strangers",
        "Refused",
        "The join could pair rows of different people, so that one person could change what many others' rows are "
        "paired with.",
        "Add the unit to the condition: ON a.city = b.city AND a.person_id = b.person_id. The answer is then about pairs "
        "of one person's rows only, also where the column is unique.",
        "SELECT COUNT(*) FROM staff a JOIN staff b ON a.age = b.age",
    ),
    ErrorCode(
        "join-not-unique",
        "Refused",
        "A row could meet many rows of the public table, and each of them would count.",
        "Join by a column that is unique there: region = { unique = true } under [tables.regions.columns]; `lapcat refresh` "
        "checks it.",
    ),
    ErrorCode(
        "join-of-rows",
        "Refused",
        'Where unit = "row" each row is somebody else, so no two rows may be paired.',
        'The steward may declare whose rows they are: unit = "person_id".',
    ),
    ErrorCode(
        "rows-counted-twice",
        "Refused",
        'Where unit = "row" a private group is shown if enough rows are in it, each counted once; a row that several parts of '
        "a UNION ALL read would count several times.",
        "Ask about the table once: FROM staff WHERE … OR …",
        "SELECT city, COUNT(*) FROM (SELECT city FROM staff UNION ALL SELECT city FROM staff) GROUP BY city",
    ),
    ErrorCode(
        "relations-differ",
        "Refused",
        "The tables have different neighbouring relations, and a promise of one kind does not follow from the other.",
        "Ask one table at a time.",
    ),
    ErrorCode(
        "sub-query-of-many",
        "Refused",
        "A sub-query adds up, or a condition looks at, rows of many people: one person could move all that follows from it.",
        "GROUP BY the unit in the sub-query (one row for each person); or person_id IN (SELECT person_id FROM …).",
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM staff GROUP BY region)",
    ),
    ErrorCode(
        "private-sets",
        "Refused",
        "A key whose values are private cannot be in several grouping sets at once: each would need its own threshold.",
        "Ask each grouping by itself.",
    ),
    ErrorCode(
        "unit-opaque",
        "Refused",
        "The unit's column is not declared for anything else: units may be joined, counted and grouped by in a sub-query.",
        "COUNT(DISTINCT person_id); or the steward declares the column: person_id = {}.",
    ),
    ErrorCode(
        "unit-differs",
        "Refused",
        "OPTIONS(privacy_unit_column = …) names another unit than the declared one.",
        "Leave privacy_unit_column out: who is protected is declared by the steward, and holds for every question.",
    ),
    ErrorCode(
        "bounding-of-pairs",
        "Refused",
        "OPTIONS(max_rows_contributed = …) asks to choose among pairs of a unit's rows, of which none comes first.",
        "Leave max_rows_contributed and max_groups_contributed out.",
    ),
    ErrorCode(
        "not-grouped",
        "BadQuery",
        "A column of a sub-query with GROUP BY is neither grouped by nor inside an aggregate.",
        "Add it to GROUP BY, or write MAX(x).",
    ),
    ErrorCode(
        "with-unused",
        "BadQuery",
        "A query in WITH is not used, and what is not read is not checked either.",
        "Leave it out, or read it in FROM.",
        "WITH s AS (SELECT * FROM staff) SELECT COUNT(*) FROM staff",
    ),
    ErrorCode(
        "order-position",
        "BadQuery",
        "ORDER BY names a column by a number that the answer does not have.",
        "ORDER BY 1 is the first column of the SELECT.",
        "SELECT COUNT(*) FROM staff ORDER BY 2",
    ),
    ErrorCode(
        "plan-unproved",
        "Bug",
        "A plan holds a join, union or statistic of which nothing limits what one unit can do to it.",
        "Please report the question. Nothing was spent and no row was read.",
    ),
)
