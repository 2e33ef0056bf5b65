SELECT COUNT(*) AS weeks
FROM (
  SELECT doctor_id, DATE_TRUNC('week', began) AS week, SUM(hours) AS hours
  FROM shifts
  GROUP BY doctor_id, DATE_TRUNC('week', began)
  HAVING SUM(hours) > 48
)
