WITH "base" AS NOT MATERIALIZED (SELECT "pain" AS "c_pain"
FROM "survey"),
"picked" AS NOT MATERIALIZED (SELECT "c_pain" >= CAST(3 AS BIGINT) AS "p0", "c_pain" >= CAST(7 AS BIGINT) AS "p1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT COUNT(*) FILTER(WHERE "p0") AS "a0", COUNT(*) FILTER(WHERE "p1") AS "a1"
FROM "picked"),
"placed" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0", "a1"
FROM "cells")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0", CAST("a1" AS BIGINT) AS "s1"
FROM "placed"
