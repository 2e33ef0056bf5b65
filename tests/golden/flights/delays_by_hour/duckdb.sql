WITH "base" AS NOT MATERIALIZED (SELECT "cause" AS "c_cause", "minutes" AS "c_minutes", "reported" AS "c_reported", "_lapcat_weighed_minutes"
FROM "delays"),
"picked" AS NOT MATERIALIZED (SELECT "c_cause" AS "k0", CAST(DATE_PART('hour', CASE WHEN (CAST("c_reported" AS DATE) >= CAST('2024-01-01' AS DATE)) AND (CAST("c_reported" AS DATE) <= CAST('2024-12-31' AS DATE)) THEN "c_reported" END) AS BIGINT) AS "k1"
FROM "base"
WHERE "c_minutes" > CAST(CAST(15 AS BIGINT) AS DOUBLE)),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE((COALESCE("keys0"."place", CAST(2 AS BIGINT)) * CAST(24 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(0 AS BIGINT) AND CAST(23 AS BIGINT) THEN "k1" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
LEFT JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST(SUM("a0") AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
GROUP BY "cell"
-- $list0 = ['weather', 'crew'] of 2
