WITH "base" AS (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"picked" AS (SELECT "c_status" AS "k0", CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('500.0' AS DOUBLE PRECISION) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_amount" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) END * CAST('4194304.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v1", "unit"
FROM "base"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "unit") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
