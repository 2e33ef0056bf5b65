WITH "base" AS NOT MATERIALIZED (SELECT "ward" AS "c_ward", "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "clinic"),
"step0" AS NOT MATERIALIZED (SELECT *, COALESCE("c_weight", CAST('70.0' AS DOUBLE)) AS "e0_0"
FROM "base"),
"picked" AS NOT MATERIALIZED (SELECT "c_ward" AS "k0", TRY_CAST(FLOOR(CASE WHEN "e0_0" BETWEEN CAST('30.0' AS DOUBLE) AND CAST('150.0' AS DOUBLE) THEN "e0_0" WHEN "e0_0" < CAST('30.0' AS DOUBLE) THEN CAST('30.0' AS DOUBLE) WHEN "e0_0" <= CAST('inf' AS DOUBLE) THEN CAST('150.0' AS DOUBLE) END * CAST('4096.0' AS DOUBLE)) AS BIGINT) AS "k1"
FROM "step0"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(491521 AS BIGINT)) + CASE WHEN "k1" BETWEEN CAST(122880 AS BIGINT) AND CAST(614400 AS BIGINT) THEN "k1" - CAST(122880 AS BIGINT) END, CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['eyes', 'heart'] of 2
