SELECT region, newsletter, COUNT(*) AS customers FROM customers GROUP BY CUBE (region, newsletter)
