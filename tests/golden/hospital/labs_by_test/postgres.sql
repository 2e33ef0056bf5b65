WITH "base" AS (SELECT "change" AS "c_change", "test" AS "c_test", GREATEST(CAST(40 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_change"
FROM "labs"),
"picked" AS (SELECT "c_test" AS "k0", "_lapcat_weighed_change" AS "w1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1", SUM("w2") FILTER(WHERE "w1" IS NULL) AS "a2"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)) - (CAST(1 AS DECIMAL) * COALESCE(CAST("a2" AS DECIMAL), CAST(0 AS DECIMAL))), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['iron', 'sugar', 'salt'] of 3
