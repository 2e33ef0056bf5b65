WITH "base" AS (SELECT "booking" AS "c_booking", "paid" AS "c_paid", "points" AS "c_points", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_points"
FROM "upgrades"),
"left" AS (SELECT "c_paid", "c_points", "size", "unit", "c_booking" AS "j0"
FROM "base"),
"base_2" AS (SELECT "booking" AS "c_booking", "cabin" AS "c_cabin", "_lapcat_unit" AS "unit"
FROM "bookings"),
"right" AS (SELECT "c_cabin", "unit", "c_booking" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_paid", "l"."c_points", "l"."size", "l"."unit", "r"."c_cabin" AS "c_cabin@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"step0" AS (SELECT *, CAST("c_points" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT "c_cabin@2" AS "k0", CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('50000.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('50000.0' AS DOUBLE PRECISION) END * CAST('32768.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('10.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w1", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('10.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w2"
FROM "step0"
WHERE NOT "c_paid"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['economy', 'business'] of 2
