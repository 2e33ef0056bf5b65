WITH "base" AS NOT MATERIALIZED (SELECT "newsletter" AS "c_newsletter", "region" AS "c_region"
FROM "customers"),
"picked" AS NOT MATERIALIZED (SELECT "c_region" AS "k0", "c_newsletter" AS "k1"
FROM "base"),
"cells" AS NOT MATERIALIZED (SELECT "k0", "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0", "k1"),
"placed" AS NOT MATERIALIZED (SELECT COALESCE(("keys0"."place" * CAST(2 AS BIGINT)) + "keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_2" AS NOT MATERIALIZED (SELECT "k0", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k0"),
"placed_2" AS NOT MATERIALIZED (SELECT COALESCE("keys0"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_2"
INNER JOIN (SELECT UNNEST(CAST($list0 AS TEXT[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list0 AS TEXT[]), 1) - 1 AS "place") AS "keys0" ON "k0" = "keys0"."value"),
"cells_3" AS NOT MATERIALIZED (SELECT "k1", COUNT(*) AS "a0"
FROM "picked"
GROUP BY "k1"),
"placed_3" AS NOT MATERIALIZED (SELECT COALESCE("keys1"."place", CAST(-1 AS BIGINT)) AS "cell", "a0"
FROM "cells_3"
INNER JOIN (SELECT UNNEST(CAST($list1 AS BOOLEAN[])) AS "value", GENERATE_SUBSCRIPTS(CAST($list1 AS BOOLEAN[]), 1) - 1 AS "place") AS "keys1" ON "k1" = "keys1"."value"),
"cells_4" AS NOT MATERIALIZED (SELECT COUNT(*) AS "a0"
FROM "picked"),
"placed_4" AS NOT MATERIALIZED (SELECT CAST(0 AS BIGINT) AS "cell", "a0"
FROM "cells_4")
SELECT "cell" AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(6 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_2" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(9 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_3" UNION ALL SELECT CASE WHEN "cell" >= 0 THEN "cell" + CAST(11 AS BIGINT) ELSE "cell" END AS "cell", CAST("a0" AS BIGINT) AS "s0"
FROM "placed_4"
-- $list0 = ['N', 'S', 'W'] of 3
-- $list1 = [False, True] of 2
