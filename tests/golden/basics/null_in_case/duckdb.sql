WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "floor" AS "c_floor", "salary" AS "c_salary", "smoker" AS "c_smoker", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age", "_lapcat_weighed_salary"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN NOT ((NOT (("c_age" > CAST(80 AS BIGINT)) IS NULL)) AND ("c_age" > CAST(80 AS BIGINT))) THEN CASE WHEN "c_smoker" THEN 'smoker' ELSE 'other' END END AS "k0", "_lapcat_weight" AS "w1", CASE WHEN NOT ((NOT (("c_salary" > CAST(CAST(50000 AS BIGINT) AS DOUBLE)) IS NULL)) AND ("c_salary" > CAST(CAST(50000 AS BIGINT) AS DOUBLE))) THEN CAST(1 AS BIGINT) END AS "v2"
FROM "base"
WHERE CASE WHEN "c_floor" IN (CAST(1 AS BIGINT), CAST(2 AS BIGINT)) THEN TRUE END),
"cells" AS NOT MATERIALIZED (SELECT "k0", SUM("w1") AS "a0", SUM("w1") FILTER(WHERE "v2" IS NULL) AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)) - (CAST(1 AS INT128) * COALESCE(CAST("a1" AS INT128), CAST(0 AS INT128))), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['smoker', 'other'] of 2
