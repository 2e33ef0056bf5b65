WITH "base" AS (SELECT "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"),
"kept" AS (SELECT "unit"
FROM "base"
WHERE "c_status" = (CAST('sent' AS TEXT) COLLATE "C")),
"each" AS (SELECT "unit"
FROM "kept"),
"units" AS (SELECT CAST(COUNT(*) AS BIGINT) AS "c_v1"
FROM "each"
GROUP BY "unit"),
"picked" AS (SELECT CASE WHEN "c_v1" < CAST(0 AS BIGINT) THEN CAST(0 AS BIGINT) WHEN CAST(20 AS BIGINT) < "c_v1" THEN CAST(20 AS BIGINT) ELSE "c_v1" END AS "v0"
FROM "units"
WHERE "c_v1" > CAST(1 AS BIGINT)),
"cells" AS (SELECT SUM("v0") AS "a0", COUNT("v0") AS "a1", COUNT(*) AS "a2"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1", "a2"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)) - (CAST(10 AS DECIMAL) * COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL))), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s2"
FROM "placed"
