SELECT l.test, SUM(l.change) AS change
FROM labs AS l
JOIN visits AS v ON l.visit_id = v.visit_id AND v.emergency
GROUP BY l.test
