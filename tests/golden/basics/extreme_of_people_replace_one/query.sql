SELECT status, MIN(amount) AS least FROM orders GROUP BY status
