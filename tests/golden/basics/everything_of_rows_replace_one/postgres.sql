WITH "base" AS (SELECT "dose" AS "c_dose", "ward" AS "c_ward", "_lapcat_weighed_dose"
FROM "clinic"),
"picked" AS (SELECT "c_ward" AS "k0", "_lapcat_weighed_dose" AS "v1", CASE WHEN "c_dose" = CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE "c_dose" END AS "d2"
FROM "base"),
"cells" AS (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "d2") AS "a1", COUNT("v1") AS "a2", COUNT(*) AS "a3"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2", "a3"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST("a3" AS BIGINT) AS "s2", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s3"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
WITH "base" AS (SELECT "dose" AS "c_dose", "ward" AS "c_ward", "_lapcat_weighed_dose"
FROM "clinic"),
"step0" AS (SELECT *, CASE WHEN "c_dose" BETWEEN CAST('-1.5' AS DOUBLE PRECISION) AND CAST('2.5' AS DOUBLE PRECISION) THEN "c_dose" WHEN "c_dose" < CAST('-1.5' AS DOUBLE PRECISION) THEN CAST('-1.5' AS DOUBLE PRECISION) WHEN "c_dose" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('2.5' AS DOUBLE PRECISION) END AS "e0_0"
FROM "base" OFFSET 0),
"step1" AS (SELECT *, CASE WHEN (CAST('2.743062034396844e+303' AS DOUBLE PRECISION) < "e0_0") AND ("e0_0" < CAST('inf' AS DOUBLE PRECISION)) THEN CAST('inf' AS DOUBLE PRECISION) WHEN ("e0_0" < CAST('-2.743062034396844e+303' AS DOUBLE PRECISION)) AND (CAST('-inf' AS DOUBLE PRECISION) < "e0_0") THEN CAST('-inf' AS DOUBLE PRECISION) ELSE "e0_0" * CAST('65536.0' AS DOUBLE PRECISION) END AS "e1_0"
FROM "step0" OFFSET 0),
"picked" AS (SELECT "c_ward" AS "k0", CASE WHEN ("e1_0" >= CAST('-9.223372036854776e+18' AS DOUBLE PRECISION)) AND ("e1_0" < CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) THEN CAST(FLOOR("e1_0") AS BIGINT) END AS "k1"
FROM "step1"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(262145 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(-98304 AS BIGINT) AND CAST(163840 AS BIGINT) THEN "k1" - CAST(-98304 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
WITH "base" AS (SELECT "positive" AS "c_positive", "ward" AS "c_ward"
FROM "clinic"),
"picked" AS (SELECT "c_ward" AS "k0", "c_positive" AS "k1"
FROM "base"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS BOOLEAN[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS BOOLEAN[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
-- $list1 = [False, True] of 2
