WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"
WHERE "_lapcat_rank" <= CAST(1 AS BIGINT)),
"left" AS NOT MATERIALIZED (SELECT "unit", "c_region" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "code" AS "c_code", "name" AS "c_name"
FROM "regions"),
"right" AS NOT MATERIALIZED (SELECT "c_name", "c_code" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."unit", "r"."c_name" AS "c_name@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS NOT MATERIALIZED (SELECT "c_name@2", "unit"
FROM "pairs"),
"base_3" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left_3" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_3"),
"base_4" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "reviews"
WHERE "_lapcat_rank" <= CAST(5 AS BIGINT)),
"right_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_4"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."unit"
FROM "left_3" AS l
INNER JOIN "right_2" AS r ON "l"."unit" = "r"."unit"),
"right_3" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs_2"),
"pairs_3" AS NOT MATERIALIZED (SELECT "l"."c_name@2", "l"."unit"
FROM "right_3" AS r
INNER JOIN "left_2" AS l ON "l"."unit" = "r"."unit"),
"picked" AS NOT MATERIALIZED (SELECT "c_name@2" AS "k0"
FROM "pairs_3"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
