WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "name" AS "c_name", GREATEST(CAST(10 AS BIGINT), "_lapcat_rows") AS "size", "_lapcat_weight", "_lapcat_weighed_age"
FROM "staff"),
"picked" AS NOT MATERIALIZED (SELECT "_lapcat_weight" AS "w0"
FROM "base"
WHERE ((NOT ("c_name" LIKE 'A%')) AND ((NOT ("c_age" IN (CAST(30 AS BIGINT), CAST(40 AS BIGINT)))) AND (NOT (NOT ("c_name" LIKE '%z'))))) OR (NOT (("c_age" >= CAST(20 AS BIGINT)) AND ("c_age" <= CAST(60 AS BIGINT))))),
"cells" AS NOT MATERIALIZED (SELECT SUM("w0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s0"
FROM "placed"
