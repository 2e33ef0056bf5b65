-- done: COUNT(*) FILTER (WHERE …) + COUNT(*) FILTER (WHERE …) FROM delays
-- asks: the same
SELECT place, COUNT(*) FILTER (WHERE minutes > 60) + COUNT(*) FILTER (WHERE minutes > 120) AS n
FROM delays
GROUP BY place
