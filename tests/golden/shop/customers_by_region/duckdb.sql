WITH "base" AS NOT MATERIALIZED (SELECT "email" AS "c_email", "region" AS "c_region"
FROM "customers"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", "c_email" AS "v1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT("v1") AS "a0", COUNT(*) AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
