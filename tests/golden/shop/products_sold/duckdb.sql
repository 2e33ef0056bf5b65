WITH "base" AS NOT MATERIALIZED (SELECT "product_id" AS "c_product_id", "quantity" AS "c_quantity"
FROM "items"
WHERE "_lapcat_rank" <= CAST(50 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_product_id" AS "d0"
FROM "base"
WHERE "c_quantity" > CAST(0 AS BIGINT)),
"cells" AS NOT MATERIALIZED (SELECT COUNT(DISTINCT "d0") AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
