-- pasted: SUM(COUNT(*)) OVER (ORDER BY floor)
-- asks: something else: which adds up all groups before
SELECT floor, SUM(COUNT(*)) OVER (ORDER BY floor) AS lately FROM staff GROUP BY floor
