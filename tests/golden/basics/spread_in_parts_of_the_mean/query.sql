SELECT colour, STDDEV(weight) / AVG(weight) AS cv FROM cats GROUP BY colour HAVING VAR_POP(lives) FILTER (WHERE weight > 2) > 1
