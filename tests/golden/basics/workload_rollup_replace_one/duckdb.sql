WITH "base" AS NOT MATERIALIZED (SELECT "positive" AS "c_positive", "ward" AS "c_ward"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", "c_positive" AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE((COALESCE("keys0"."place", CAST(2 AS BIGINT)) * CAST(3 AS BIGINT)) + COALESCE("keys1"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
LEFT JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['eyes', 'heart'] of 2
-- $list1 = [False, True] of 2
