WITH "base" AS (SELECT "age" AS "c_age", "smoker" AS "c_smoker", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS (SELECT "_lapcat_weighed_age" AS "w0", "_lapcat_weight" AS "w1"
FROM "base"
WHERE "c_smoker"),
"cells" AS (SELECT SUM("w0") AS "a0", SUM("w1") AS "a1", SUM("w1") FILTER(WHERE "w0" IS NULL) AS "a2"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1", "a2"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)) - (CAST(1 AS DECIMAL) * COALESCE(CAST("a2" AS DECIMAL), CAST(0 AS DECIMAL))), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
