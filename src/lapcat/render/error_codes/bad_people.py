"""Joins, sub-queries and groups refused because one person could affect other people's rows."""

from lapcat.render.error_codes.entry import ErrorCode

PEOPLE = (
    ErrorCode(
        "different-people",
        "Refused",
        "The tables protect different people: one person in one table could affect rows of many people in the other.",
        'If they are the same people, the steward declares unit = { column = "person_id", of = "people" } in both tables. If a '
        "table is about nobody, declare it public = true.",
    ),
    ErrorCode(
        "join-strangers",
        "Refused",
        "The join could pair rows of different people, so one person could change what many other rows are paired with.",
        "Add the unit to the condition: ON a.city = b.city AND a.person_id = b.person_id. The answer then counts only pairs of "
        "rows of the same person, even if the column is unique.",
        "SELECT COUNT(*) FROM staff a JOIN staff b ON a.age = b.age",
    ),
    ErrorCode(
        "join-not-unique",
        "Refused",
        "A row could match many rows of the public table, and each match would count.",
        "Join by a unique column: region = { unique = true } under [tables.regions.columns]; `lapcat refresh` checks it.",
    ),
    ErrorCode(
        "join-of-rows",
        "Refused",
        'With unit = "row" every row is a different person, so no two rows may be paired.',
        'The steward may declare whose rows they are: unit = "person_id".',
    ),
    ErrorCode(
        "rows-counted-twice",
        "Refused",
        'With unit = "row" a private group is shown if enough rows are in it, each counted once. A row read by several parts of '
        "a UNION ALL would count several times.",
        "Read the table once: FROM staff WHERE … OR …",
        "SELECT city, COUNT(*) FROM (SELECT city FROM staff UNION ALL SELECT city FROM staff) GROUP BY city",
    ),
    ErrorCode(
        "relations-differ",
        "Refused",
        "The tables have different neighbouring relations, and the guarantee of one does not follow from the other.",
        "Ask one table at a time.",
    ),
    ErrorCode(
        "sub-query-of-many",
        "Refused",
        "A sub-query aggregates rows of many people, or a condition depends on them, so one person could change everything "
        "computed from it.",
        "GROUP BY the unit in the sub-query (one row per person), or write person_id IN (SELECT person_id FROM …).",
        "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM staff GROUP BY region)",
    ),
    ErrorCode(
        "private-sets",
        "Refused",
        "A private key cannot be in several grouping sets at once: each set would need its own threshold.",
        "Ask for each grouping separately.",
    ),
    ErrorCode(
        "unit-opaque",
        "Refused",
        "The unit column is not declared for other uses. Without a declaration, units can be joined, counted, and grouped by in "
        "a sub-query.",
        "COUNT(DISTINCT person_id); or the steward declares the column: person_id = {}.",
    ),
    ErrorCode(
        "unit-differs",
        "Refused",
        "OPTIONS(privacy_unit_column = …) names a different unit than the catalogue declares.",
        "Leave privacy_unit_column out: the steward declares the privacy unit, for every question.",
    ),
    ErrorCode(
        "groups-differ",
        "Refused",
        "OPTIONS(group_selection_strategy = …) says that groups are public or private, and the catalogue says the opposite.",
        "Leave group_selection_strategy out: the steward declares the keys of each column.",
    ),
    ErrorCode(
        "bounding-of-pairs",
        "Refused",
        "OPTIONS(max_rows_contributed = …) would have to choose among pairs of a unit's rows, which have no order.",
        "Leave max_rows_contributed and max_groups_contributed out.",
    ),
    ErrorCode(
        "not-grouped",
        "BadQuery",
        "A column beside aggregates is neither a group key nor inside an aggregate, which SQL itself refuses.",
        "Add it to GROUP BY, or leave it out; in a sub-query, MAX(x) works too.",
    ),
    ErrorCode(
        "with-unused",
        "BadQuery",
        "A query in WITH is not used, and unused queries are not checked.",
        "Remove it, or read it in FROM.",
        "WITH s AS (SELECT * FROM staff) SELECT COUNT(*) FROM staff",
    ),
    ErrorCode(
        "order-position",
        "BadQuery",
        "ORDER BY names a position that the answer does not have.",
        "Count from 1: ORDER BY 1 is the first column of the SELECT.",
        "SELECT COUNT(*) FROM staff ORDER BY 2",
    ),
    ErrorCode(
        "plan-unproved",
        "Bug",
        "The plan contains a join, union or statistic without a proved bound on the effect of one unit.",
        "Please report the question. Nothing was spent and no row was read.",
    ),
)
