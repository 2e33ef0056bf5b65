WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "coupon" AS "c_coupon", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", "rank", "c_coupon" AS "c_k0", TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v_v1"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0", CAST(CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS INT128), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) END AS BIGINT) AS DOUBLE) * CAST('2.384185791015625e-07' AS DOUBLE) AS "c_v1"
FROM "each"
GROUP BY "unit", "c_k0"),
"keyed" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit", "c_k0" AS "g0"
FROM "units"),
"ordered" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit", "g0", ROW_NUMBER() OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "place", FIRST_VALUE("rank") OVER (PARTITION BY "unit", "g0" ORDER BY "rank") AS "least"
FROM "keyed"),
"ranked" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit", DENSE_RANK() OVER (PARTITION BY "unit" ORDER BY "least", "g0") AS "which"
FROM "ordered"
WHERE "place" <= CAST(1 AS BIGINT)),
"bounded" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit"
FROM "ranked"
WHERE "which" <= CAST(1 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_k0" AS "k0", TRY_CAST(FLOOR(CASE WHEN "c_v1" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('300.0' AS DOUBLE) THEN "c_v1" WHEN "c_v1" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_v1" <= CAST('inf' AS DOUBLE) THEN CAST('300.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v1", "unit"
FROM "bounded"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("v1") AS "a0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "cells" ORDER BY "k0"
