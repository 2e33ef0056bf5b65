SELECT category, COUNT(*) AS n
FROM products NATURAL JOIN items NATURAL JOIN orders
WHERE status = 'sent'
GROUP BY category
