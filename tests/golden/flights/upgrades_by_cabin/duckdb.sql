WITH "base" AS NOT MATERIALIZED (SELECT "booking" AS "c_booking", "paid" AS "c_paid", "points" AS "c_points", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_unit" AS "unit", "_lapcat_weight", "_lapcat_weighed_points"
FROM "upgrades"),
"left" AS NOT MATERIALIZED (SELECT "c_paid", "c_points", "size", "unit", "c_booking" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "booking" AS "c_booking", "cabin" AS "c_cabin", "_lapcat_unit" AS "unit"
FROM "bookings"),
"right" AS NOT MATERIALIZED (SELECT "c_cabin", "unit", "c_booking" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_paid", "l"."c_points", "l"."size", "l"."unit", "r"."c_cabin" AS "c_cabin@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"step0" AS NOT MATERIALIZED (SELECT *, CAST("c_points" AS DOUBLE) AS "e0_0"
FROM "pairs"),
"picked" AS NOT MATERIALIZED (SELECT "c_cabin@2" AS "k0", TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('50000.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('50000.0' AS DOUBLE) END * CAST('32768.0' AS DOUBLE)) AS DOUBLE) * CAST('10.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1", TRY_CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('10.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w2"
FROM "step0"
WHERE NOT "c_paid"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['economy', 'business'] of 2
