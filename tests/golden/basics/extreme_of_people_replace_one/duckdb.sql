WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", GREATEST(CAST(5 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_amount"
FROM "orders"),
"picked" AS NOT MATERIALIZED (SELECT "c_status" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('1000.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('1000.0' AS DOUBLE) END * CAST('512.0' AS DOUBLE)) AS BIGINT) AS "k1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(512001 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(512000 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['open', 'sent'] of 2
