SELECT region, COUNT(*) AS customers, COUNT(email) AS with_email FROM customers GROUP BY region
