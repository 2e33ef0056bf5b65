WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT TRY_CAST(FLOOR(CAST(CASE WHEN ("c_age" >= CAST(0 AS BIGINT)) AND ("c_age" <= CAST(109 AS BIGINT)) THEN "c_age" END AS DOUBLE) / NULLIF(CAST('5.0' AS DOUBLE), CAST('0.0' AS DOUBLE))) AS BIGINT) * CAST(5 AS BIGINT) AS "k0", "_lapcat_weight" AS "w1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS BIGINT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS BIGINT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95] of 22
