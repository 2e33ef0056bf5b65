SELECT CORR(amount, product) AS r FROM till
