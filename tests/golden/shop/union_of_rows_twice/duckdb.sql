WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "sold" AS "c_sold", "_lapcat_weighed_amount"
FROM "till"),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "sold" AS "c_sold", "_lapcat_weighed_amount"
FROM "till"),
"kept" AS NOT MATERIALIZED (SELECT "c_amount", "c_sold"
FROM "base_2"
WHERE "c_amount" < CAST(CAST(10 AS BIGINT) AS DOUBLE)),
"parts" AS NOT MATERIALIZED (SELECT "c_sold" AS "c_u0", "c_amount" AS "c_u1"
FROM "base" UNION ALL SELECT "c_sold" AS "c_u0", "c_amount" AS "c_u1"
FROM "kept"),
"picked" AS NOT MATERIALIZED (SELECT CAST(DATE_TRUNC('month', CASE WHEN ("c_u0" >= CAST('2023-01-01' AS DATE)) AND ("c_u0" <= CAST('2024-12-31' AS DATE)) THEN "c_u0" END) AS DATE) AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_u1" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('300.0' AS DOUBLE) THEN "c_u1" WHEN "c_u1" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_u1" <= CAST('inf' AS DOUBLE) THEN CAST('300.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v1"
FROM "parts"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS DATE[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS DATE[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = [datetime.date(2023, 1, 1), datetime.date(2023, 2, 1), datetime.date(2023, 3, 1), datetime.date(2023, 4, 1), datetime.date(2023, 5, 1), datetime.date(2023, 6, 1), datetime.date(2023, 7, 1), datetime.date(2023, 8, 1), datetime.date(2023, 9, 1), datetime.date(2023, 10, 1), datetime.date(2023, 11, 1), datetime.date(2023, 12, 1), datetime.date(2024, 1, 1), datetime.date(2024, 2, 1), datetime.date(2024, 3, 1), datetime.date(2024, 4, 1), datetime.date(2024, 5, 1), datetime.date(2024, 6, 1), datetime.date(2024, 7, 1), datetime.date(2024, 8, 1)] of 24
