SELECT COUNT(score) AS scores, COUNT(salary) AS salaries FROM staff
