WITH "base" AS NOT MATERIALIZED (SELECT "sold" AS "c_sold"
FROM "till"),
"base_2" AS NOT MATERIALIZED (SELECT "sold" AS "c_sold"
FROM "till"),
"parts" AS NOT MATERIALIZED (SELECT CAST(DATE_TRUNC('month', "c_sold") AS DATE) AS "c_u0"
FROM "base" UNION ALL SELECT CAST(DATE_TRUNC('month', "c_sold") AS DATE) AS "c_u0"
FROM "base_2"),
"picked" AS NOT MATERIALIZED (SELECT "c_u0" AS "k0"
FROM "parts"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS DATE[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS DATE[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = [datetime.date(2023, 1, 1), datetime.date(2023, 2, 1), datetime.date(2023, 3, 1), datetime.date(2023, 4, 1), datetime.date(2023, 5, 1), datetime.date(2023, 6, 1), datetime.date(2023, 7, 1), datetime.date(2023, 8, 1), datetime.date(2023, 9, 1), datetime.date(2023, 10, 1), datetime.date(2023, 11, 1), datetime.date(2023, 12, 1), datetime.date(2024, 1, 1), datetime.date(2024, 2, 1), datetime.date(2024, 3, 1), datetime.date(2024, 4, 1), datetime.date(2024, 5, 1), datetime.date(2024, 6, 1), datetime.date(2024, 7, 1), datetime.date(2024, 8, 1)] of 24
