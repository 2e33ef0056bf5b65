-- left out: ROWS 3 PRECEDING
-- done: SUM(COUNT(*)) OVER (ORDER BY age)
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS lately FROM staff GROUP BY floor
