SELECT test, AVG(change) AS change, COUNT(change) AS measured FROM labs GROUP BY test
