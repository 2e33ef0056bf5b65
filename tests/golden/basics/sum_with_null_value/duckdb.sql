WITH "base" AS NOT MATERIALIZED (SELECT "weight" AS "c_weight", "_lapcat_weighed_weight"
FROM "clinic"),
"picked" AS NOT MATERIALIZED (SELECT "_lapcat_weighed_weight" AS "v0"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT SUM("v0") AS "a0", COUNT(*) AS "a1"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a1" AS BIGINT) AS "s0", CAST(LEAST(GREATEST(COALESCE(CAST("a0" AS INT128), CAST(0 AS INT128)), CAST(-4611686018427387904 AS INT128)), CAST(4611686018427387904 AS INT128)) AS BIGINT) AS "s1"
FROM "placed"
