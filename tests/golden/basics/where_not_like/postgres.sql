WITH "base" AS (SELECT "age" AS "c_age", "name" AS "c_name", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS (SELECT "_lapcat_weight" AS "w0"
FROM "base"
WHERE ((NOT ("c_name" LIKE 'A%' ESCAPE '')) AND ((NOT ("c_age" IN (CAST(30 AS BIGINT), CAST(40 AS BIGINT)))) AND (NOT (NOT ("c_name" LIKE '%z' ESCAPE ''))))) OR (NOT (("c_age" >= CAST(20 AS BIGINT)) AND ("c_age" <= CAST(60 AS BIGINT))))),
"cells" AS (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
