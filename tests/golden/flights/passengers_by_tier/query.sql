SELECT tier, COUNT(*) AS passengers FROM passengers GROUP BY tier
