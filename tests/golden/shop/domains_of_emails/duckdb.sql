WITH "base" AS NOT MATERIALIZED (SELECT "email" AS "c_email"
FROM "customers"),
"step0" AS NOT MATERIALIZED (SELECT *, SPLIT_PART("c_email", '@', 2) AS "e0_0"
FROM "base"),
"step1" AS NOT MATERIALIZED (SELECT *, CASE WHEN STRLEN("e0_0") = LENGTH("e0_0") THEN LOWER("e0_0") ELSE TRANSLATE("e0_0", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END AS "e1_0"
FROM "step0"),
"picked" AS NOT MATERIALIZED (SELECT CASE WHEN "e1_0" IN ('example.com', 'example.org') THEN 'example' ELSE 'other' END AS "k0", CASE WHEN STRLEN("c_email") = LENGTH("c_email") THEN LOWER("c_email") ELSE TRANSLATE("c_email", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END AS "d1"
FROM "step1"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(DISTINCT "d1") AS "a0", COUNT(*) AS "a1"
FROM "picked"
GROUP BY "k0"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0", "a1"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
-- $list0 = ['example', 'other'] of 2
