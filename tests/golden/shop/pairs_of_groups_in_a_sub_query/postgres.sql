WITH "base" AS (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_rank" AS "rank", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS (SELECT "unit", "rank", "c_status" AS "c_k0", CAST(FLOOR(CASE WHEN "c_amount" BETWEEN CAST('0.0' AS DOUBLE PRECISION) AND CAST('500.0' AS DOUBLE PRECISION) THEN "c_amount" WHEN "c_amount" < CAST('0.0' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) WHEN "c_amount" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) END * CAST('4194304.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v_v1"
FROM "base"),
"units" AS (SELECT "unit" AS "unit", MIN("rank") AS "rank", "c_k0", CASE WHEN ABS(CAST(CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS DECIMAL), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) END AS BIGINT) AS DOUBLE PRECISION)) <= CAST('1.036131e-317' AS DOUBLE PRECISION) THEN CAST('0.0' AS DOUBLE PRECISION) ELSE CAST(CAST(CASE WHEN NOT (SUM("v_v1") IS NULL) THEN LEAST(GREATEST(CAST(SUM("v_v1") AS DECIMAL), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) END AS BIGINT) AS DOUBLE PRECISION) * CAST('2.384185791015625e-07' AS DOUBLE PRECISION) END AS "c_v1"
FROM "each"
GROUP BY "unit", "c_k0"),
"ranked" AS (SELECT "c_k0", "c_v1", "rank", "unit", ROW_NUMBER() OVER (PARTITION BY "unit" ORDER BY "rank") AS "place"
FROM "units"),
"bounded" AS (SELECT "c_k0", "c_v1", "rank", "unit"
FROM "ranked"
WHERE "place" <= CAST(20 AS BIGINT)),
"left" AS (SELECT "c_v1", "rank", "unit", "c_k0" AS "j0"
FROM "bounded"),
"base_2" AS (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"right" AS (SELECT "c_amount", "unit", "c_status" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "l"."c_v1", "l"."rank", "l"."unit", "r"."c_amount" AS "c_amount@2"
FROM "left" AS l
INNER JOIN "right" AS r ON ("l"."j0" = "r"."j0") AND ("l"."unit" = "r"."unit")),
"kept" AS (SELECT "rank", "unit"
FROM "pairs"
WHERE "c_v1" < NULLIF(CASE WHEN (CAST('5.992310449541052e+307' AS DOUBLE PRECISION) < "c_amount@2") AND ("c_amount@2" < CAST('inf' AS DOUBLE PRECISION)) THEN CAST('inf' AS DOUBLE PRECISION) WHEN ("c_amount@2" < CAST('-5.992310449541052e+307' AS DOUBLE PRECISION)) AND (CAST('-inf' AS DOUBLE PRECISION) < "c_amount@2") THEN CAST('-inf' AS DOUBLE PRECISION) ELSE CAST('3.0' AS DOUBLE PRECISION) * "c_amount@2" END, CAST('nan' AS DOUBLE PRECISION))),
"each_2" AS (SELECT "unit"
FROM "kept"),
"units_2" AS (SELECT 1 AS "one"
FROM "each_2"
GROUP BY "unit"),
"picked" AS (SELECT 1 AS "one"
FROM "units_2"),
"cells" AS (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
