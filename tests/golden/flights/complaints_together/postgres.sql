WITH "base" AS (SELECT "cause" AS "c_cause"
FROM "delays"),
"base_2" AS (SELECT "cause" AS "c_cause"
FROM "letters"),
"parts" AS (SELECT "c_cause" AS "c_u1"
FROM "base" UNION ALL SELECT "c_cause" AS "c_u1"
FROM "base_2"),
"picked" AS (SELECT "c_u1" AS "k0"
FROM "parts"),
"cells" AS (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE(COALESCE("keys0"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['weather', 'crew'] of 2
