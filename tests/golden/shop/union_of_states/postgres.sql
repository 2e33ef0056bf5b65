WITH "base" AS (SELECT "amount" AS "c_amount", "status" AS "c_status"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"kept" AS (SELECT "c_amount"
FROM "base"
WHERE "c_status" = (CAST('sent' AS TEXT) COLLATE "C")),
"base_2" AS (SELECT "amount" AS "c_amount", "status" AS "c_status"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"kept_2" AS (SELECT "c_amount"
FROM "base_2"
WHERE "c_status" = (CAST('returned' AS TEXT) COLLATE "C")),
"parts" AS (SELECT "c_amount" AS "c_u1"
FROM "kept" UNION ALL SELECT NULLIF(CAST('0.0' AS DOUBLE PRECISION) - "c_amount", CAST('nan' AS DOUBLE PRECISION)) AS "c_u1"
FROM "kept_2"),
"picked" AS (SELECT CAST(FLOOR(CASE WHEN "c_u1" BETWEEN CAST('-500.0' AS DOUBLE PRECISION) AND CAST('500.0' AS DOUBLE PRECISION) THEN "c_u1" WHEN "c_u1" < CAST('-500.0' AS DOUBLE PRECISION) THEN CAST('-500.0' AS DOUBLE PRECISION) WHEN "c_u1" <= CAST('inf' AS DOUBLE PRECISION) THEN CAST('500.0' AS DOUBLE PRECISION) END * CAST('4194304.0' AS DOUBLE PRECISION)) AS BIGINT) AS "v0"
FROM "parts"),
"cells" AS (SELECT SUM("v0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
