SELECT r.name, COUNT(*) AS n
FROM (regions AS r JOIN customers AS c ON r.code = c.region) JOIN (orders AS o JOIN reviews AS v USING (customer_id)) AS t ON c.customer_id = t.customer_id
GROUP BY r.name
