WITH "base" AS (SELECT "region" AS "c_region", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "staff"),
"picked" AS (SELECT "c_region" AS "k0", "_lapcat_weight" AS "w1"
FROM "base"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
