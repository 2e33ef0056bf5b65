SELECT category, COUNT(*) AS n FROM products GROUP BY category
