WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"left" AS NOT MATERIALIZED (SELECT "c_region", "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left_2" AS NOT MATERIALIZED (SELECT "c_amount", "unit"
FROM "base_2"),
"base_3" AS NOT MATERIALIZED (SELECT "stars" AS "c_stars", "_lapcat_unit" AS "unit"
FROM "reviews"
WHERE "_lapcat_rank" <= CAST(5 AS BIGINT)),
"right" AS NOT MATERIALIZED (SELECT "c_stars", "unit"
FROM "base_3"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_amount", "l"."unit", "r"."c_stars" AS "c_stars@2"
FROM "left_2" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"kept" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
WHERE ("c_stars@2" = CAST(1 AS BIGINT)) AND ("c_amount" > CAST(CAST(400 AS BIGINT) AS DOUBLE))),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "kept"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit"
FROM "each"
GROUP BY "unit"),
"right_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "units"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."c_region", "l"."unit"
FROM "left" AS l
INNER JOIN "right_2" AS r ON "l"."unit" = "r"."unit"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0"
FROM "pairs_2"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
