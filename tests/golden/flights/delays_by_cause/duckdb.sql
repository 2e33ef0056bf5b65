WITH "base" AS NOT MATERIALIZED (SELECT "cause" AS "c_cause", "minutes" AS "c_minutes", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_cause" AS "k0", "_lapcat_weighed_minutes" AS "v1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(COALESCE("keys0"."place", CAST(2 AS BIGINT)), CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a1") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['weather', 'crew'] of 2
