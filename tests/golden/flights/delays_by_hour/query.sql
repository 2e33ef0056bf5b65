SELECT cause, HOUR(reported) AS hour, COUNT(*) AS n FROM delays WHERE minutes > 15 GROUP BY GROUPING SETS ((cause, hour), (hour))
