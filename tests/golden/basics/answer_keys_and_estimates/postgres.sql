WITH "base" AS (SELECT "floor" AS "c_floor", "salary" AS "c_salary", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_salary"
FROM "staff"),
"picked" AS (SELECT "c_floor" AS "k0", "_lapcat_weighed_salary" AS "w1", "_lapcat_weight" AS "w2"
FROM "base"),
"cells" AS (SELECT "k0", SUM("w1") AS "a0", SUM("w2") AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE(CASE WHEN "k0" BETWEEN CAST(0 AS BIGINT) AND CAST(9 AS BIGINT) THEN "k0" - CAST(0 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a1" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s1"
FROM "placed"
