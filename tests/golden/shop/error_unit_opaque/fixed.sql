-- pasted: COUNT(DISTINCT customer_id)
SELECT COUNT(DISTINCT customer_id) AS n FROM reviews
