SELECT COUNT(*) AS n
FROM till AS a
JOIN till AS b ON a.sold = b.sold
