WITH "base" AS NOT MATERIALIZED (SELECT "change" AS "c_change", "test" AS "c_test", "visit_id" AS "c_visit_id", GREATEST(CAST(40 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_change"
FROM "labs"),
"left" AS NOT MATERIALIZED (SELECT "c_change", "c_test", "size", "unit", "c_visit_id" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "emergency" AS "c_emergency", "visit_id" AS "c_visit_id", "_lapcat_unit" AS "unit"
FROM "visits"),
"right" AS NOT MATERIALIZED (SELECT "c_emergency", "unit", "c_visit_id" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_change", "l"."c_test", "l"."size", "l"."unit", "r"."c_emergency" AS "c_emergency@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS NOT MATERIALIZED (SELECT "c_test" AS "k0", TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "c_change" BETWEEN CAST('-10.0' AS DOUBLE) AND CAST('30.0' AS DOUBLE) THEN "c_change" WHEN "c_change" < CAST('-10.0' AS DOUBLE) THEN CAST('-10.0' AS DOUBLE) WHEN "c_change" <= CAST('inf' AS DOUBLE) THEN CAST('30.0' AS DOUBLE) END * CAST('67108864.0' AS DOUBLE)) AS DOUBLE) * CAST('40.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "pairs"
WHERE "c_emergency@2"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['iron', 'sugar', 'salt'] of 3
