-- pasted: SELECT COUNT(*) AS n FROM (SELECT ward FROM visits)
-- pasted: SELECT COUNT(*) AS n FROM (SELECT ward FROM doctors)
-- asks: the same
SELECT COUNT(*) AS n FROM (SELECT ward FROM visits);
SELECT COUNT(*) AS n FROM (SELECT ward FROM doctors)
