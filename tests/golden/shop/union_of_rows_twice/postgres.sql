WITH "base" AS (SELECT "amount" AS "c_amount", "sold" AS "c_sold", "_lapcat_weighed_amount"
FROM "till"),
"base_2" AS (SELECT "amount" AS "c_amount", "sold" AS "c_sold", "_lapcat_weighed_amount"
FROM "till"),
"kept" AS (SELECT "c_amount", "c_sold"
FROM "base_2"
WHERE "c_amount" < CAST(CAST(10 AS BIGINT) AS DOUBLE PRECISION)),
"parts" AS (SELECT "c_sold" AS "c_u0", "c_amount" AS "c_u1"
FROM "base" UNION ALL SELECT "c_sold" AS "c_u0", "c_amount" AS "c_u1"
FROM "kept"),
"picked" AS (SELECT CAST(DATE_TRUNC('month', CAST(CASE WHEN ("c_u0" >= CAST('2023-01-01' AS DATE)) AND ("c_u0" <= CAST('2024-12-31' AS DATE)) THEN "c_u0" END AS TIMESTAMP)) AS DATE) AS "k0", CAST(FLOOR(CASE WHEN "c_u1" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('300.0' AS DOUBLE PRECISION) THEN "c_u1" WHEN "c_u1" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_u1" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('300.0' AS DOUBLE PRECISION) END * CAST('4194304.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v1"
FROM "parts"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS DATE[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS DATE[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = [datetime.date(2023, 1, 1), datetime.date(2023, 2, 1), datetime.date(2023, 3, 1), datetime.date(2023, 4, 1), datetime.date(2023, 5, 1), datetime.date(2023, 6, 1), datetime.date(2023, 7, 1), datetime.date(2023, 8, 1), datetime.date(2023, 9, 1), datetime.date(2023, 10, 1), datetime.date(2023, 11, 1), datetime.date(2023, 12, 1), datetime.date(2024, 1, 1), datetime.date(2024, 2, 1), datetime.date(2024, 3, 1), datetime.date(2024, 4, 1), datetime.date(2024, 5, 1), datetime.date(2024, 6, 1), datetime.date(2024, 7, 1), datetime.date(2024, 8, 1)] of 24
