SELECT DATE_TRUNC('hour', reported) AS hour, DATE_TRUNC('hour', reported) AS again, MINUTE(reported) AS minute,
       FLOOR(minutes) AS late, COUNT(*) AS n
FROM delays
GROUP BY hour, minute, late
