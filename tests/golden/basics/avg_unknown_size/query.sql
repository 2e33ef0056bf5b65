SELECT AVG(age) AS age FROM staff WHERE smoker
