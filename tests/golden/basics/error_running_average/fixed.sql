-- pasted: SUM(COUNT(*)) OVER (ORDER BY floor)
-- asks: something else: adds up counts
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS a FROM staff GROUP BY floor
