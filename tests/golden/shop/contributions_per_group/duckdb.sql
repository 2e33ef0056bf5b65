WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", "rank", "c_status" AS "c_k0", TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v_v1"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0", CAST(CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS INT128), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) END AS BIGINT) AS DOUBLE) * CAST('2.384185791015625e-07' AS DOUBLE) AS "c_v1", CAST(COUNT(*) AS BIGINT) AS "c_v2"
FROM "each"
GROUP BY "unit", "c_k0"),
"keyed" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "c_v2", "rank", "unit", "c_k0" AS "g0"
FROM "units"),
"ordered" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "c_v2", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", MIN("rank") OVER (PARTITION BY "unit", "g0") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "c_v2", "rank", "unit", "place", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"),
"bounded" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "c_v2", "rank", "unit"
FROM "ranked"
WHERE ("which" <= CAST(2 AS BIGINT)) AND ("place" <= CAST(1 AS BIGINT))),
"picked" AS NOT MATERIALIZED (SELECT "c_k0" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_v1" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('300.0' AS DOUBLE) THEN "c_v1" WHEN "c_v1" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_v1" <= CAST('inf' AS DOUBLE) THEN CAST('300.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v1", CASE WHEN "c_v2" BETWEEN CAST(0 AS BIGINT) AND CAST(5 AS BIGINT) THEN "c_v2" WHEN "c_v2" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(5 AS BIGINT) < "c_v2" THEN CAST(5 AS BIGINT) END AS "v2"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", SUM("v2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['open', 'sent', 'returned'] of 3
