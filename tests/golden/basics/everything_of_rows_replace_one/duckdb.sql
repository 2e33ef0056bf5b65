WITH "base" AS NOT MATERIALIZED (SELECT "dose" AS "c_dose", "ward" AS "c_ward", "_lapcat_weighed_dose"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", "_lapcat_weighed_dose" AS "v1", CASE WHEN "c_dose" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "c_dose" END AS "d2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "d2") AS "a1", COUNT("v1") AS "a2", COUNT(*) AS "a3"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2", "a3"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST("a3" AS BIGINT) AS "s2", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s3"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
WITH "base" AS NOT MATERIALIZED (SELECT "dose" AS "c_dose", "ward" AS "c_ward", "_lapcat_weighed_dose"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_dose" BETWEEN CAST('-1.5' AS DOUBLE) AND CAST('2.5' AS DOUBLE) THEN "c_dose" WHEN "c_dose" < CAST('-1.5' AS DOUBLE) THEN CAST('-1.5' AS DOUBLE) WHEN "c_dose" <= CAST('inf' AS DOUBLE) THEN CAST('2.5' AS DOUBLE) END * CAST('65536.0' AS DOUBLE)) AS BIGINT) AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(262145 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(-98304 AS BIGINT) AND CAST(163840 AS BIGINT) THEN "k1" - CAST(-98304 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
WITH "base" AS NOT MATERIALIZED (SELECT "positive" AS "c_positive", "ward" AS "c_ward"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", "c_positive" AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
-- $list1 = [False, True] of 2
