SELECT SUM(dose) AS dose FROM clinic WHERE ward = 'eyes'
