WITH "base" AS (SELECT "change" AS "c_change", "test" AS "c_test", "visit_id" AS "c_visit_id", GREATEST(CAST(40 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_change"
FROM "labs"),
"left" AS (SELECT "c_change", "c_test", "size", "unit", "c_visit_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "emergency" AS "c_emergency", "visit_id" AS "c_visit_id", "_lapcat_unit" AS "unit"
FROM "visits"),
"right" AS (SELECT "c_emergency", "unit", "c_visit_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_change", "l"."c_test", "l"."size", "l"."unit", "r"."c_emergency" AS "c_emergency@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_test" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "c_change" BETWEEN CAST('-10.0' AS DOUBLE PRECISION) AND CAST('30.0' AS DOUBLE PRECISION) THEN "c_change" WHEN "c_change" < CAST('-10.0' AS DOUBLE PRECISION) THEN CAST('-10.0' AS DOUBLE PRECISION) WHEN "c_change" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('30.0' AS DOUBLE PRECISION) END * CAST('67108864.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('40.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "pairs"
WHERE "c_emergency@2"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['iron', 'sugar', 'salt'] of 3
