WITH "base" AS NOT MATERIALIZED (SELECT "age" AS "c_age", "smoker" AS "c_smoker", "region" AS "c_region", "name" AS "c_name"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT 1 AS "one"
FROM "base"
WHERE ((NOT (("c_age" > CAST(30 AS BIGINT)) OR "c_smoker")) AND ("c_region" IN ('north', 'west'))) AND ((NOT ("c_name" IS NULL)) AND ((NOT ("c_smoker" IS NULL)) AND (NOT "c_smoker")))),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed"
