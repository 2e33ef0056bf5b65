SELECT AVG(stars) AS stars, COUNT(*) AS reviewers
FROM (SELECT customer_id, AVG(stars) AS stars FROM reviews GROUP BY customer_id)
