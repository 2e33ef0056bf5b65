WITH "base" AS (SELECT "amount" AS "c_amount", "status" AS "c_status", GREATEST(CAST(5 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_amount"
FROM "orders"),
"step0" AS (SELECT *, CASE WHEN ("c_amount" >= CAST('0.0' AS DOUBLE PRECISION)) AND ("c_amount" <= CAST('1000.0' AS DOUBLE PRECISION)) THEN "c_amount" END AS "e0_0"
FROM "base" OFFSET 0),
"step1" AS (SELECT *, CASE WHEN ABS("e0_0") <= CAST('4.94e-322' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "e0_0" / CAST('200.0' AS DOUBLE PRECISION) END AS "e1_0"
FROM "step0" OFFSET 0),
"step2" AS (SELECT *, CASE WHEN ("e1_0" >= CAST('-9.223372036854776e+18' AS DOUBLE PRECISION)) AND ("e1_0" < CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) THEN CAST(FLOOR("e1_0") AS BIGINT) END AS "e2_0"
FROM "step1" OFFSET 0),
"picked" AS (SELECT "c_status" AS "k0", CASE WHEN "e2_0" BETWEEN CAST(0 AS BIGINT) AND CAST(4 AS BIGINT) THEN "e2_0" WHEN "e2_0" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(4 AS BIGINT) < "e2_0" THEN CAST(4 AS BIGINT) END * CAST(200 AS BIGINT) AS "k1", "_lapcat_weight" AS "w2"
FROM "step2"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(5 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS BIGINT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS BIGINT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['open', 'sent'] of 2
-- $list1 = [0, 200, 400, 600, 800] of 5
