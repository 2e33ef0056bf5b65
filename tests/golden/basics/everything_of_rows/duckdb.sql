WITH "base" AS NOT MATERIALIZED (SELECT "colour" AS "c_colour", "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "cats"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN LIST_CONTAINS(CAST($known0 AS TEXT[]), "c_colour") THEN "c_colour" END AS "k0", "_lapcat_weighed_weight" AS "v1", CASE WHEN "c_weight" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "c_weight" END AS "d2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "d2") AS "a1", COUNT("v1") AS "a2", COUNT(*) AS "a3"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(COALESCE("keys0"."place", CAST(3 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2", "a3"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST("a3" AS BIGINT) AS "s2", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s3"
FROM "placed"
-- $known0 = ['orange', 'blue', 'black'] of 3
-- $list0 = ['orange', 'blue', 'black'] of 3
WITH "base" AS NOT MATERIALIZED (SELECT "colour" AS "c_colour", "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "cats"),
"picked" AS NOT MATERIALIZED (SELECT "c_colour" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_weight" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('5.0' AS DOUBLE) THEN "c_weight" WHEN "c_weight" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_weight" <= CAST('inf' AS DOUBLE) THEN CAST('5.0' AS DOUBLE) END * CAST('32768.0' AS DOUBLE)) AS BIGINT) AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE((COALESCE("keys0"."place", CAST(3 AS BIGINT)) * CAST(163841 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(163840 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['orange', 'blue', 'black'] of 3
WITH "base" AS NOT MATERIALIZED (SELECT "colour" AS "c_colour", "lives" AS "c_lives", "_lapcat_weighed_lives"
FROM "cats"),
"picked" AS NOT MATERIALIZED (SELECT "c_colour" AS "k0", "c_lives" AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE((COALESCE("keys0"."place", CAST(3 AS BIGINT)) * CAST(19 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BIGINT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['orange', 'blue', 'black'] of 3
-- $list1 = [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9] of 19
