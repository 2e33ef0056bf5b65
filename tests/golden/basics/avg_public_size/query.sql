SELECT AVG(weight) AS kg FROM clinic
