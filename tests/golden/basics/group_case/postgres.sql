WITH "base" AS (SELECT "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "cats"),
"picked" AS (SELECT CASE WHEN "c_weight" >= CAST(CAST(4 AS BIGINT) AS DOUBLE PRECISION) THEN (CAST('heavy' AS TEXT) COLLATE "C") WHEN "c_weight" < CAST(CAST(4 AS BIGINT) AS DOUBLE PRECISION) THEN (CAST('light' AS TEXT) COLLATE "C") END AS "k0"
FROM "base"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['heavy', 'light'] of 2
