-- done: then compare the units in ON
-- with: fixed.toml
-- asks: something else: if they are the same people
SELECT COUNT(*) AS n
FROM customers AS c
JOIN till AS t ON c.customer_id = t.person_id
