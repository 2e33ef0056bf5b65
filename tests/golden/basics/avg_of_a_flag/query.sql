SELECT AVG(smoker) AS smokers FROM staff
