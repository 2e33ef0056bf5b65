WITH "base" AS (SELECT "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "bookings"),
"left" AS (SELECT "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS (SELECT "flight" AS "c_flight", "km" AS "c_km"
FROM "flights"),
"right" AS (SELECT "c_km", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."size", "r"."c_km" AS "c_km@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"step0" AS (SELECT *, CAST("c_km@2" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('100.0' AS DOUBLE PRECISION) AND CAST('15000.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('100.0' AS DOUBLE PRECISION) THEN CAST('100.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('15000.0' AS DOUBLE PRECISION) END * CAST('131072.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('30.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w0"
FROM "step0"),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
