WITH "base" AS NOT MATERIALIZED (SELECT "floor" AS "c_floor", "name" AS "c_name", "region" AS "c_region", "smoker" AS "c_smoker", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "staff"),
"step0" AS NOT MATERIALIZED (SELECT *, SUBSTR("c_region", 1, 1) AS "e0_0", CAST(CASE WHEN ("c_floor" >= CAST(0 AS BIGINT)) AND ("c_floor" <= CAST(9 AS BIGINT)) THEN "c_floor" END AS TEXT) AS "e0_1"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN (CAST(LENGTH("e0_0") AS BIGINT) + (CAST(LENGTH('-') AS BIGINT) + CAST(LENGTH("e0_1") AS BIGINT))) <= CAST(4096 AS BIGINT) THEN "e0_0" || ('-' || "e0_1") END AS "k0", "c_smoker" AS "k1", "_lapcat_weight" AS "w2"
FROM "step0"
WHERE ("c_name" LIKE '10\%%' ESCAPE '\') OR ("c_name" LIKE '%\_%' ESCAPE '\')),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['n-0', 'n-1', 'n-2', 'n-3', 'n-4', 'n-5', 'n-6', 'n-7', 'n-8', 'n-9', 's-0', 's-1', 's-2', 's-3', 's-4', 's-5', 's-6', 's-7', 's-8', 's-9'] of 30
-- $list1 = [False, True] of 2
