WITH "base" AS NOT MATERIALIZED (SELECT "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", "rank", "c_status" AS "c_k0"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0", CAST(COUNT(*) AS BIGINT) AS "c_v1"
FROM "each"
GROUP BY "unit", "c_k0"),
"ranked" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "units"),
"bounded" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(20 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_k0" AS "k0", CASE WHEN "c_v1" BETWEEN CAST(0 AS BIGINT) AND CAST(20 AS BIGINT) THEN "c_v1" WHEN "c_v1" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(20 AS BIGINT) < "c_v1" THEN CAST(20 AS BIGINT) END AS "v1"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT("v1") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(10 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
