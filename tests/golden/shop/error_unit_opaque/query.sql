SELECT customer_id, COUNT(*) AS n FROM reviews GROUP BY customer_id
