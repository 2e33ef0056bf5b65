WITH "base" AS NOT MATERIALIZED (SELECT "dose" AS "c_dose", "ward" AS "c_ward", "_lapcat_weighed_dose"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", "_lapcat_weighed_dose" AS "v1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1", COUNT(*) AS "a2"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1", "a2"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s2"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
