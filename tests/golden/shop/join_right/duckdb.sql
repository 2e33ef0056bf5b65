WITH "base" AS NOT MATERIALIZED (SELECT "region" AS "c_region"
FROM "customers"),
"left" AS NOT MATERIALIZED (SELECT "c_region" AS "j0"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "code" AS "c_code", "country" AS "c_country"
FROM "regions"),
"right" AS NOT MATERIALIZED (SELECT "c_country", "c_code" AS "j0"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "r"."c_country" AS "c_country@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"picked" AS NOT MATERIALIZED (SELECT "c_country@2" AS "k0"
FROM "pairs"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['x', 'y'] of 2
