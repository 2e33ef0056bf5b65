SELECT s.Region, COUNT(*) AS "Number" FROM Staff AS s WHERE S.AGE > 30 GROUP BY s."region"
