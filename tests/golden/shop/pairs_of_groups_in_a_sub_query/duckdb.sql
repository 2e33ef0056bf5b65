WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", "rank", "c_status" AS "c_k0", TRY_CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE) AND CAST('500.0' AS DOUBLE) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN "c_amount" <= CAST('inf' AS DOUBLE) THEN CAST('500.0' AS DOUBLE) END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v_v1"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0", CAST(CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS INT128), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) END AS BIGINT) AS DOUBLE) * CAST('2.384185791015625e-07' AS DOUBLE) AS "c_v1"
FROM "each"
GROUP BY "unit", "c_k0"),
"ranked" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "units"),
"bounded" AS NOT MATERIALIZED (SELECT "c_k0", "c_v1", "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(20 AS BIGINT)),
"left" AS NOT MATERIALIZED (SELECT "c_v1", "rank", "unit", "c_k0" AS "j0"
FROM "bounded"),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"right" AS NOT MATERIALIZED (SELECT "c_amount", "unit", "c_status" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_v1", "l"."rank", "l"."unit", "r"."c_amount" AS "c_amount@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"kept" AS NOT MATERIALIZED (SELECT "rank", "unit"
FROM "pairs"
WHERE "c_v1" < NULLIF(CAST(CAST(3 AS BIGINT) AS DOUBLE) * "c_amount@2", CAST('nan' AS DOUBLE))),
"each_2" AS NOT MATERIALIZED (SELECT "unit"
FROM "kept"),
"units_2" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "each_2"
GROUP BY "unit"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "units_2"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
