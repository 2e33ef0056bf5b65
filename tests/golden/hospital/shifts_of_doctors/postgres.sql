WITH "base" AS (SELECT "began" AS "c_began", "doctor_id" AS "c_doctor_id", "hours" AS "c_hours", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_hours"
FROM "shifts"),
"left" AS (SELECT "c_began", "c_hours", "size", "unit", "c_doctor_id" AS "j0"
FROM "base"),
"base_2" AS (SELECT "doctor_id" AS "c_doctor_id", "field" AS "c_field", "_lapcat_unit" AS "unit"
FROM "doctors"),
"right" AS (SELECT "c_field", "unit", "c_doctor_id" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_began", "l"."c_hours", "l"."size", "l"."unit", "r"."c_field" AS "c_field@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"step0" AS (SELECT *, CAST(DATE_PART('dow', CAST("c_began" AS TIMESTAMP)) AS BIGINT) AS "e0_0", CAST("c_hours" AS DOUBLE PRECISION) AS "e0_1"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT "c_field@2" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_1" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('24.0' AS DOUBLE PRECISION) THEN "e0_1" WHEN "e0_1" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_1" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('24.0' AS DOUBLE PRECISION) END * CAST('67108864.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('30.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1"
FROM "step0"
WHERE "e0_0" IN (CAST(0 AS BIGINT), CAST(6 AS BIGINT))),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['surgery', 'children', 'eyes'] of 3
