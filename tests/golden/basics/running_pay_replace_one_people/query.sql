SELECT status, BUCKETS(amount, 5) AS paid,
       SUM(COUNT(*)) OVER (PARTITION BY status ORDER BY paid) / SUM(COUNT(*)) OVER (PARTITION BY status) AS share
FROM orders GROUP BY status, paid
