SELECT cause, COUNT(*) AS n
FROM (SELECT flight, cause FROM delays UNION ALL SELECT flight, cause FROM letters)
GROUP BY cause
