WITH "base" AS (SELECT "age" AS "c_age", "city" AS "c_city", "floor" AS "c_floor", "hired" AS "c_hired", "name" AS "c_name", "region" AS "c_region", "smoker" AS "c_smoker", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS (SELECT "_lapcat_weight" AS "w0", NOT ((("c_name" IS NULL) AND ("c_city" IS NULL)) OR ((NOT ("c_name" IS NULL)) AND ((NOT ("c_city" IS NULL)) AND ("c_name" = "c_city")))) AS "p1"
FROM "base"
WHERE (((("c_region" = (CAST('north' AS TEXT) COLLATE "C")) AND ("c_floor" = CAST(1 AS BIGINT))) OR (("c_region" = (CAST('south' AS TEXT) COLLATE "C")) AND ("c_floor" = CAST(2 AS BIGINT)))) AND (("c_smoker" = FALSE) AND ("c_age" > CAST(17 AS BIGINT)))) AND (("c_hired" >= CAST('2023-10-31' AS DATE)) AND (("c_hired" < CAST('2024-07-01' AS DATE)) AND ("c_name" LIKE 'A%' ESCAPE '')))),
"cells" AS (SELECT SUM("w0") FILTER(WHERE "p1") AS "a0", SUM("w0") AS "a1"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
