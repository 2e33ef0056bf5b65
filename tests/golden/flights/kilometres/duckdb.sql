WITH "base" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size"
FROM "bookings"),
"left" AS NOT MATERIALIZED (SELECT "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "km" AS "c_km"
FROM "flights"),
"right" AS NOT MATERIALIZED (SELECT "c_km", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."size", "r"."c_km" AS "c_km@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"picked" AS NOT MATERIALIZED (SELECT (CASE WHEN "c_km@2" < CAST(100 AS BIGINT) THEN CAST(100 AS BIGINT) WHEN CAST(15000 AS BIGINT) < "c_km@2" THEN CAST(15000 AS BIGINT) ELSE "c_km@2" END * CAST(30 AS BIGINT)) // "size" AS "w0"
FROM "pairs"),
"cells" AS NOT MATERIALIZED (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
