WITH "base" AS (SELECT "age" AS "c_age", "name" AS "c_name", "region" AS "c_region", "smoker" AS "c_smoker", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS (SELECT "_lapcat_weight" AS "w0"
FROM "base"
WHERE ((NOT (("c_age" > CAST(30 AS BIGINT)) OR "c_smoker")) AND ("c_region" IN ((CAST('north' AS TEXT) COLLATE "C"), (CAST('west' AS TEXT) COLLATE "C")))) AND ((NOT ("c_name" IS NULL)) AND ((NOT ("c_smoker" IS NULL)) AND (NOT "c_smoker")))),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
