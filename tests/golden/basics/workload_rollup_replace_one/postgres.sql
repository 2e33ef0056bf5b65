WITH "base" AS (SELECT "positive" AS "c_positive", "ward" AS "c_ward"
FROM "clinic"),
"picked" AS (SELECT "c_ward" AS "k0", "c_positive" AS "k1"
FROM "base"),
"cells" AS (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE((COALESCE("keys0"."place", CAST(2 AS BIGINT)) * CAST(3 AS BIGINT)) + COALESCE("keys1"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
LEFT JOIN (SELECT UNNEST(CAST($2 AS BOOLEAN[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS BOOLEAN[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['eyes', 'heart'] of 2
-- $list1 = [False, True] of 2
