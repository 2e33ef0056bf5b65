WITH "base" AS NOT MATERIALIZED (SELECT "positive" AS "c_positive", "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "clinic"),
"step0" AS NOT MATERIALIZED (SELECT *, TRY_CAST(FLOOR(CASE WHEN ("c_weight" >= CAST('30.0' AS DOUBLE)) AND ("c_weight" <= CAST('150.0' AS DOUBLE)) THEN "c_weight" END / NULLIF(CAST('5.0' AS DOUBLE), CAST('0.0' AS DOUBLE))) AS BIGINT) AS "e0_0"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN "e0_0" BETWEEN CAST(6 AS BIGINT) AND CAST(29 AS BIGINT) THEN "e0_0" WHEN "e0_0" < CAST(6 AS BIGINT) THEN CAST(6 AS BIGINT) WHEN CAST(29 AS BIGINT) < "e0_0" THEN CAST(29 AS BIGINT) END * CAST(5 AS BIGINT) AS "k0", "c_positive" AS "p1"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) FILTER(WHERE "p1") AS "a0", COUNT(*) AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS BIGINT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = [30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125] of 24
