WITH "base" AS NOT MATERIALIZED (SELECT "city" AS "c_city", "_lapcat_unit" AS "unit"
FROM "staff"
WHERE "_lapcat_rank" <= CAST(10 AS BIGINT)),
"picked" AS NOT MATERIALIZED (SELECT "c_city" AS "k0", "unit"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0", COUNT(DISTINCT "unit") AS "units"
FROM "picked"
WHERE NOT ("k0" IS NULL)
GROUP BY "k0")
SELECT "k0" AS "p0", CAST("units" AS BIGINT) AS "units", CAST(0 AS BIGINT) AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "cells" ORDER BY "k0"
