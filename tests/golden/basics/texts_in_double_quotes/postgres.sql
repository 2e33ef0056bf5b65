WITH "base" AS (SELECT "city" AS "c_city", "name" AS "c_name", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight"
FROM "staff"),
"picked" AS (SELECT CASE WHEN "c_name" LIKE 'A%' ESCAPE '' THEN (CAST('begins' AS TEXT) COLLATE "C") ELSE (CAST('does not' AS TEXT) COLLATE "C") END AS "k0", "_lapcat_weight" AS "w1"
FROM "base"
WHERE ("c_city" = (CAST('Oslo' AS TEXT) COLLATE "C")) OR ("c_name" IN ((CAST('Ann' AS TEXT) COLLATE "C"), (CAST('Bob' AS TEXT) COLLATE "C")))),
"cells" AS (SELECT "k0", SUM("w1") AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed" AS (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($1 AS TEXT[])) AS "value", CAST(GENERATE_SUBSCRIPTS(CAST($1 AS TEXT[]), 1) - 1 AS BIGINT) AS "place") AS "keys0" ON "k0" = "keys0"."value")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS DECIMAL), CAST(0 AS DECIMAL)), CAST(-4611686018427387904 AS DECIMAL)), CAST(4611686018427387904 AS DECIMAL)) AS BIGINT) AS "s0"
FROM "placed"
-- $list0 = ['begins', 'does not'] of 2
