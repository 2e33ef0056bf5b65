WITH "base" AS NOT MATERIALIZED (SELECT "amount" AS "c_amount", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit", CAST("c_amount" > CAST(CAST(100 AS BIGINT) AS DOUBLE) AS BIGINT) AS "v_v1", CAST("c_status" = 'returned' AS BIGINT) AS "v_v2"
FROM "base"),
"units" AS NOT MATERIALIZED (SELECT MIN("v_v1") AS "c_v1", MAX("v_v2") AS "c_v2"
FROM "each"
GROUP BY "unit"),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "units"
WHERE ("c_v1" = CAST(1 AS BIGINT)) AND (NOT ("c_v2" = CAST(1 AS BIGINT)))),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
