WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"kept" AS NOT MATERIALIZED (SELECT "c_amount"
FROM "base"
WHERE "c_status" = 'sent'),
"base_2" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"kept_2" AS NOT MATERIALIZED (SELECT "c_amount"
FROM "base_2"
WHERE "c_status" = 'returned'),
"parts" AS NOT MATERIALIZED (SELECT "c_amount" AS "c_u1"
FROM "kept" UNION ALL SELECT NULLIF(CAST(CAST(0 AS BIGINT) AS DOUBLE) - "c_amount", CAST('nan' AS DOUBLE)) AS "c_u1"
FROM "kept_2"),
"picked" AS NOT MATERIALIZED (SELECT TRY_CAST(FLOOR(CASE WHEN "c_u1" < CAST('-500.0' AS DOUBLE) THEN CAST('-500.0' AS DOUBLE) WHEN CAST('500.0' AS DOUBLE) < "c_u1" THEN CAST('500.0' AS DOUBLE) ELSE "c_u1" END * CAST('4194304.0' AS DOUBLE)) AS BIGINT) AS "v0"
FROM "parts"),
"cells" AS NOT MATERIALIZED (SELECT SUM("v0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
