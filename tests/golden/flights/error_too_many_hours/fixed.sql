-- done: group by fewer columns
-- asks: something else: fewer columns
SELECT DATE_TRUNC('hour', reported) AS hour, COUNT(*) AS n
FROM delays
GROUP BY hour
