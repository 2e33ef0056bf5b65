SELECT home, COUNT(*) AS passengers FROM passengers WHERE tier = 'gold' GROUP BY home
