WITH "base" AS NOT MATERIALIZED (SELECT "floor" AS "c_floor", "region" AS "c_region", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", "c_floor" AS "k1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(10 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(9 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
