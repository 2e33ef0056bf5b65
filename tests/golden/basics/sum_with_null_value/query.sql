SELECT SUM(weight) AS kg FROM clinic
