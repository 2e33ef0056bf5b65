WITH "base" AS (SELECT "email" AS "c_email"
FROM "customers"),
"step0" AS (SELECT *, SPLIT_PART("c_email", (CAST('@' AS TEXT) COLLATE "C"), 2) AS "e0_0"
FROM "base" OFFSET 0),
"step1" AS (SELECT *, LOWER(("e0_0" COLLATE "C")) AS "e1_0"
FROM "step0" OFFSET 0),
"picked" AS (SELECT CASE WHEN "e1_0" IN ((CAST('example.com' AS TEXT) COLLATE "C"), (CAST('example.org' AS TEXT) COLLATE "C")) THEN (CAST('example' AS TEXT) COLLATE "C") ELSE (CAST('other' AS TEXT) COLLATE "C") END AS "k0", LOWER(("c_email" COLLATE "C")) AS "d1"
FROM "step1"),
"cells" AS (SELECT "k0", COUNT(DISTINCT "d1") AS "a0", COUNT(*) AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['example', 'other'] of 2
