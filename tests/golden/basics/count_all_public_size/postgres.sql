WITH "base" AS (SELECT "positive" AS "c_positive"
FROM "clinic"),
"picked" AS (SELECT "c_positive" AS "p0"
FROM "base"),
"cells" AS (SELECT COUNT(*) FILTER(WHERE "p0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
