-- done: QUALIFY in place of HAVING
-- asks: what was meant
SELECT floor, COUNT(*) AS n FROM staff GROUP BY floor QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= 3
