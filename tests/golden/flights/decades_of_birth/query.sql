SELECT 10 * FLOOR(YEAR(born) / 10) AS decade, COUNT(*) AS passengers
FROM passengers
GROUP BY decade
HAVING COUNT(*) >= 100 AND decade > 1950
ORDER BY 1 DESC
