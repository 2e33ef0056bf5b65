WITH "base" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "bookings"),
"left" AS NOT MATERIALIZED (SELECT "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "goes_to" AS "c_goes_to"
FROM "flights"),
"right" AS NOT MATERIALIZED (SELECT "c_goes_to", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."size", "r"."c_goes_to" AS "c_goes_to@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"left_2" AS NOT MATERIALIZED (SELECT "size", "c_goes_to@2" AS "j0"
FROM "pairs"),
"base_3" AS NOT MATERIALIZED (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "airports"),
"right_2" AS NOT MATERIALIZED (SELECT "c_country", "c_code" AS "j0"
FROM "base_3"),
"pairs_2" AS NOT MATERIALIZED (SELECT "l"."size", "r"."c_country" AS "c_country@3"
FROM "left_2" AS l
INNER JOIN "right_2" AS r ON "l"."j0" = "r"."j0"),
"picked" AS NOT MATERIALIZED (SELECT "c_country@3" AS "k0", TRY_CAST(TRUNC((CAST(CAST(1048576 AS BIGINT) AS DOUBLE) * CAST('30.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w1"
FROM "pairs_2"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['NO', 'FR', 'PT'] of 3
