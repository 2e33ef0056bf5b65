SELECT STDDEV(weight) AS sd, AVG(weight) AS kg FROM clinic
