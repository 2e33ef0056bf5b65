-- pasted: MONTH(month)
-- asks: something else: other groups
SELECT MONTH(month), COUNT(*) AS n
FROM (
  SELECT DATE_TRUNC('month', sold) AS month FROM till
  UNION ALL
  SELECT DATE_TRUNC('month', sold) AS month FROM till
)
GROUP BY MONTH(month)
