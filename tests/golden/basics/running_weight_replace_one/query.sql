SELECT BUCKETS(weight) AS kg,
       SUM(COUNT(*) FILTER (WHERE positive)) OVER (ORDER BY kg) AS positive,
       100.0 * (SUM(COUNT(*)) OVER (ORDER BY kg) / SUM(COUNT(*)) OVER ()) AS percent
FROM clinic GROUP BY kg
