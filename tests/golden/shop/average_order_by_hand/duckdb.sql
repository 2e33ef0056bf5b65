WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_status" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v1", "unit"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "unit") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
