SELECT COUNT(*) AS n
FROM customers
WHERE region IN (SELECT region FROM customers WHERE age > 90)
