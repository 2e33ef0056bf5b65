SELECT region, SKEWNESS(salary) AS tilt, SKEWNESS(age) FILTER (WHERE smoker) AS tilt_of_smokers, VAR_POP(salary) AS spread
FROM staff
GROUP BY region
