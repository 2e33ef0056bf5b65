WITH "base" AS (SELECT "booking" AS "c_booking", "_lapcat_unit" AS "unit"
FROM "bookings"
WHERE "_lapcat_rank" <= CAST(30 AS BIGINT)),
"left" AS (SELECT "unit", "c_booking" AS "j0"
FROM "base"),
"base_2" AS (SELECT "booking" AS "c_booking", "points" AS "c_points", "_lapcat_unit" AS "unit"
FROM "upgrades"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"right" AS (SELECT "c_points", "unit", "c_booking" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."unit", "r"."c_points" AS "c_points@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_points@2" AS "v0"
FROM "pairs"),
"cells" AS (SELECT COUNT("v0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
