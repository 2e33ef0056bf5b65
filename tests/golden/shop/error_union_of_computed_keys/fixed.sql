-- pasted: GROUP BY MONTH(month)
SELECT MONTH(month) AS month_of_year, COUNT(*) AS n
FROM (
  SELECT DATE_TRUNC('month', sold) AS month FROM till
  UNION ALL
  SELECT DATE_TRUNC('month', sold) AS month FROM till
)
GROUP BY MONTH(month)
