SELECT cause, AVG(minutes) AS minutes FROM delays GROUP BY cause
