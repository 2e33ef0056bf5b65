SELECT lives % 4 AS r, SUM(lives // 2) AS s FROM cats GROUP BY lives % 4
