SELECT place, COUNT(*) AS n
FROM (SELECT place FROM delays WHERE minutes > 60 UNION ALL SELECT place FROM delays WHERE minutes > 120) AS long
GROUP BY place
