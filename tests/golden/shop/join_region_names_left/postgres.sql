WITH "base" AS (SELECT "region" AS "c_region"
FROM "customers"),
"left" AS (SELECT "c_region" AS "j0"
FROM "base"),
"base_2" AS (SELECT "code" AS "c_code", "name" AS "c_name"
FROM "regions"),
"right" AS (SELECT "c_name", "c_code" AS "j0"
FROM "base_2"),
"pairs" AS (SELECT "r"."c_name" AS "c_name@2"
FROM "left" AS l
LEFT JOIN "right" AS r ON "l"."j0" = "r"."j0"),
"picked" AS (SELECT "c_name@2" AS "v0"
FROM "pairs"),
"cells" AS (SELECT COUNT("v0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
