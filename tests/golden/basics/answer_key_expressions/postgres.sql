WITH "base" AS (SELECT "floor" AS "c_floor", "region" AS "c_region", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "staff"),
"picked" AS (SELECT "c_floor" AS "k0", "c_region" AS "k1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE((CASE WHEN "k0" BETWEEN CAST(0 AS BIGINT) AND CAST(9 AS BIGINT) THEN "k0" - CAST(0 AS BIGINT) END * CAST(3 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list1 = ['north', 'south', 'west'] of 3
