WITH "base" AS NOT MATERIALIZED (SELECT "bags" AS "c_bags", "cabin" AS "c_cabin", "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_bags"
FROM "bookings"),
"left" AS NOT MATERIALIZED (SELECT "c_bags", "c_cabin", "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "flight" AS "c_flight", "origin" AS "c_origin"
FROM "flights"),
"right" AS NOT MATERIALIZED (SELECT "c_origin", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_bags", "l"."c_cabin", "l"."size", "r"."c_origin" AS "c_origin@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"step0" AS NOT MATERIALIZED (SELECT *, CAST("c_bags" AS DOUBLE) AS "e0_0"
FROM "pairs"),
"picked" AS NOT MATERIALIZED (SELECT "c_origin@2" AS "k0", "c_cabin" AS "k1", TRY_CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('4.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('4.0' AS DOUBLE) ELSE CAST('0.0' AS DOUBLE) END * CAST('268435456.0' AS DOUBLE)) AS DOUBLE) * CAST('30.0' AS DOUBLE)) / CAST("size" AS DOUBLE)) AS BIGINT) AS "w2"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS TEXT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_2" AS NOT MATERIALIZED (SELECT "k0", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed_2" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_2"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"),
"cells_3" AS NOT MATERIALIZED (SELECT "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k1"),
"placed_3" AS NOT MATERIALIZED (SELECT COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_3"
INNER JOIN (SELECT UNNEST(CAST($list1 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS TEXT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_4" AS NOT MATERIALIZED (SELECT SUM("w2") AS "a0"
FROM "picked"),
"placed_4" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells_4")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(6 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed_2" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(9 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed_3" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(11 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed_4"
-- $list0 = ['OSL', 'CDG', 'LIS'] of 3
-- $list1 = ['economy', 'business'] of 2
