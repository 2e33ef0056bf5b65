SELECT DATE_TRUNC('hour', reported) AS hour, COUNT(*) AS n
FROM delays
WHERE DATE_TRUNC('minute', reported) BETWEEN TIMESTAMP '2024-01-01 10:30:00' AND DATE_TRUNC('second', reported)
GROUP BY DATE_TRUNC('hour', reported)
