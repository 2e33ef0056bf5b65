WITH "base" AS NOT MATERIALIZED (SELECT "placed" AS "c_placed", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"left" AS NOT MATERIALIZED (SELECT "c_placed", "c_status", "unit"
FROM "base"),
"base_2" AS NOT MATERIALIZED (SELECT "placed" AS "c_placed", "status" AS "c_status", "_lapcat_unit" AS "unit"
FROM "orders"
WHERE "_lapcat_rank" <= CAST(20 AS BIGINT)),
"right" AS NOT MATERIALIZED (SELECT "c_placed", "c_status", "unit"
FROM "base_2"),
"pairs" AS NOT MATERIALIZED (SELECT "l"."c_placed", "l"."c_status", "l"."unit", "r"."c_placed" AS "c_placed@2", "r"."c_status" AS "c_status@2"
FROM "left" AS l
INNER JOIN "right" AS r ON "l"."unit" = "r"."unit"),
"picked" AS NOT MATERIALIZED (SELECT "unit"
FROM "pairs"
WHERE ("c_status" = 'returned') AND (("c_status@2" = 'sent') AND ("c_placed" < "c_placed@2"))),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "unit") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
