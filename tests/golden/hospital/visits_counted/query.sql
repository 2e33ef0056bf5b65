SELECT COUNT(*) AS visits FROM visits
