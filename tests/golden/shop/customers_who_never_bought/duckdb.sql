WITH "base" AS NOT MATERIALIZED (SELECT "newsletter" AS "c_newsletter", "region" AS "c_region", "_lapcat_unit" AS "unit"
FROM "customers"),
"left" AS NOT MATERIALIZED (SELECT "c_newsletter", "c_region", "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "_lapcat_unit" AS "unit"
FROM "orders"),
"each" AS NOT MATERIALIZED (SELECT "unit"
FROM "base_2"),
"units" AS NOT MATERIALIZED (SELECT "unit" AS "unit", CAST(COUNT(*) AS BIGINT) AS "c_n"
FROM "each"
GROUP BY "unit"),
"right" AS NOT MATERIALIZED (SELECT "c_n", "unit"
FROM "units"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_newsletter", "l"."c_region", "l"."unit", "r"."c_n" AS "c_n@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0"
FROM "pairs"
WHERE "c_newsletter" AND ("c_n@2" IS NULL)),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['N', 'S', 'W'] of 3
