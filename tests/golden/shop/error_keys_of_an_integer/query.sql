SELECT product, COUNT(*) AS n FROM till GROUP BY product
