WITH "base" AS NOT MATERIALIZED (SELECT "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "cats"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN "c_weight" >= CAST(CAST(4 AS BIGINT) AS DOUBLE) THEN 'heavy' WHEN "c_weight" < CAST(CAST(4 AS BIGINT) AS DOUBLE) THEN 'light' END AS "k0"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['heavy', 'light'] of 2
