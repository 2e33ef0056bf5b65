WITH "base" AS (SELECT "blood" AS "c_blood", "insured" AS "c_insured", "sex" AS "c_sex"
FROM "patients"),
"picked" AS (SELECT "c_sex" AS "k0", "c_blood" AS "k1", "c_insured" AS "p2", NOT "c_insured" AS "p3"
FROM "base"),
"cells" AS (SELECT "k0", "k1", COUNT(*) FILTER(WHERE "p2") AS "a0", COUNT(*) FILTER(WHERE "p3") AS "a1"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS (SELECT COALESCE((COALESCE("keys0"."place", CAST(2 AS BIGINT)) * CAST(4 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($2 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($2 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys1" ON "k1" = "keys1"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a1") AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['f', 'm'] of 2
-- $list1 = ['0', 'A', 'B', 'AB'] of 4
