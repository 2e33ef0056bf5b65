-- pasted: COUNT(DISTINCT customer_id)
-- asks: something else: counts them
SELECT COUNT(DISTINCT customer_id) AS n FROM reviews
