WITH "base" AS (SELECT "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"left" AS (SELECT "c_region", "unit"
FROM "base"),
"base_2" AS (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left_2" AS (SELECT "c_amount", "unit"
FROM "base_2"),
"base_3" AS (SELECT "stars" AS "c_stars", "_lapcat_unit" AS "unit"
FROM "reviews"
WHERE "_lapcat_rank" <= CAST(5 AS BIGINT)),
"right" AS (SELECT "c_stars", "unit"
FROM "base_3"),
"pairs" AS (SELECT "l"."c_amount", "l"."unit", "r"."c_stars" AS "c_stars@2"
FROM "left_2" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"kept" AS (SELECT "unit"
FROM "pairs"
WHERE ("c_stars@2" = CAST(1 AS BIGINT)) AND ("c_amount" > CAST(CAST(400 AS BIGINT) AS DOUBLE PRECISION))),
"each" AS (SELECT "unit"
FROM "kept"),
"units" AS (SELECT "unit" AS "unit"
FROM "each"
GROUP BY "unit"),
"right_2" AS (SELECT "unit"
FROM "units"),
"pairs_2" AS (SELECT "l"."c_region", "l"."unit"
FROM "left" AS l
INNER JOIN "right_2" AS r ON "l"."unit" = "r"."unit"),
"picked" AS (SELECT "c_region" AS "k0"
FROM "pairs_2"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
