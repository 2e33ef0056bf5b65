WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", GREATEST(CAST(5 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_amount"
FROM "orders"),
"step0" AS NOT MATERIALIZED (SELECT *, TRY_CAST(FLOOR(CASE WHEN ("c_amount" >= CAST('0.0' AS DOUBLE)) AND ("c_amount" <= CAST('1000.0' AS DOUBLE)) THEN "c_amount" END / NULLIF(CAST('200.0' AS DOUBLE), CAST('0.0' AS DOUBLE))) AS BIGINT) AS "e0_0"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT "c_status" AS "k0", CASE WHEN "e0_0" BETWEEN CAST(0 AS BIGINT) AND CAST(4 AS BIGINT) THEN "e0_0" WHEN "e0_0" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(4 AS BIGINT) < "e0_0" THEN CAST(4 AS BIGINT) END * CAST(200 AS BIGINT) AS "k1", "_lapcat_weight" AS "w2"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(5 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BIGINT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['open', 'sent'] of 2
-- $list1 = [0, 200, 400, 600, 800] of 5
