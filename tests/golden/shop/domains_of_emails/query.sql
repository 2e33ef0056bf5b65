SELECT CASE WHEN LOWER(SPLIT_PART(email, '@', 2)) IN ('example.com', 'example.org') THEN 'example' ELSE 'other' END AS domain,
  COUNT(*) AS n, COUNT(DISTINCT LOWER(email)) AS addresses
FROM customers GROUP BY 1
