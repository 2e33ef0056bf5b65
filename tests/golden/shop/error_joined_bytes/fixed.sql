-- pasted: SELECT COUNT(*) AS n FROM "orders" AS a JOIN (SELECT "customer_id", COUNT(*) AS m FROM "reviews" GROUP BY "customer_id") AS b ON a."customer_id" = b."customer_id"
-- asks: something else: as in
SELECT COUNT(*) AS n FROM "orders" AS a JOIN (SELECT "customer_id", COUNT(*) AS m FROM "reviews" GROUP BY "customer_id") AS b ON a."customer_id" = b."customer_id"
