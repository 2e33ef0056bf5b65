WITH "base" AS (SELECT "by_car" AS "c_by_car", "month" AS "c_month", "waited" AS "c_waited", "_lapcat_weighed_waited"
FROM "arrivals"),
"picked" AS (SELECT "_lapcat_weighed_waited" AS "v0"
FROM "base"
WHERE ("c_by_car" AND ("c_month" = CAST(3 AS BIGINT))) AND ("c_month" IN (CAST(1 AS BIGINT), CAST(2 AS BIGINT), CAST(3 AS BIGINT), CAST(4 AS BIGINT), CAST(5 AS BIGINT), CAST(6 AS BIGINT), CAST(7 AS BIGINT), CAST(8 AS BIGINT), CAST(9 AS BIGINT), CAST(10 AS BIGINT), CAST(11 AS BIGINT), CAST(12 AS BIGINT)))),
"cells" AS (SELECT SUM("v0") AS "a0", COUNT("v0") AS "a1", COUNT(*) AS "a2"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1", "a2"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST("a2" AS BIGINT) AS "s1", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s2"
FROM "placed"
