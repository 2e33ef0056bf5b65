WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "salary" AS "c_salary"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_salary" BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN "c_salary" WHEN "c_salary" < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN "c_salary" <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) ELSE CAST('20000.0' AS DOUBLE) END * CAST('16384.0' AS DOUBLE)) AS BIGINT) AS "v1", CASE WHEN "c_salary" = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE "c_salary" END AS "d2"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(*) AS "a1", COUNT(DISTINCT "d2") AS "a2"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a2" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(1802240000 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s2"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region", "salary" AS "c_salary"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE("c_salary", CAST('20000.0' AS DOUBLE)) AS "e0_0"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", TRY_CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('20000.0' AS DOUBLE) AND CAST('200000.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('20000.0' AS DOUBLE) THEN CAST('20000.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('200000.0' AS DOUBLE) END * CAST('1.0' AS DOUBLE)) AS BIGINT) AS "k1"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(180001 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(20000 AS BIGINT) AND CAST(200000 AS BIGINT) THEN "k1" - CAST(20000 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
WITH "base" AS NOT MATERIALIZED (SELECT "floor" AS "c_floor", "region" AS "c_region"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", "c_floor" AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(10 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BIGINT[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['north', 'south', 'west'] of 3
-- $list1 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] of 10
