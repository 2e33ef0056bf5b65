WITH "base" AS NOT MATERIALIZED (SELECT "positive" AS "c_positive", "ward" AS "c_ward"
FROM "clinic"),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE(CASE WHEN (CAST(LENGTH('/') AS BIGINT) + CAST(LENGTH("c_ward") AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '/' || "c_ward" END, '') AS "e0_0", CASE WHEN "c_positive" THEN 'positive' END AS "e0_1"
FROM "base"),
"step1" AS NOT MATERIALIZED (SELECT *, COALESCE(CASE WHEN (CAST(LENGTH('/') AS BIGINT) + CAST(LENGTH("e0_1") AS BIGINT)) <= CAST(4097 AS BIGINT) THEN '/' || "e0_1" END, '') AS "e1_0"
FROM "step0"),
"picked" AS NOT MATERIALIZED (SELECT SUBSTR(CASE WHEN (CAST(LENGTH("e0_0") AS BIGINT) + CAST(LENGTH("e1_0") AS BIGINT)) <= CAST(4097 AS BIGINT) THEN "e0_0" || "e1_0" END, 2) AS "k0"
FROM "step1"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'eyes/positive', 'heart', 'heart/positive', '', 'positive'] of 6
