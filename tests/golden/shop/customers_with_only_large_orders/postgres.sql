WITH "base" AS (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS (SELECT "unit", CAST(CAST("c_amount" > CAST(CAST(100 AS BIGINT) AS DOUBLE PRECISION) AS INT) AS BIGINT) AS "v_v1", CAST(CAST("c_status" = (CAST('returned' AS TEXT) COLLATE "C") AS INT) AS BIGINT) AS "v_v2"
FROM "base"),
"units" AS (SELECT MIN("v_v1") AS "c_v1", MAX("v_v2") AS "c_v2"
FROM "each"
GROUP BY "unit"),
"picked" AS (SELECT 1 AS "one"
FROM "units"
WHERE ("c_v1" = CAST(1 AS BIGINT)) AND (NOT ("c_v2" = CAST(1 AS BIGINT)))),
"cells" AS (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
