WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "salary" AS "c_salary", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_salary"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", "_lapcat_weighed_salary" AS "w1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "salary" AS "c_salary", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_salary"
FROM "staff"),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE("c_salary", CAST('20000.0' AS DOUBLE)) AS "e0_0"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", TRY_CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) END * CAST('1.0' AS DOUBLE)) AS BIGINT) AS "k1", "_lapcat_weight" AS "w2"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", SUM("w2") AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(180001 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(20000 AS BIGINT) AND CAST(200000 AS BIGINT) THEN "k1" - CAST(20000 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
