WITH "base" AS (SELECT "booked" AS "c_booked", "cabin" AS "c_cabin", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "bookings"),
"picked" AS (SELECT CAST(DATE_TRUNC('week', CAST(CASE WHEN ("c_booked" >= CAST('2024-01-01' AS DATE)) AND ("c_booked" <= CAST('2024-12-31' AS DATE)) THEN "c_booked" END AS TIMESTAMP)) AS DATE) AS "k0", "c_cabin" AS "k1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE((COALESCE("keys0"."place", CAST(53 AS BIGINT)) * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($1 AS DATE[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS DATE[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 8), datetime.date(2024, 1, 15), datetime.date(2024, 1, 22), datetime.date(2024, 1, 29), datetime.date(2024, 2, 5), datetime.date(2024, 2, 12), datetime.date(2024, 2, 19), datetime.date(2024, 2, 26), datetime.date(2024, 3, 4), datetime.date(2024, 3, 11), datetime.date(2024, 3, 18), datetime.date(2024, 3, 25), datetime.date(2024, 4, 1), datetime.date(2024, 4, 8), datetime.date(2024, 4, 15), datetime.date(2024, 4, 22), datetime.date(2024, 4, 29), datetime.date(2024, 5, 6), datetime.date(2024, 5, 13)] of 53
-- $list1 = ['economy', 'business'] of 2
