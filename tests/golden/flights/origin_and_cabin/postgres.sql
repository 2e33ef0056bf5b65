WITH "base" AS (SELECT "bags" AS "c_bags", "cabin" AS "c_cabin", "flight" AS "c_flight", GREATEST(CAST(30 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_bags"
FROM "bookings"),
"left" AS (SELECT "c_bags", "c_cabin", "size", "c_flight" AS "j0"
FROM "base"),
"base_2" AS (SELECT "flight" AS "c_flight", "origin" AS "c_origin"
FROM "flights"),
"right" AS (SELECT "c_origin", "c_flight" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_bags", "l"."c_cabin", "l"."size", "r"."c_origin" AS "c_origin@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"step0" AS (SELECT *, CAST("c_bags" AS DOUBLE PRECISION) AS "e0_0"
FROM "pairs" OFFSET 0),
"picked" AS (SELECT "c_origin@2" AS "k0", "c_cabin" AS "k1", CAST(TRUNC((CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('4.0' AS DOUBLE PRECISION) THEN "e0_0" WHEN "e0_0" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "e0_0" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('4.0' AS DOUBLE PRECISION) ELSE CAST('0.0' AS DOUBLE PRECISION) END * CAST('268435456.0' AS DOUBLE PRECISION)) AS DOUBLE PRECISION) * CAST('30.0' AS DOUBLE PRECISION)) / CAST("size" AS DOUBLE PRECISION)) AS BIGINT) AS "w2"
FROM "step0"),
"cells" AS (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_2" AS (SELECT "k0", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed_2" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_2"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"),
"cells_3" AS (SELECT "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k1"),
"placed_3" AS (SELECT COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_3"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_4" AS (SELECT SUM("w2") AS "a0"
FROM "picked"),
"placed_4" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells_4")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(6 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed_2" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(9 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed_3" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(11 AS BIGINT) ELSE "cell" END AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed_4"
-- $list0 = ['OSL', 'CDG', 'LIS'] of 3
-- $list1 = ['economy', 'business'] of 2
