WITH "base" AS (SELECT "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "bookings"),
"left" AS (SELECT "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS (SELECT "flight" AS "c_flight", "goes_to" AS "c_goes_to", "origin" AS "c_origin"
FROM "flights"),
"right" AS (SELECT "c_goes_to", "c_origin", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."size", "r"."c_goes_to" AS "c_goes_to@2", "r"."c_origin" AS "c_origin@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS (SELECT "c_goes_to@2", "size", "c_origin@2" AS "j0"
FROM "pairs"),
"base_3" AS (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "airports"),
"right_2" AS (SELECT "c_country", "c_code" AS "j0"
FROM "base_3"),
"pairs_2" AS (SELECT "l"."c_goes_to@2", "l"."size", "r"."c_country" AS "c_country@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON "l"."j0" = "r"."j0"),
"left_3" AS (SELECT "c_country@3", "size", "c_goes_to@2" AS "j0"
FROM "pairs_2"),
"base_4" AS (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "airports"),
"right_3" AS (SELECT "c_country", "c_code" AS "j0"
FROM "base_4"),
"pairs_3" AS (SELECT "l"."c_country@3", "l"."size", "r"."c_country" AS "c_country@4"
FROM "left_3" AS l
INNER JOIN "right_3" AS r ON "l"."j0" = "r"."j0"),
"picked" AS (SELECT "c_country@3" AS "k0", "c_country@4" AS "k1", CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE PRECISION) * CAST('30.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w2"
FROM "pairs_3"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(3 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['NO', 'FR', 'PT'] of 3
-- $list1 = ['NO', 'FR', 'PT'] of 3
