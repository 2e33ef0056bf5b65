SELECT month, COUNT(*) AS n
FROM (
  SELECT DATE_TRUNC('month', sold) AS month FROM till
  UNION ALL
  SELECT DATE_TRUNC('month', sold) AS month FROM till
)
GROUP BY month
