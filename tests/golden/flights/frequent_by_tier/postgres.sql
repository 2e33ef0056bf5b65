WITH "base" AS (SELECT "passenger" AS "c_passenger", "_lapcat_unit" AS "unit"
FROM "bookings"),
"each" AS (SELECT "unit", "c_passenger" AS "v_v0"
FROM "base"),
"units" AS (SELECT "unit" AS "unit", MIN("v_v0") AS "c_v0", CAST(COUNT(*) AS BIGINT) AS "c_v1"
FROM "each"
GROUP BY "unit"),
"kept" AS (SELECT "c_v0", "unit"
FROM "units"
WHERE "c_v1" >= CAST(10 AS BIGINT)),
"left" AS (SELECT "unit", "c_v0" AS "j0"
FROM "kept"),
"base_2" AS (SELECT "passenger" AS "c_passenger", "tier" AS "c_tier", "_lapcat_unit" AS "unit"
FROM "passengers"),
"right" AS (SELECT "c_tier", "unit", "c_passenger" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."unit", "r"."c_tier" AS "c_tier@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"picked" AS (SELECT "c_tier@2" AS "k0"
FROM "pairs"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['blue', 'silver', 'gold'] of 3
