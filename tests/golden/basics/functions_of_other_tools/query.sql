SELECT SUM(ZEROIFNULL(salary)) AS total, MEAN(POWER(age, 2)) AS squares, SUM(NVL2(city, 1, 0)) AS with_city
FROM staff
WHERE floor = ANY (ARRAY[1, 2, 3]) AND age BETWEEN SYMMETRIC 60 AND 20
