WITH "base" AS NOT MATERIALIZED (SELECT "booking" AS "c_booking", "_lapcat_unit" AS "unit"
FROM "upgrades"),
"left" AS NOT MATERIALIZED (SELECT "unit", "c_booking" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "booking" AS "c_booking", "_lapcat_unit" AS "unit"
FROM "bookings"),
"right" AS NOT MATERIALIZED (SELECT "unit", "c_booking" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
