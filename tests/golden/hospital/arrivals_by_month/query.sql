SELECT month, COUNT(*) AS n FROM arrivals GROUP BY month
